package export_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/net/html"
	"pgregory.net/rapid"

	"veyyon.dev/veyyon/core/export"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/transcript"
)

// hostile are texts that have made pages run something, whole and as pieces.
var hostile = []string{
	`<script>alert(1)</script>`, `</script><script>alert(1)</script>`, `</style><script>alert(1)</script>`, `</title><script>alert(1)</script>`,
	`"><img src=x onerror=alert(1)>`, `'><svg onload=alert(1)>`, `<iframe srcdoc="<script>alert(1)</script>">`, `<a href="javascript:alert(1)">x</a>`,
	`[x](javascript:alert(1))`, `[x](JaVaScRiPt:alert(1))`, "[x](java\tscript:alert(1))", `[x](data:text/html,<script>alert(1)</script>)`, `[x](vbscript:x)`,
	`[x](&#106;avascript:alert(1))`, `[x](<javascript:alert(1)>)`, `[x]: javascript:alert(1)` + "\n\n[x]", `<javascript:alert(1)>`, `![x](javascript:alert(1))`,
	`![x](data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9ImFsZXJ0KDEpIi8+)`, `![x" onerror="alert(1)](https://e.org/x.png "t\" onload=\"x")`, `[x](https://e.org/"onmouseover="alert(1))`,
	"```\"><script>\nx</code></pre><script>alert(1)</script>\n```", "```html\n<b onclick=x>\n```", "    <script>x</script>", `<!-- --><script>x</script>`, `<![CDATA[<script>x</script>]]>`,
	"| a | <b onclick=x> |\n|---|:-:|\n| `<script>` | [x](javascript:y) |", "{{.}}", "`${alert(1)}`", "\x00\x1b[31m\x7f", "\xff\xfe<", "\u202e\u2028<script>", "@@ -1 +1 @@\n+<script>\n-</span>",
	"<plaintext>", "<textarea>", "<base href=//e.org>", `<meta http-equiv="refresh" content="0;url=javascript:x">`, `<form action=//e.org><input>`, "&lt;script&gt;", "<math><mtext><style><img src=x onerror=x>",
}

func anyText() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.SampledFrom(hostile),
		rapid.Map(rapid.SliceOfN(rapid.SampledFrom(hostile), 1, 4), func(parts []string) string { return strings.Join(parts, "\n\n") }),
		rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]string{"<", ">", `"`, "'", "&", "`", "*", "[", "](", ")", "script", "javascript:", "\n", " ", "|", "-", "\\", "on", "=", "#", "\x00", "é", "~", "!"}), 0, 30), func(parts []string) string { return strings.Join(parts, "") }),
		rapid.String(),
	)
}

func anyJSON() *rapid.Generator[json.RawMessage] {
	return rapid.Custom(func(t *rapid.T) json.RawMessage {
		raw, err := message.Marshal(rapid.OneOf(
			rapid.Map(rapid.MapOfN(rapid.OneOf(anyText(), rapid.SampledFrom([]string{"path", "command", "content", "old_text", "new_text", "diff"})), anyText(), 0, 4), func(m map[string]string) any { return m }),
			rapid.Map(anyText(), func(s string) any { return s }),
		).Draw(t, "value"))
		if err != nil {
			t.Fatal(err)
		}
		return raw
	})
}

func anyBlock() *rapid.Generator[message.Block] {
	return rapid.Custom(func(t *rapid.T) message.Block {
		text := anyText()
		switch rapid.IntRange(0, 5).Draw(t, "kind") {
		case 0:
			return &message.Thinking{Type: "thinking", Thinking: text.Draw(t, "thinking")}
		case 1:
			return &message.ToolCall{Type: "toolCall", ID: rapid.SampledFrom([]string{"a", "b", "\"><"}).Draw(t, "id"), Name: text.Draw(t, "tool"), Arguments: anyJSON().Draw(t, "arguments")}
		case 2:
			kind := rapid.OneOf(text, rapid.SampledFrom([]string{"image/png", "image/svg+xml", "text/html", `image/png" onload="x`})).Draw(t, "type")
			data := rapid.OneOf(text, rapid.Just(base64.StdEncoding.EncodeToString([]byte("<script>")))).Draw(t, "data")
			return message.NewImage(data, kind)
		case 3:
			return &message.UnknownBlock{Raw: anyJSON().Draw(t, "raw")}
		default:
			return message.NewText(text.Draw(t, "text"))
		}
	})
}

