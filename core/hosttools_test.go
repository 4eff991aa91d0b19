package core

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/host"
	"veyyon.dev/veyyon/core/tool"
)

// says is a host whose tools give one text.
type says string

func (s says) Call(context.Context, host.ToolCall, func(event.ToolOutput)) (event.ToolOutput, error) {
	return tool.TextOutput(string(s)), nil
}

func TestALongResultOfTheHostIsShortened(t *testing.T) {
	for size, short := range map[int]bool{100: false, 5 << 20: true} {
		text := strings.Repeat("x", size)
		used := hostTool{HostTool{Name: "t", Parameters: json.RawMessage("{}")}, says(text)}
		output, err := used.Run(t.Context(), tool.Call{})
		if err != nil {
			t.Fatal(err)
		}
		got := output.Content.Text()
		if (len(got) < size) != short || len(got) > 100<<10 {
			t.Errorf("%d bytes became %d", size, len(got))
		}
	}
}
