package message

import (
	"bytes"
	"encoding/json"
	"errors"
	"time"
)

// Decode reads one message. A role that is not ours gives *Unknown and no
// error; an error means that the JSON does not fit the role.
func Decode(raw []byte) (Message, error) {
	role, err := roleOf(raw)
	if err != nil {
		return nil, err
	}
	var m Message
	switch role {
	case RoleUser:
		m = &User{}
	case RoleDeveloper:
		m = &Developer{}
	case RoleAssistant:
		m = &Assistant{}
	case RoleToolResult:
		m = &ToolResult{}
	case RoleBashExecution:
		m = &BashExecution{}
	case RoleCustom, "hookMessage":
		m = &Custom{}
	case RoleBranchSummary:
		m = &BranchSummary{}
	case RoleCompactionSummary:
		m = &CompactionSummary{}
	default:
		if !json.Valid(raw) {
			return nil, errors.New("the message is not JSON")
		}
		return &Unknown{Raw: append(json.RawMessage(nil), raw...)}, nil
	}
	if err := json.Unmarshal(raw, m); err != nil {
		return nil, err
	}
	if custom, ok := m.(*Custom); ok {
		custom.Role = RoleCustom // the older name of the same thing
	}
	return m, nil
}

// roleOf finds the role. As we write messages it comes first, so that most need
// no pass of their own for it.
func roleOf(raw []byte) (Role, error) {
	if rest, ok := bytes.CutPrefix(raw, []byte(`{"role":"`)); ok {
		if name, _, ok := bytes.Cut(rest, []byte{'"'}); ok {
			return Role(name), nil // an escape in it makes an unknown role, as it should
		}
	}
	var head struct {
		Role Role `json:"role"`
	}
	err := json.Unmarshal(raw, &head)
	return head.Role, err
}

// Now is the time in milliseconds since the epoch, as messages carry it.
func Now() int64 { return time.Now().UnixMilli() }

// NewUser returns a user message of the text and images, made now.
func NewUser(text string, images []*Image) *User {
	content := Blocks{NewText(text)}
	for _, image := range images {
		content = append(content, image)
	}
	return &User{Role: RoleUser, Content: content, Attribution: "user", Timestamp: Now()}
}
