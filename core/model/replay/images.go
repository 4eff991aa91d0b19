package replay

import (
	"strings"

	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/model"
)

// What stands in the place of an image that is not sent (facts/agent 13).
const (
	noImagesSent = "Image reading is disabled."
	noImageInput = "[image omitted: the active model does not support image input]"
	imageLimit   = "[image omitted: provider image limit]"
)

// maxImageBytes bounds the base64 data of all images of a request, below the
// smallest request that a provider takes (20 MiB). The oldest give way.
const maxImageBytes = 18 << 20

// images decides which images of a request are sent. It is asked once for each,
// in the order of the conversation.
type images struct {
	older int    // how many of those to come are too old
	why   string // when no image may be sent at all
}

func newImages(req *model.Request, rules Rules) *images {
	switch {
	case req.Tuned().NoImages:
		return &images{why: noImagesSent}
	case !req.Model.TakesImages():
		return &images{why: noImageInput}
	case rules.NoImages:
		return &images{why: imageLimit}
	}
	var sizes []int
	for _, m := range req.Messages {
		for _, block := range contentOf(m) {
			if image, ok := block.(*message.Image); ok {
				sizes = append(sizes, len(image.Data))
			}
		}
	}
	sent, total := 0, 0
	for i := len(sizes) - 1; i >= 0; i-- {
		if total += sizes[i]; sent == imageBudget(req.Model) || total > maxImageBytes {
			break
		}
		sent++
	}
	return &images{older: len(sizes) - sent}
}

// admit returns the image, or the text that stands for it.
func (i *images) admit(image *message.Image) message.Block {
	if i.why != "" {
		return message.NewText(i.why)
	}
	if i.older > 0 {
		i.older--
		return message.NewText(imageLimit)
	}
	return image
}

// appendImage appends an image or what stands for it, once where several would
// stand together.
func appendImage(out message.Blocks, images *images, image *message.Image) message.Blocks {
	block := images.admit(image)
	if text, ok := block.(*message.Text); ok && len(out) > 0 {
		if last, ok := out[len(out)-1].(*message.Text); ok && last.Text == text.Text {
			return out
		}
	}
	return append(out, block)
}

// imageBudget is how many images a request to the provider may hold.
func imageBudget(m *model.Model) int {
	switch {
	case m.Provider == "anthropic", m.Provider == "openrouter", m.API == model.APIAnthropic:
		return 90
	case m.Provider == "openai", m.API == model.APIResponses, strings.HasPrefix(m.Provider, "google"), m.API == model.APIGoogle:
		return 200
	default:
		return 5
	}
}

func contentOf(m message.Message) message.Blocks {
	switch m := m.(type) {
	case *message.User:
		return m.Content
	case *message.Developer:
		return m.Content
	case *message.ToolResult:
		return m.Content
	default:
		return nil
	}
}
