package transcript

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"veyyon.dev/veyyon/core/file"
	"veyyon.dev/veyyon/core/message"
)

// minBlob is the length of base64 data, in bytes, from which on an image is
// kept in a file of its own.
const minBlob = 1024

const blobRef = "blob:sha256:" // then 64 hexadecimal digits

// blobs is the folder of images, each named by the SHA-256 of its bytes. With
// "" images stay in the lines.
type blobs string

// out returns content with large images replaced by references. Signed blocks
// never change. An image that cannot be stored stays where it is.
func (b blobs) out(content message.Blocks) message.Blocks {
	return mapImages(content, func(data string) string {
		if b == "" || len(data) < minBlob {
			return data
		}
		raw, err := base64.StdEncoding.Strict().DecodeString(data)
		if err != nil || base64.StdEncoding.EncodedLen(len(raw)) != len(data) {
			return data // it would not come back as the same text
		}
		sum := sha256.Sum256(raw)
		name := hex.EncodeToString(sum[:])
		if err := b.store(name, raw); err != nil {
			slog.Warn("storing an image beside the session", "err", err)
			return data
		}
		return blobRef + name
	})
}

// in is the reverse of out. A reference whose file is missing stays.
func (b blobs) in(content message.Blocks) message.Blocks {
	return mapImages(content, func(data string) string {
		name, ok := strings.CutPrefix(data, blobRef)
		if b == "" || !ok || !isBlobName(name) {
			return data
		}
		raw, err := os.ReadFile(filepath.Join(string(b), name))
		if err != nil {
			slog.Warn("reading an image of the session", "err", err)
			return data
		}
		return base64.StdEncoding.EncodeToString(raw)
	})
}

func isBlobName(name string) bool {
	raw, err := hex.DecodeString(name)
	return err == nil && len(raw) == sha256.Size
}

// store writes the file unless it is there; a reader sees all of it or nothing.
func (b blobs) store(name string, raw []byte) error {
	path := filepath.Join(string(b), name)
	if info, err := os.Stat(path); err == nil && info.Size() == int64(len(raw)) {
		return nil
	}
	if err := os.MkdirAll(string(b), 0o700); err != nil {
		return err
	}
	return file.Put(path, raw, 0o600)
}

// mapImages returns content with the data of its images replaced; content
// itself when nothing differs, a copy otherwise.
func mapImages(content message.Blocks, change func(data string) string) message.Blocks {
	out := content
	for i, block := range content {
		image, ok := block.(*message.Image)
		if !ok {
			continue
		}
		data := change(image.Data)
		if data == image.Data {
			continue
		}
		if &out[0] == &content[0] {
			out = append(message.Blocks(nil), content...)
		}
		changed := *image
		changed.Data = data
		out[i] = &changed
	}
	return out
}

// mapContent returns the body with the content of its message replaced; the
// body itself is not changed.
func mapContent(body Body, change func(message.Blocks) message.Blocks) Body {
	switch b := body.(type) {
	case *CustomMessage:
		c := *b
		c.Content = change(b.Content)
		return &c
	case *Message:
		switch m := b.Message.(type) {
		case *message.User:
			c := *m
			c.Content = change(m.Content)
			return &Message{&c}
		case *message.Developer:
			c := *m
			c.Content = change(m.Content)
			return &Message{&c}
		case *message.ToolResult:
			c := *m
			c.Content = change(m.Content)
			return &Message{&c}
		case *message.Custom:
			c := *m
			c.Content = change(m.Content)
			return &Message{&c}
		}
	}
	return body
}
