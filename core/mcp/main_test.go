package mcp

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A test binary that is started with this variable is a server on stdio.
const actAs = "VEYYON_TEST_MCP_SERVER"

func TestMain(m *testing.M) {
	if role := os.Getenv(actAs); role != "" {
		act(role)
		return
	}
	os.Exit(m.Run())
}

// act serves until stdin ends.
func act(role string) {
	if strings.Contains(role, "noise") {
		fmt.Println("loading…\n{not json\n[1,2]")
		_, _ = os.Stderr.WriteString(strings.Repeat("a line of a log\n", 100_000))
	}
	if strings.Contains(role, "grandchild") {
		child := exec.Command("sleep", "300")
		if err := child.Start(); err != nil {
			panic(err)
		}
		if err := os.WriteFile(os.Getenv("PIDFILE"), fmt.Append(nil, child.Process.Pid), 0o600); err != nil {
			panic(err)
		}
	}
	if strings.Contains(role, "silent") {
		time.Sleep(time.Hour)
	}
	if err := testServer().Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		os.Exit(1)
	}
}

type birdArgs struct {
	Bird string `json:"bird"`
}

// testServer has tools that behave well and badly.
func testServer() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "birds", Version: "1"}, nil)
	tell := func(text string) *mcp.CallToolResult {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
	}
	mcp.AddTool(s, &mcp.Tool{Name: "find"}, func(ctx context.Context, r *mcp.CallToolRequest, args birdArgs) (*mcp.CallToolResult, any, error) {
		if token := r.Params.GetProgressToken(); token != nil {
			_ = r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: 1, Total: 2, Message: "looking"})
		}
		return tell(fmt.Sprintf("the %s is near %s; key %q", args.Bird, os.Getenv("MARSH"), os.Getenv("OPENAI_API_KEY"))), nil, nil
	})
	mcp.AddTool(s, &mcp.Tool{Name: "fail"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		out := tell("no such bird")
		out.IsError = true
		return out, nil, nil
	})
	mcp.AddTool(s, &mcp.Tool{Name: "crash"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		os.Exit(3)
		return nil, nil, nil
	})
	mcp.AddTool(s, &mcp.Tool{Name: "hang"}, func(ctx context.Context, _ *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
		<-ctx.Done()
		if path := os.Getenv("CANCELLED"); path != "" {
			_ = os.WriteFile(path, nil, 0o600)
		}
		return nil, nil, ctx.Err()
	})
	mcp.AddTool(s, &mcp.Tool{Name: "picture"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.ImageContent{Data: []byte("abc"), MIMEType: "image/png"}}}, nil, nil
	})
	mcp.AddTool(s, &mcp.Tool{Name: "more"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		mcp.AddTool(s, &mcp.Tool{Name: "newcomer"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
			return tell("here"), nil, nil
		})
		return tell("there are more now"), nil, nil
	})
	s.AddPrompt(&mcp.Prompt{Name: "describe", Arguments: []*mcp.PromptArgument{{Name: "bird", Required: true}, {Name: "how"}}}, func(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		text := fmt.Sprintf("Describe the %s %s.", r.Params.Arguments["bird"], r.Params.Arguments["how"])
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: text}}}}, nil
	})
	s.AddResource(&mcp.Resource{URI: "file:///list.txt", Name: "list"}, func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, Text: "plover\n"}}}, nil
	})
	return s
}