func anyBody() *rapid.Generator[transcript.Body] {
	return rapid.Custom(func(t *rapid.T) transcript.Body {
		text, content := anyText(), message.Blocks(rapid.SliceOfN(anyBlock(), 0, 4).Draw(t, "content"))
		switch rapid.IntRange(0, 12).Draw(t, "body") {
		case 0:
			return &transcript.Message{Message: &message.User{Role: message.RoleUser, Content: content}}
		case 1, 2:
			return &transcript.Message{Message: &message.Assistant{
				Role: message.RoleAssistant, Content: content, Model: text.Draw(t, "model"), Provider: text.Draw(t, "provider"),
				StopReason: message.StopReason(text.Draw(t, "stop")), ErrorMessage: text.Draw(t, "error"),
			}}
		case 3, 4:
			return &transcript.Message{Message: &message.ToolResult{
				Role: message.RoleToolResult, ToolCallID: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "id"), ToolName: text.Draw(t, "tool"),
				Content: content, Details: anyJSON().Draw(t, "details"), IsError: rapid.Bool().Draw(t, "failed"),
			}}
		case 5:
			return &transcript.Message{Message: &message.BashExecution{Role: message.RoleBashExecution, Command: text.Draw(t, "command"), Output: text.Draw(t, "output")}}
		case 6:
			return &transcript.CustomMessage{CustomType: "x" + text.Draw(t, "type"), Content: content, Display: rapid.Bool().Draw(t, "display")}
		case 7:
			return &transcript.Compaction{Summary: text.Draw(t, "summary"), TokensBefore: 5}
		case 8:
			return &transcript.BranchSummary{Summary: text.Draw(t, "summary"), FromID: text.Draw(t, "from")}
		case 9:
			return &transcript.SessionInit{Task: text.Draw(t, "task"), SystemPrompt: text.Draw(t, "prompt")}
		case 10:
			return &transcript.SubagentSpawn{AgentID: text.Draw(t, "agent"), Status: text.Draw(t, "status"), SessionFile: text.Draw(t, "file"), Error: text.Draw(t, "error")}
		case 11:
			return &transcript.ModelChange{Model: text.Draw(t, "model")}
		default:
			return &transcript.Message{Message: &message.Developer{Role: message.RoleDeveloper, Content: content}}
		}
	})
}

func TestNothingInASessionCanMakeItsPageRun(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		log, err := transcript.New(transcript.Options{CWD: anyText().Draw(t, "folder"), Parent: anyText().Draw(t, "parent")})
		if err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(1, 12).Draw(t, "entries") {
			if entries := log.Entries(); len(entries) > 0 && rapid.IntRange(0, 3).Draw(t, "branch") == 0 {
				log.SetLeaf(rapid.SampledFrom(entries).Draw(t, "leaf"))
			}
			if err := log.Append(anyBody().Draw(t, "entry")); err != nil {
				t.Skip("it cannot be stored")
			}
		}
		if err := log.SetTitle(anyText().Draw(t, "title"), transcript.TitleUser); err != nil {
			t.Fatal(err)
		}
		if err := log.Append(&transcript.Label{TargetID: log.Entries()[0].ID, Label: anyText().Draw(t, "label")}); err != nil {
			t.Fatal(err)
		}
		var page bytes.Buffer
		if err := export.Page(t.Context(), &page, log.Snapshot()); err != nil {
			t.Fatal(err)
		}
		for _, fault := range inspect(page.Bytes()) {
			t.Error(fault)
		}
	})
}

