package rpc

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"

	"veyyon.dev/veyyon/core/message"
)

// Prompt is the arguments of prompt, steer, follow_up and abort_and_prompt.
type Prompt struct {
	Message string
	Images  []*message.Image
	// Behavior is "steer", "followUp" or "". As in the original, anything that
	// JavaScript takes for true and that is not "followUp" means "steer".
	Behavior string
}

// DecodePrompt reads a Prompt.
func DecodePrompt(o Object) (p Prompt, err error) {
	if p.Message, err = o.String("message"); err != nil {
		return p, err
	}
	switch {
	case o.Shown("streamingBehavior") == "followUp":
		p.Behavior = "followUp"
	case o.Truthy("streamingBehavior"):
		p.Behavior = "steer"
	}
	if o.Set("images") {
		p.Images, err = decodeImages(o)
	}
	return p, err
}

// NewSession is the arguments of new_session.
type NewSession struct {
	Parent     string
	Background bool
}

var errBackgroundParent = errors.New("new_session cannot combine background with parentSession")

// DecodeNewSession reads a NewSession. Whatever value parentSession has, it
// does not go with background (facts/rpc 5.6).
func DecodeNewSession(o Object) (n NewSession, err error) {
	n.Background = o.Truthy("background")
	if _, named := o.Get("parentSession"); named && n.Background {
		return n, errBackgroundParent
	}
	n.Parent, err = o.OptString("parentSession")
	return n, err
}

func decodeImages(o Object) ([]*message.Image, error) {
	items, err := o.Objects("images")
	if err != nil {
		return nil, err
	}
	images := make([]*message.Image, len(items))
	for i, item := range items {
		if images[i], err = decodeImage(item); err != nil {
			return nil, fmt.Errorf("images[%d].%w", i, err)
		}
	}
	return images, nil
}

// decodeImage reads one image. Hosts are known to send whole data URLs.
func decodeImage(o Object) (*message.Image, error) {
	if o.Shown("type") != "image" {
		return nil, errors.New(`type must be "image"`)
	}
	data, err := o.String("data")
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(data, "data:") {
		_, data, _ = strings.Cut(data, ",")
	}
	if !isBase64(data) {
		return nil, errors.New("data must be base64")
	}
	mimeType, err := o.String("mimeType")
	if err != nil {
		return nil, err
	}
	detail, err := o.OptString("detail")
	if err != nil {
		return nil, err
	}
	image := message.NewImage(data, mimeType)
	image.Detail = detail
	return image, nil
}

// isBase64 tells whether providers will take the text for the bytes of an image.
func isBase64(text string) bool {
	if text == "" || strings.ContainsAny(text, "\r\n") { // the decoder skips line breaks
		return false
	}
	_, err := io.Copy(io.Discard, base64.NewDecoder(base64.StdEncoding, strings.NewReader(text)))
	return err == nil
}
