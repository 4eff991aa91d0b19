package picture

import (
	"encoding/base64"
	"fmt"

	"veyyon.dev/veyyon/core/message"
)

// FitBlock returns an image of the host's as it may go to a model: with the media
// type that its bytes have, and shrunk by the fitter when it is too large. The
// error says why no model can take it.
func FitBlock(fitter Fitter, given *message.Image) (*message.Image, error) {
	if size := base64.StdEncoding.DecodedLen(len(given.Data)); size > MaxBytes+2 { // the padding counts
		return nil, fmt.Errorf("the image is larger than the limit of %d bytes", MaxBytes)
	}
	raw, err := base64.StdEncoding.DecodeString(given.Data)
	if err != nil {
		return nil, fmt.Errorf("the image cannot be decoded: %w", err)
	}
	fit, err := fitter.Fit(raw)
	if err != nil {
		return nil, err
	}
	image := *given
	image.MimeType = fit.MimeType
	if len(fit.Data) != len(raw) || &fit.Data[0] != &raw[0] {
		image.Data = base64.StdEncoding.EncodeToString(fit.Data)
	}
	return &image, nil
}

// FitBlocks does so for the images of a host tool; a text takes the place of one
// that no model can take.
func FitBlocks(fitter Fitter, content message.Blocks) message.Blocks {
	fit := make(message.Blocks, len(content))
	for i, block := range content {
		fit[i] = block
		image, ok := block.(*message.Image)
		if !ok {
			continue
		}
		if small, err := FitBlock(fitter, image); err != nil {
			fit[i] = message.NewText(fmt.Sprintf("[image omitted: %v]", err))
		} else {
			fit[i] = small
		}
	}
	return fit
}