// tags are the elements that pages are made of; attributes are all they have.
var (
	tags = strings.Fields(`html head meta title style body a p h1 h2 h3 h4 h5 h6 time dl div dt dd nav details summary ol ul li main article header footer
		span pre code em strong blockquote hr br img table tbody tr th td`)
	attributes = strings.Fields(`lang charset http-equiv content name class href datetime dir aria-label id role open src alt loading title rel start`)
	classes    = strings.Fields(`skip top kind figures facts who time tag label body plain prose note spent failure thinking folded divider fork compaction branch image setup
		code output more quiet call failed tool gist change plus minus inside arguments diff add del hunk ctx c s n k f ref table right center same
		user assistant toolResult bashExecution custom developer`)
)

// inspect reads a page as browsers do and returns what should not be in it.
func inspect(page []byte) (faults []string) {
	root, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		return []string{err.Error()}
	}
	for node := range root.Descendants() {
		if node.Type == html.CommentNode || node.Type == html.ElementNode && (!slices.Contains(tags, node.Data) || node.Namespace != "") {
			faults = append(faults, "there is "+node.Data)
		}
		for _, a := range node.Attr {
			if !slices.Contains(attributes, a.Key) || !isHarmless(node, a) {
				faults = append(faults, node.Data+" has "+a.Key+"="+a.Val)
			}
		}
	}
	return faults
}

func isHarmless(node *html.Node, a html.Attribute) bool {
	switch a.Key {
	case "class":
		return !slices.ContainsFunc(strings.Fields(a.Val), func(class string) bool { return !slices.Contains(classes, class) })
	case "href":
		u, err := url.Parse(a.Val)
		return err == nil && (slices.Contains([]string{"http", "https", "mailto"}, u.Scheme) || strings.HasPrefix(a.Val, "#"))
	case "src":
		return node.Data == "img" && strings.HasPrefix(a.Val, "data:image/") && !strings.HasPrefix(a.Val, "data:image/svg")
	case "http-equiv":
		return a.Val == "Content-Security-Policy"
	}
	return true
}

// textOf joins the texts of a page, as they are read.
func textOf(t *testing.T, page []byte) string {
	t.Helper()
	root, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for node := range root.Descendants() {
		if node.Type == html.TextNode {
			out.WriteString(node.Data)
		}
	}
	return out.String()
}

func TestHostileTextIsReadAsItWasWritten(t *testing.T) {
	for _, text := range hostile {
		if strings.ContainsRune(text, 0) || !utf8.ValidString(text) {
			continue // FuzzColouredCodeReadsAsItWasWritten has them
		}
		log, err := transcript.New(transcript.Options{})
		if err != nil {
			t.Fatal(err)
		}
		arguments, err := message.Marshal(map[string]string{"query": "x", "text\n" + text: "a\n" + text})
		if err != nil {
			t.Fatal(err)
		}
		call := &message.ToolCall{ID: "1", Name: "tool " + text, Arguments: arguments}
		for _, m := range []message.Message{
			message.NewUser("user "+text, nil),
			&message.Assistant{Content: message.Blocks{call}, Model: "model " + text, ErrorMessage: "error " + text},
			&message.ToolResult{ToolCallID: "1", Content: message.Blocks{message.NewText("result " + text)}},
			&message.BashExecution{Command: "command " + text, Output: "output " + text},
			&message.Assistant{Content: message.Blocks{message.NewText("~~~\nfenced " + text + "\n~~~")}},
		} {
			if err := log.AppendMessage(m); err != nil {
				t.Fatal(err)
			}
		}
		var page bytes.Buffer
		if err := export.Page(t.Context(), &page, log.Snapshot()); err != nil {
			t.Fatal(err)
		}
		read := textOf(t, page.Bytes())
		for _, place := range []string{"user ", "tool ", "model ", "error ", "result ", "command ", "output ", "text\n", "a\n", "fenced "} {
			if !strings.Contains(read, place+text) {
				t.Errorf("%q is not in the page after %q", text, place)
			}
		}
	}
}
