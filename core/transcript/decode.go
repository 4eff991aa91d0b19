package transcript

import (
	"bytes"
	"encoding/json"
	"errors"

	"veyyon.dev/veyyon/core/message"
)

// decodeBody reads the contents of a line, which may be changed afterwards. An
// error means that they do not fit the type.
func decodeBody(kind string, line []byte) (Body, error) {
	body := emptyBody(kind)
	if body == nil {
		return unknown(line), nil
	}
	m, ok := body.(*Message)
	if !ok {
		return body, json.Unmarshal(line, body)
	}
	raw := fieldOf(line, "message")
	if raw == nil {
		return nil, errors.New("there is no message")
	}
	if m.Message = quickMessage(raw); m.Message != nil {
		return m, nil
	}
	var err error
	m.Message, err = message.Decode(raw)
	return m, err
}

func unknown(line []byte) *Unknown {
	if !json.Valid(line) {
		return &Unknown{}
	}
	return &Unknown{Raw: bytes.Clone(line)}
}

// fieldOf returns the value of a field as it stands in the object, nil when it
// has none. Of fields with one name it is the last.
func fieldOf(object []byte, name string) (found []byte) {
	eachField(object, func(key, value []byte) {
		if string(key) == name {
			found = value
		}
	})
	return found
}

// quickMessage decodes a message whose content is made of the blocks that we
// write, as message.Decode does; nil for any other. Long sessions are almost all
// content, which encoding/json goes over four times: it checks the message, looks
// for the end of the content, checks that and decodes it.
func quickMessage(raw []byte) message.Message {
	var content []byte
	rest, roles, odd := make([]byte, 0, 512), 0, false
	whole := eachField(raw, func(key, value []byte) {
		switch {
		case string(key) == "content" && content == nil:
			content = value
		case bytes.IndexByte(key, '\\') >= 0 || bytes.EqualFold(key, []byte("content")):
			odd = true // encoding/json may take it for the content
		default:
			if bytes.EqualFold(key, []byte("role")) {
				roles++
			}
			rest = append(append(append(rest, ',', '"'), key...), '"', ':')
			rest = append(rest, value...)
		}
	})
	if !whole || odd || content == nil || roles != 1 {
		return nil
	}
	blocks, ok := quickBlocks(content)
	if !ok {
		return nil
	}
	rest[0] = '{'
	m, err := message.Decode(append(rest, '}'))
	if err != nil {
		return nil
	}
	switch m := m.(type) {
	case *message.User:
		m.Content = blocks
	case *message.Developer:
		m.Content = blocks
	case *message.Assistant:
		m.Content = blocks
	case *message.ToolResult:
		m.Content = blocks
	case *message.Custom:
		m.Content = blocks
	default:
		return nil
	}
	return m
}

func quickBlocks(raw []byte) (message.Blocks, bool) {
	if text, ok := quickString(raw); ok {
		return message.Blocks{message.NewText(text)}, true
	}
	blocks := message.Blocks{}
	ok := true
	whole := eachItem(raw, func(item []byte) {
		if ok {
			var block message.Block
			if block, ok = quickBlock(item); ok {
				blocks = append(blocks, block)
			}
		}
	})
	return blocks, ok && whole
}

// The fields of blocks, one bit each.
const (
	hasType = 1 << iota
	hasText
	hasTextSignature
	hasThinking
	hasThinkingSignature
	hasID
	hasName
	hasArguments
	hasThoughtSignature
	hasData
	hasMimeType

	ofText     = hasType | hasText | hasTextSignature
	ofThinking = hasType | hasThinking | hasThinkingSignature
	ofToolCall = hasType | hasID | hasName | hasArguments | hasThoughtSignature
	ofImage    = hasType | hasData | hasMimeType
)

// quickBlock decodes a block that has none but these fields, each at most once.
func quickBlock(raw []byte) (message.Block, bool) {
	var kind, text, signature, id, name, data, mime string
	var arguments json.RawMessage
	seen, ok := 0, true
	once := func(bit int) {
		ok = ok && seen&bit == 0
		seen |= bit
	}
	take := func(to *string, bit int, value []byte) {
		once(bit)
		if ok {
			*to, ok = quickString(value)
		}
	}
	whole := eachField(raw, func(key, value []byte) {
		switch string(key) {
		case "type":
			take(&kind, hasType, value)
		case "text":
			take(&text, hasText, value)
		case "textSignature":
			take(&signature, hasTextSignature, value)
		case "thinking":
			take(&text, hasThinking, value)
		case "thinkingSignature":
			take(&signature, hasThinkingSignature, value)
		case "id":
			take(&id, hasID, value)
		case "name":
			take(&name, hasName, value)
		case "arguments":
			once(hasArguments)
			ok = ok && isObject(value)
			arguments = bytes.Clone(value)
		case "thoughtSignature":
			take(&signature, hasThoughtSignature, value)
		case "data":
			take(&data, hasData, value)
		case "mimeType":
			take(&mime, hasMimeType, value)
		default:
			ok = false
		}
	})
	switch {
	case !ok || !whole:
		return nil, false
	case kind == "text" && seen&^ofText == 0:
		return &message.Text{Type: kind, Text: text, Signature: signature}, true
	case kind == "thinking" && seen&^ofThinking == 0:
		return &message.Thinking{Type: kind, Thinking: text, Signature: signature}, true
	case kind == "toolCall" && seen&^ofToolCall == 0:
		return &message.ToolCall{Type: kind, ID: id, Name: name, Arguments: arguments, ThoughtSignature: signature}, true
	case kind == "image" && seen&^ofImage == 0:
		return &message.Image{Type: kind, Data: data, MimeType: mime}, true
	}
	return nil, false
}

// isObject tells whether raw is a JSON object. The long values of one are mostly
// strings, over which json.Valid takes three times as long.
func isObject(raw []byte) bool {
	valid := true
	whole := eachField(raw, func(key, value []byte) {
		valid = valid && plainText(key) && (value[0] == '"' && plainText(value[1:len(value)-1]) || json.Valid(value))
	})
	return whole && valid
}
