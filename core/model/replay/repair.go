package replay

import (
	"errors"
	"strings"

	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/model"
)

// Repair tells whether a refused request is worth sending once more under
// stricter rules, and tightens them: without thinking when its signature was
// refused, without images when those were. Nothing has streamed in by then. A
// session whose history a provider refuses would otherwise be refused for ever.
func (r *Rules) Repair(req *model.Request, err error) bool {
	var refusal *model.Error
	if !errors.As(err, &refusal) || (refusal.Status != 400 && refusal.Status != 413) {
		return false
	}
	text := strings.ToLower(refusal.Message)
	switch {
	case !r.NoThinking && (strings.Contains(text, "signature") || strings.Contains(text, "encrypted content") ||
		strings.Contains(text, "thinking") && strings.Contains(text, "block")):
		r.NoThinking = true
		return true
	case !r.NoImages && hasImages(req) && (refusal.Status == 413 || strings.Contains(text, "image")):
		r.NoImages = true
		return true
	default:
		return false
	}
}

func hasImages(req *model.Request) bool {
	if !req.Model.TakesImages() {
		return false
	}
	for _, m := range req.Messages {
		for _, block := range contentOf(m) {
			if _, ok := block.(*message.Image); ok {
				return true
			}
		}
	}
	return false
}
