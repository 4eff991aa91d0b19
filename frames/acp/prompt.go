package acp

import (
	"errors"
	"fmt"
	"strings"

	"veyyon.dev/veyyon/frames"
)

// A Prompt is the params of session/prompt: its blocks as one text, and the
// images in order.
type Prompt struct {
	SessionID string
	Text      string
	Images    []Picture
}

// A Picture is an image in base64.
type Picture struct{ Data, MimeType string }

// PromptResult answers session/prompt. Usage is what the turn took, nil for
// nothing.
type PromptResult struct {
	StopReason string     `json:"stopReason"`
	Usage      *TurnUsage `json:"usage,omitempty"`
}

// The reasons why a turn stops.
const (
	StopEndTurn   = "end_turn"
	StopMaxTokens = "max_tokens"
	StopMaxTurns  = "max_turn_requests"
	StopRefusal   = "refusal"
	StopCancelled = "cancelled"
)

// TurnUsage counts tokens.
type TurnUsage struct {
	InputTokens       int `json:"inputTokens"`
	OutputTokens      int `json:"outputTokens"`
	TotalTokens       int `json:"totalTokens"`
	CachedReadTokens  int `json:"cachedReadTokens,omitempty"`
	CachedWriteTokens int `json:"cachedWriteTokens,omitempty"`
}

// DecodePrompt reads params of session/prompt. Protocol: "Prompting"; facts/acp
// 6.1.
func DecodePrompt(o Object) (any, error) {
	id, err := required(o, "sessionId")
	if err != nil {
		return nil, err
	}
	blocks, err := o.Objects("prompt")
	if err != nil {
		return nil, Invalid("%v", err)
	}
	p := Prompt{SessionID: id}
	var parts []string
	for i, block := range blocks {
		text, picture, err := decodeBlock(block)
		switch {
		case err != nil:
			return nil, Invalid("prompt[%d]: %v", i, err)
		case picture != nil:
			p.Images = append(p.Images, *picture)
		case text != "":
			parts = append(parts, text)
		}
	}
	p.Text = strings.TrimSpace(strings.Join(parts, "\n\n"))
	return p, nil
}

// decodeBlock is a block as text or as an image.
func decodeBlock(o Object) (text string, picture *Picture, err error) {
	kind, err := o.String("type")
	if err != nil {
		return "", nil, err
	}
	switch kind {
	case "text":
		text, err = o.String("text")
	case "image":
		picture, err = decodePicture(o, "data")
	case "resource":
		return decodeResource(o)
	case "resource_link":
		text, err = decodeLink(o)
	case "audio":
		text = "[audio omitted]"
	default:
		err = fmt.Errorf("type %q is not one of text, image, resource, resource_link", kind)
	}
	return text, picture, err
}

func decodePicture(o Object, key string) (*Picture, error) {
	data, err := o.String(key)
	if err != nil {
		return nil, err
	}
	mime, err := o.String("mimeType")
	return &Picture{Data: data, MimeType: mime}, err
}

// decodeResource is a file that the client has put into the prompt, under its URI.
func decodeResource(o Object) (text string, picture *Picture, err error) {
	resource, ok := o.Object("resource")
	if !ok {
		return "", nil, errors.New("resource must be an object")
	}
	uri, err := resource.String("uri")
	if err != nil {
		return "", nil, err
	}
	if content, ok := resource.Get("text"); ok && frames.IsString(content) {
		return "Content of " + uri + ":\n" + frames.Unquote(content), nil, nil
	}
	if mime, _ := resource.OptString("mimeType"); strings.HasPrefix(mime, "image/") {
		picture, err = decodePicture(resource, "blob")
		return "", picture, err
	}
	if _, err := resource.String("blob"); err != nil {
		return "", nil, errors.New("resource must have a text or a blob")
	}
	return "[embedded resource: " + uri + "]", nil, nil
}

// decodeLink is the name and the place of what the person points at.
func decodeLink(o Object) (string, error) {
	uri, err := o.String("uri")
	if err != nil {
		return "", err
	}
	name, err := o.String("name")
	if err != nil {
		return "", err
	}
	if title, _ := o.OptString("title"); title != "" {
		name = title
	}
	if name == "" || name == uri {
		return uri, nil
	}
	return "[" + name + "](" + uri + ")", nil
}
