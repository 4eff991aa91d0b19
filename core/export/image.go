package export

import (
	"encoding/base64"
	"html/template"
	"slices"
	"strings"

	"veyyon.dev/veyyon/core/message"
)

// imageTypes are those that browsers draw and that hold no script; SVG does.
var imageTypes = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// picture is an image in the page; Source is empty for what is none we know.
type picture struct {
	Source template.URL
	Name   string // what to read in its place
}

func pictureOf(b *message.Image) picture {
	source, ok := dataURL(b.MimeType, b.Data)
	if !ok {
		return picture{Name: "An image that cannot be shown: " + firstWords(b.MimeType, 40)}
	}
	return picture{Source: source, Name: "Image"}
}

// dataURL is the image as a URL of itself; it is not ok for any other type and
// for data that is not base64, such as a reference to a file that is gone.
func dataURL(mimeType, data string) (template.URL, bool) {
	if !slices.Contains(imageTypes, mimeType) || data == "" {
		return "", false
	}
	if _, err := base64.StdEncoding.Strict().DecodeString(data); err != nil || strings.ContainsAny(data, "\r\n") {
		return "", false
	}
	return template.URL("data:" + mimeType + ";base64," + data), true
}
