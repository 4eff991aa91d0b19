// Package picture makes images fit for models: it tells what they are by their
// bytes, refuses what cannot be decoded, and shrinks what is too large, so that
// no image that a provider would reject gets into a conversation.
package picture

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	_ "image/gif" // decoded here, never written
	"image/jpeg"
	"image/png"
	"net/http"

	_ "golang.org/x/image/bmp" // decoded here, never written
	"golang.org/x/image/draw"
	_ "golang.org/x/image/tiff" // decoded here, never written
	_ "golang.org/x/image/webp" // decoded here, never written
)

// The limits of what Fit returns and takes (facts/agent 13).
const (
	MaxBytes   = 20 << 20   // of the original; more is refused
	maxPixels  = 50_000_000 // of the original; more is refused, as it decodes to 200 MB
	maxSide    = 1568       // pixels; more is shrunk
	targetSize = 500 << 10  // bytes; more is encoded anew, and shrunk until it fits
	minSide    = 200        // pixels; nothing is shrunk below this
	quality    = 80         // of JPEG
)

// ErrUnreadable means that the bytes are no image that can be decoded.
var ErrUnreadable = errors.New("the image cannot be decoded")

// Picture is an image that models accept: PNG, JPEG, GIF or WebP.
type Picture struct {
	Data          []byte
	MimeType      string
	Width, Height int // pixels, of Data
}

// Sniff tells the media type of an image by its first bytes, and "" when they
// are not those of an image that Fit could decode.
func Sniff(head []byte) string {
	if bytes.HasPrefix(head, []byte("II*\x00")) || bytes.HasPrefix(head, []byte("MM\x00*")) {
		return "image/tiff"
	}
	switch mime := http.DetectContentType(head); mime {
	case "image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp":
		return mime
	}
	return ""
}

// Fit returns the image as it may go to a model: as it is when it is within the
// limits and of an accepted kind, shrunk or encoded anew otherwise. An error is
// ErrUnreadable, or names the limit. It uses up to four bytes a pixel.
func Fit(data []byte) (Picture, error) { return check(data, true) }

// AsIs is Fit for an image that is not to be made smaller: it stays as it is when
// it is of an accepted kind, and else is encoded anew at its size.
func AsIs(data []byte) (Picture, error) { return check(data, false) }

// A Fitter is Fit or AsIs; nil is Fit.
type Fitter func(data []byte) (Picture, error)

// Fit makes the image fit.
func (f Fitter) Fit(data []byte) (Picture, error) {
	if f == nil {
		return Fit(data)
	}
	return f(data)
}

func check(data []byte, resize bool) (Picture, error) {
	if len(data) > MaxBytes {
		return Picture{}, fmt.Errorf("the image has %d bytes, more than the limit of %d", len(data), MaxBytes)
	}
	mime := Sniff(data)
	size, _, err := image.DecodeConfig(bytes.NewReader(data))
	if mime == "" || err != nil {
		return Picture{}, ErrUnreadable
	}
	if size.Width <= 0 || size.Height <= 0 || size.Width > maxPixels/size.Height {
		return Picture{}, fmt.Errorf("the image has %d×%d pixels, more than the limit of %d", size.Width, size.Height, maxPixels)
	}
	decoded, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return Picture{}, fmt.Errorf("%w: %v", ErrUnreadable, err)
	}
	accepted := mime != "image/bmp" && mime != "image/tiff"
	small := max(size.Width, size.Height) <= maxSide && len(data) <= targetSize
	switch {
	case accepted && (small || !resize):
		return Picture{Data: data, MimeType: mime, Width: size.Width, Height: size.Height}, nil
	case !resize:
		return encode(decoded)
	}
	return shrink(decoded)
}

// shrink scales to at most maxSide, and then down by quarters until the smaller
// of the encodings fits.
func shrink(full image.Image) (Picture, error) {
	bounds := full.Bounds()
	for side := min(maxSide, max(bounds.Dx(), bounds.Dy())); ; side = side * 3 / 4 {
		scaled := scale(full, side)
		p, err := encode(scaled)
		if err != nil || len(p.Data) <= targetSize || side*3/4 < minSide {
			return p, err
		}
	}
}

func scale(full image.Image, side int) image.Image {
	bounds := full.Bounds()
	longest := max(bounds.Dx(), bounds.Dy())
	if longest <= side {
		return full
	}
	fit := func(n int) int { return max(1, n*side/longest) }
	small := image.NewNRGBA(image.Rect(0, 0, fit(bounds.Dx()), fit(bounds.Dy())))
	draw.CatmullRom.Scale(small, small.Bounds(), full, bounds, draw.Src, nil)
	return small
}

// encode returns the smaller of PNG and JPEG.
func encode(picture image.Image) (Picture, error) {
	bounds := picture.Bounds()
	var lossless, lossy bytes.Buffer
	if err := png.Encode(&lossless, picture); err != nil {
		return Picture{}, fmt.Errorf("encoding the image: %w", err)
	}
	if err := jpeg.Encode(&lossy, opaque(picture), &jpeg.Options{Quality: quality}); err != nil {
		return Picture{}, fmt.Errorf("encoding the image: %w", err)
	}
	p := Picture{Data: lossless.Bytes(), MimeType: "image/png", Width: bounds.Dx(), Height: bounds.Dy()}
	if lossy.Len() < lossless.Len() {
		p.Data, p.MimeType = lossy.Bytes(), "image/jpeg"
	}
	return p, nil
}

// opaque lays a picture with transparent parts on white, as JPEG has none.
func opaque(picture image.Image) image.Image {
	if solid, ok := picture.(interface{ Opaque() bool }); ok && solid.Opaque() {
		return picture
	}
	flat := image.NewRGBA(picture.Bounds())
	draw.Draw(flat, flat.Bounds(), image.NewUniform(color.White), image.Point{}, draw.Src)
	draw.Draw(flat, flat.Bounds(), picture, picture.Bounds().Min, draw.Over)
	return flat
}
