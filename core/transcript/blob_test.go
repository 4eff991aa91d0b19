package transcript

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"veyyon.dev/veyyon/core/message"
)

func TestLargeImagesAreKeptInFilesOfTheirOwn(t *testing.T) {
	l := newLog(t)
	big := base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7}, 5000))
	odd := strings.Repeat("A", 2000) + "\n" + strings.Repeat("A", 2000) // would not come back the same
	small := base64.StdEncoding.EncodeToString([]byte("small"))
	want := []message.Message{
		message.NewUser("look", []*message.Image{message.NewImage(big, "image/png"), message.NewImage(small, "image/png"), message.NewImage(odd, "image/png")}),
		&message.ToolResult{Role: message.RoleToolResult, ToolCallID: "1", Content: message.Blocks{message.NewImage(big, "image/png")}},
		&message.Assistant{Role: message.RoleAssistant, Content: message.Blocks{&message.Thinking{Type: "thinking", Signature: big}}},
	}
	for _, m := range want {
		do(t, l.AppendMessage(m))
	}
	same(t, big, want[0].(*message.User).Content[1].(*message.Image).Data) // the sender's message is as it was

	data := read(t, l.Path())
	same(t, []int{1, 2}, []int{bytes.Count(data, []byte(big)), bytes.Count(data, []byte(blobRef))})
	files, err := os.ReadDir(string(l.blobs))
	do(t, err)
	same(t, 1, len(files))
	info, err := files[0].Info()
	do(t, err)
	same(t, []any{os.FileMode(0o600), int64(5000)}, []any{info.Mode().Perm(), info.Size()})

	again := reload(t, l)
	same(t, want, again.Messages())
	do(t, again.Close())
	do(t, os.Remove(filepath.Join(string(l.blobs), files[0].Name())))
	lost, err := Open(l.Path(), Options{Blobs: string(l.blobs)})
	do(t, err)
	defer func() { _ = lost.Close() }()
	same(t, blobRef+files[0].Name(), lost.Messages()[0].(*message.User).Content[1].(*message.Image).Data)
}

func TestReferencesReadNothingButBlobs(t *testing.T) {
	l := newLog(t)
	do(t, os.MkdirAll(string(l.blobs), 0o700))
	secret := filepath.Join(filepath.Dir(string(l.blobs)), "secret")
	do(t, os.WriteFile(secret, []byte("secret"), 0o600))
	ref := blobRef + "../secret"
	do(t, l.AppendMessage(message.NewUser("", []*message.Image{message.NewImage(ref, "image/png")})))
	same(t, ref, reload(t, l).Messages()[0].(*message.User).Content[1].(*message.Image).Data)
}

func TestImageThatCannotBeStoredStaysInTheLine(t *testing.T) {
	l := newLog(t)
	do(t, os.WriteFile(string(l.blobs), nil, 0o600)) // a file where the folder should be
	big := base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7}, 5000))
	do(t, l.AppendMessage(message.NewUser("", []*message.Image{message.NewImage(big, "image/png")})))
	raw, err := json.Marshal(big)
	do(t, err)
	if !bytes.Contains(read(t, l.Path()), raw) {
		t.Fatal("the image is lost")
	}
}
