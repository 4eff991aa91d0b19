package rpc

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/png"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"veyyon.dev/veyyon/core/file/picture"
	"veyyon.dev/veyyon/core/message"
	wire "veyyon.dev/veyyon/frames/rpc"
)

func pngOf(t *testing.T, width, height int) string {
	t.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, image.NewNRGBA(image.Rect(0, 0, width, height))); err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(out.Bytes())
}

// An image that no provider takes was stored, and then every request of the
// session was refused.
func TestPromptImagesNoModelTakesAreRefused(t *testing.T) {
	good := pngOf(t, 4, 4)
	for name, c := range map[string]struct{ data, want string }{
		"text":      {base64.StdEncoding.EncodeToString([]byte("hello there")), "images[1]: the image cannot be decoded"},
		"SVG":       {base64.StdEncoding.EncodeToString([]byte("<svg/>")), "images[1]: the image cannot be decoded"},
		"cut":       {good[:60], "images[1]: the image cannot be decoded"},
		"too large": {strings.Repeat("A", picture.MaxBytes/3*4+8), "images[1]: the image is larger than the limit of 20971520 bytes"},
	} {
		_, err := (&commands{}).fitted(wire.Prompt{Images: []*message.Image{message.NewImage(good, "image/png"), message.NewImage(c.data, "image/png")}})
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestImagesHaveTheTypeOfTheirBytesAndFitModels(t *testing.T) {
	small, large := pngOf(t, 4, 4), pngOf(t, 3000, 30)
	given := []*message.Image{message.NewImage(small, "image/jpeg"), message.NewImage(small, ""), message.NewImage(large, "text/html")}
	given[0].Detail = "low"
	asked, err := (&commands{}).fitted(wire.Prompt{Message: "look", Images: given})
	if err != nil {
		t.Fatal(err)
	}
	want := message.Image{Type: "image", Data: small, MimeType: "image/png", Detail: "low"}
	if diff := cmp.Diff(want, *asked.Images[0]); diff != "" {
		t.Errorf("wrong type (-want +got):\n%s", diff)
	}
	if got := asked.Images[1].MimeType; got != "image/png" {
		t.Errorf("no type became %q", got)
	}
	raw, err := base64.StdEncoding.DecodeString(asked.Images[2].Data)
	if err != nil {
		t.Fatal(err)
	}
	size, _, err := image.DecodeConfig(bytes.NewReader(raw))
	if err != nil || size.Width > 1568 {
		t.Errorf("the large image is %d pixels wide, %v", size.Width, err)
	}
	if given[0].MimeType != "image/jpeg" {
		t.Error("what was given has changed")
	}
}

func TestAHostToolsBadImageBecomesText(t *testing.T) {
	small := pngOf(t, 4, 4)
	content := message.Blocks{message.NewText("a"), message.NewImage("aGk=", "image/png"), message.NewImage(small, "image/gif")}
	want := message.Blocks{message.NewText("a"), message.NewText("[image omitted: the image cannot be decoded]"), message.NewImage(small, "image/png")}
	if diff := cmp.Diff(want, picture.FitBlocks(nil, content)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
