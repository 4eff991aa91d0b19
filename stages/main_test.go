package stages

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"veyyon.dev/veyyon/frames"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// words is a protocol for tests: a line is a command's name, a frame's text is
// its line. A line "?" is malformed, a frame "!" cannot be encoded.
type words struct{}

func (words) Decode(line frames.Line) frames.Inbound {
	switch text := strings.TrimSpace(string(line)); text {
	case "":
		return nil
	case "?":
		return frames.Malformed{Answer: frames.Response{Data: "malformed"}, Len: len(line)}
	default:
		return frames.Command{Name: text, Len: len(line)}
	}
}

func (words) TooLong(limit int) frames.Malformed {
	return frames.Malformed{Answer: frames.Response{Data: fmt.Sprintf("over %d", limit)}}
}

func (words) Encode(f frames.Outbound) (frames.Line, error) {
	text := textOf(f)
	if text == "!" {
		return nil, errors.New("it is an exclamation mark")
	}
	return frames.Line(text), nil
}

func (words) Unencodable(f frames.Outbound, err error) frames.Outbound {
	if _, ok := f.(frames.Response); ok {
		return frames.Response{Data: "unencodable: " + err.Error()}
	}
	return nil
}

func textOf(f frames.Outbound) string {
	switch f := f.(type) {
	case frames.Response:
		return f.Data.(string)
	case frames.Note:
		return fmt.Sprint(f.Body)
	case frames.Ask:
		return f.Name
	}
	panic("no such frame")
}

// say is a note that is neither joined nor superseded.
func say(text string) frames.Outbound { return frames.Note{Body: text} }

// delta is a note that joins those of the same block.
type delta struct{ block, text string }

func (d delta) Join(next any) (frames.Joiner, bool) {
	other, ok := next.(delta)
	if !ok || other.block != d.block {
		return nil, false
	}
	return delta{d.block, d.text + other.text}, true
}
func (d delta) Weight() int    { return len(d.block) + 1 + len(d.text) }
func (d delta) String() string { return d.block + ":" + d.text }

// progress is a note that makes earlier ones of its call worthless.
type progress struct{ call, text string }

func (p progress) Supersedes() string { return p.call }
func (p progress) String() string     { return p.call + "=" + p.text }

func note(body any) frames.Outbound { return frames.Note{Name: "note", Body: body} }
