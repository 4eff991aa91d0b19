package picture

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"testing"

	"golang.org/x/image/bmp"
)

func TestSmallPicturesStayAsTheyAre(t *testing.T) {
	for mime, data := range map[string][]byte{
		"image/png":  encoded(t, noise(40, 30), func(b *bytes.Buffer, m image.Image) error { return png.Encode(b, m) }),
		"image/jpeg": encoded(t, noise(40, 30), func(b *bytes.Buffer, m image.Image) error { return jpeg.Encode(b, m, nil) }),
		"image/gif":  encoded(t, noise(40, 30), func(b *bytes.Buffer, m image.Image) error { return gif.Encode(b, m, nil) }),
	} {
		p, err := Fit(data)
		if err != nil || p.MimeType != mime || !bytes.Equal(p.Data, data) || p.Width != 40 || p.Height != 30 {
			t.Errorf("%s: %s %d×%d, %v", mime, p.MimeType, p.Width, p.Height, err)
		}
	}
}

func TestLargePicturesAreShrunk(t *testing.T) {
	data := encoded(t, noise(1800, 300), func(b *bytes.Buffer, m image.Image) error { return png.Encode(b, m) })
	p, err := Fit(data)
	if err != nil {
		t.Fatal(err)
	}
	if max(p.Width, p.Height) > maxSide || len(p.Data) > targetSize {
		t.Errorf("%d×%d in %d bytes", p.Width, p.Height, len(p.Data))
	}
	config, format, err := image.DecodeConfig(bytes.NewReader(p.Data))
	if err != nil || "image/"+format != p.MimeType || config.Width != p.Width || config.Height != p.Height {
		t.Errorf("it decodes as %s %d×%d, %v", format, config.Width, config.Height, err)
	}
}

// images.autoResize was accepted and not followed.
func TestAsIsKeepsTheSize(t *testing.T) {
	data := encoded(t, noise(1800, 300), func(b *bytes.Buffer, m image.Image) error { return png.Encode(b, m) })
	p, err := Fitter(AsIs).Fit(data)
	if err != nil || !bytes.Equal(p.Data, data) || p.Width != 1800 {
		t.Errorf("%d×%d, %v", p.Width, p.Height, err)
	}
	other := encoded(t, noise(1800, 300), func(b *bytes.Buffer, m image.Image) error { return bmp.Encode(b, m) })
	if p, err = AsIs(other); err != nil || p.Width != 1800 || p.MimeType != "image/png" && p.MimeType != "image/jpeg" {
		t.Errorf("%s %d×%d, %v", p.MimeType, p.Width, p.Height, err)
	}
	if _, err := AsIs(data[:len(data)/2]); !errors.Is(err, ErrUnreadable) {
		t.Errorf("half of it: %v", err)
	}
}

func TestOtherKindsBecomePNGOrJPEG(t *testing.T) {
	p, err := Fit(encoded(t, image.NewNRGBA(image.Rect(0, 0, 60, 50)), func(b *bytes.Buffer, m image.Image) error { return bmp.Encode(b, m) }))
	if err != nil || p.MimeType != "image/png" && p.MimeType != "image/jpeg" || p.Width != 60 {
		t.Errorf("%s, %v", p.MimeType, err)
	}
}

func TestBrokenPicturesAreRefused(t *testing.T) {
	whole := encoded(t, noise(50, 50), func(b *bytes.Buffer, m image.Image) error { return png.Encode(b, m) })
	for name, data := range map[string][]byte{
		"nothing": nil, "text": []byte("hello"), "a header only": whole[:20], "half": whole[:len(whole)/2], "renamed": []byte("GIF89a\x01\x00\x01\x00 and text"),
	} {
		if _, err := Fit(data); !errors.Is(err, ErrUnreadable) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPixelBombsAreNotDecoded(t *testing.T) {
	bomb := encoded(t, image.NewGray(image.Rect(0, 0, 1, 1)), func(b *bytes.Buffer, m image.Image) error { return bmp.Encode(b, m) })
	copy(bomb[18:], []byte{0, 0, 1, 0, 0, 0, 1, 0}) // 65536×65536
	if _, err := Fit(bomb); err == nil || errors.Is(err, ErrUnreadable) {
		t.Errorf("error is %v", err)
	}
}

func FuzzFit(f *testing.F) {
	f.Add([]byte("GIF89a"))
	f.Add([]byte("\x89PNG\r\n\x1a\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if p, err := Fit(data); err == nil && (len(p.Data) == 0 || p.Width == 0 || p.MimeType == "") {
			t.Errorf("an empty picture: %v", p)
		}
	})
}

func noise(width, height int) image.Image {
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	random := rand.New(rand.NewPCG(1, 2))
	for i := range m.Pix {
		m.Pix[i] = byte(random.Uint32())
	}
	m.Set(0, 0, color.White)
	return m
}

func encoded(t *testing.T, m image.Image, encode func(*bytes.Buffer, image.Image) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
