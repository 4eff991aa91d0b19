package transcript

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"os"
	"strings"
	"testing"

	"veyyon.dev/veyyon/core/message"
)

func TestLinesAreAsManyAsFitButOneAtLeast(t *testing.T) {
	for _, kind := range []string{"file", "memory"} {
		l := newLog(t)
		if kind == "memory" {
			var err error
			l, err = New(Options{})
			do(t, err)
		}
		var want []string
		for n := range 20 {
			do(t, l.AppendMessage(user(strings.Repeat("x", 1000)+fmt.Sprint(n))))
			line, err := l.Snapshot().Line(l.Leaf())
			do(t, err)
			want = append(want, string(line))
		}
		for _, c := range []struct{ maxBytes, lines int }{{1, 1}, {2500, 2}, {10_000, 8}, {1 << 20, 20}} {
			lines, err := l.Snapshot().Lines(l.Entries(), c.maxBytes)
			do(t, err)
			var got []string
			for _, line := range lines {
				got = append(got, string(line))
			}
			same(t, want[:c.lines], got)
		}
	}
}

func TestBodiesLeaveImagesInTheirFiles(t *testing.T) {
	l := newLog(t)
	big := base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7}, 5000))
	do(t, l.AppendMessage(message.NewUser("look", []*message.Image{message.NewImage(big, "image/png")})))
	again := reload(t, l)
	do(t, os.RemoveAll(string(l.blobs)))
	bodies, err := again.Snapshot().Bodies(again.Entries())
	do(t, err)
	m := bodies[0].(*Message).Message.(*message.User)
	if m.Content.Text() != "look" || !strings.HasPrefix(m.Content[1].(*message.Image).Data, blobRef) {
		t.Fatalf("%v", m.Content)
	}
}
