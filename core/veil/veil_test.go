package veil

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/secret"
)

// canary is a secret that has to be escaped everywhere.
const canary = `can"ary/4711+<ö>\x y`

// says is a provider that keeps what it is sent, and answers with it.
type says struct {
	sent   *model.Request
	answer func(sent *model.Request, d *model.Draft)
}

func (s *says) Stream(_ context.Context, req *model.Request, d *model.Draft) error {
	s.sent = req
	if s.answer != nil {
		s.answer(req, d)
	}
	return nil
}

// ask puts a user's text to a model and returns what it was sent, and its answer.
func ask(t *testing.T, v *Veil, text string, answer func(sent string, d *model.Draft)) (sent string, got *message.Assistant) {
	t.Helper()
	p := &says{answer: func(req *model.Request, d *model.Draft) {
		sent = req.Messages[0].(*message.User).Content.Text()
		if answer != nil {
			answer(sent, d)
		}
	}}
	m := &model.Model{ID: "m", Provider: "p"}
	draft := model.NewDraft(m, model.DraftOptions{})
	req := &model.Request{Model: m, System: []string{"be good"}, Messages: []message.Message{message.NewUser(text, nil)}}
	if err := v.Over(p).Stream(t.Context(), req, draft); err != nil {
		t.Fatal(err)
	}
	return sent, draft.Finish()
}

func TestASecretIsHiddenHoweverItIsWrittenAndComesBackTheSame(t *testing.T) {
	v := New(Plain([]string{canary}), nil)
	inJSON, err := json.Marshal(canary)
	if err != nil {
		t.Fatal(err)
	}
	long := "x" + canary
	for _, written := range []string{
		canary, string(inJSON), url.QueryEscape(canary), url.PathEscape(canary), base64.StdEncoding.EncodeToString([]byte(canary)),
		base64.StdEncoding.EncodeToString([]byte("me:" + canary)), base64.URLEncoding.EncodeToString([]byte(long + long)),
	} {
		text := "a " + written + " z"
		sent, got := ask(t, v, text, func(sent string, d *model.Draft) { d.Text(sent) })
		if strings.Contains(sent, written) || !regexp.MustCompile(`#[A-Z0-9]{4}#`).MatchString(sent) {
			t.Errorf("%s was sent as %s", text, sent)
		}
		if got.Content.Text() != text {
			t.Errorf("%s came back as %s", text, got.Content.Text())
		}
	}
	if sent, _ := ask(t, v, "nothing in it, #ABCD# neither", nil); sent != "nothing in it, #ABCD# neither" {
		t.Error(sent)
	}
}

func TestPlaceholdersAreRestoredWhereverAnswersAreSplit(t *testing.T) {
	v := New(Plain([]string{canary, "another-one"}), nil)
	const text = "##" + canary + "#" + canary + "another-one# #AB12 # #ABCDE#"
	placeholders, _ := ask(t, v, text, nil)
	for i := range placeholders {
		for j := i; j <= len(placeholders); j++ {
			var deltas strings.Builder
			draft := model.NewDraft(&model.Model{}, model.DraftOptions{Emit: func(p event.Part, _ *message.Assistant) { deltas.WriteString(p.Delta) }})
			draft.Through(&restorer{veil: v})
			for _, delta := range []string{placeholders[:i], placeholders[i:j], placeholders[j:]} {
				draft.Text(delta)
			}
			draft.Thinking(placeholders[:i])
			draft.Thinking(placeholders[i:])
			m := draft.Finish()
			if got := m.Content[0].(*message.Text).Text; got != text || deltas.String() != text+text {
				t.Fatalf("split at %d and %d: %s; deltas %s", i, j, got, deltas.String())
			}
			if got := m.Content[1].(*message.Thinking).Thinking; got != text {
				t.Fatalf("thinking split at %d: %s", i, got)
			}
		}
	}
}

func TestCallsGetTheSecretAndAreSentWithoutIt(t *testing.T) {
	v := New(Plain([]string{canary}), nil)
	_, got := ask(t, v, canary, func(sent string, d *model.Draft) {
		d.CallStart("c", "bash")
		d.CallArguments(`{"command":"echo ` + sent[:3])
		d.CallArguments(sent[3:] + `","` + sent + `":1}`)
		d.CloseBlock()
	})
	call := got.Content.ToolCalls()[0]
	var args map[string]any
	if err := json.Unmarshal(call.Arguments, &args); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]any{"command": "echo " + canary, canary: 1.0}, args); diff != "" {
		t.Error(diff)
	}
	escaped := *call
	escaped.Arguments = json.RawMessage(`{"a":"` + strings.ReplaceAll(strings.Trim(string(secret.Quoted(canary)), `"`), "c", `\u0063`) + `"}`)
	req := &model.Request{Messages: []message.Message{
		got, &message.Assistant{Content: message.Blocks{&escaped, &message.Thinking{Thinking: canary}}},
		&message.ToolResult{Content: message.Blocks{message.NewImage(canary, "image/png"), message.NewText(canary)}},
		&message.Developer{Content: message.Blocks{message.NewText(canary)}},
	}, System: []string{canary}, Tools: []model.ToolSpec{{Name: "t", Description: canary, Parameters: json.RawMessage(`["` + "x" + `", ` + string(secret.Quoted(canary)) + `]`)}}}
	sent := v.hide(req)
	raw, err := json.Marshal(sent)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(raw), `ary/4711`); n != 1 { // the image's
		t.Errorf("%d left in %s", n, raw)
	}
	if before, err := json.Marshal(got); err != nil || !strings.Contains(string(before), "4711") {
		t.Errorf("the conversation itself was changed: %s", before)
	}
	if sent.System[1] != note {
		t.Error(sent.System)
	}
}

// Dialects know a conversation again by its messages.
func TestMessagesWithoutSecretsStayTheSame(t *testing.T) {
	v := New(Plain([]string{canary}), nil)
	m := message.NewUser("hello", nil)
	if got := v.hide(&model.Request{Messages: []message.Message{m}}).Messages[0]; got != message.Message(m) {
		t.Error("a copy")
	}
	with := &model.Request{Messages: []message.Message{message.NewUser(canary, nil)}}
	if diff := cmp.Diff(v.hide(with).Messages, v.hide(with).Messages); diff != "" {
		t.Error("different each time:", diff)
	}
}

func TestKeysThatAppearLaterAreHiddenFromThenOn(t *testing.T) {
	var keys []string
	v := New(nil, func() []string { return keys })
	if sent, _ := ask(t, v, "new-key-1", nil); sent != "new-key-1" {
		t.Error(sent)
	}
	keys = []string{"new-key-1", "short"}
	if sent, _ := ask(t, v, "new-key-1 short", nil); !regexp.MustCompile(`^#....# short$`).MatchString(sent) {
		t.Error(sent)
	}
}

func TestLinesOfALongSecretAreSecretThemselves(t *testing.T) {
	v := New(Plain([]string{"-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQ\nAAAAB3NzaC1yc2EAAAADAQABAA\nab==\n-----END PRIVATE KEY-----\n"}), nil)
	if sent, _ := ask(t, v, "3: AAAAB3NzaC1yc2EAAAADAQABAA\n-----BEGIN PRIVATE KEY----- ab==", nil); !regexp.MustCompile(`^3: #....#\n-----BEGIN PRIVATE KEY----- ab==$`).MatchString(sent) {
		t.Error(sent)
	}
}

// Tools cut long lines and outputs.
func TestALongSecretIsHiddenWhereItIsCut(t *testing.T) {
	var token strings.Builder
	for i := range 100 {
		fmt.Fprintf(&token, "%03d-token.", i*7)
	}
	whole := token.String()
	v := New(Plain([]string{whole, strings.Repeat("é", 40)}), nil)
	for _, text := range []string{whole[:768], whole[300:], whole[100:200] + "…" + whole[500:700]} {
		sent, got := ask(t, v, text, func(sent string, d *model.Draft) { d.Text(sent) })
		if left := regexp.MustCompile(`#[A-Z0-9]{4}#`).ReplaceAllString(sent, ""); len(left) > 6*piece {
			t.Errorf("%s is left", left)
		}
		if got.Content.Text() != text {
			t.Errorf("%s came back", got.Content.Text())
		}
	}
	if sent, _ := ask(t, v, whole, nil); len(sent) != 6 {
		t.Error(sent)
	}
}

func TestFilesOfSecretsAreRead(t *testing.T) {
	dir := t.TempDir()
	profile, project := filepath.Join(dir, "secrets.yml"), filepath.Join(dir, "project.yml")
	write(t, profile, `
- {type: plain, content: plain-secret}
- {type: plain, content: replaced-1, mode: replace}
- {type: plain, content: replaced-2, mode: replace, replacement: other}
- {type: regex, content: 'tok-[a-z]+', flags: gi}
- {type: regex, content: '/PIN \d+/i', mode: replace}
- {type: plain, content: short}
- {type: some, content: whatever-1}
- just text
- {type: regex, content: '(?=x)canary'}
- {type: regex, content: a, flags: q}
- {type: plain, content: 12345678}
- {type: plain, content: whatever-2, mode: odd}
- {type: plain}
`)
	write(t, project, "- {type: plain, content: plain-secret, mode: replace, replacement: project's}\n")
	entries, errs := Read(profile, filepath.Join(dir, "none.yml"), project)
	var said []string
	for _, err := range errs {
		said = append(said, strings.TrimPrefix(err.Error(), dir+"/"))
	}
	want := []string{
		`secrets.yml[5]: content is shorter than 8 bytes and is ignored`,
		`secrets.yml[6]: type must be "plain" or "regex"`,
		`secrets.yml[7]: must be a mapping`,
		`secrets.yml[8]: content is no expression that can be used here`,
		`secrets.yml[9]: flags must be some of dgimsuvy`,
		`secrets.yml[10]: content must be text`,
		`secrets.yml[11]: mode must be "obfuscate" or "replace"`,
		`secrets.yml[12]: content must not be empty`,
	}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Error(diff)
	}
	v := New(entries, nil)
	sent, got := ask(t, v, "plain-secret, replaced-1, replaced-2, TOK-abc, tok-abc, pin 12", func(sent string, d *model.Draft) { d.Text(sent) })
	if !regexp.MustCompile(`^project's, \*{10}, other, #....#, #....#, \*{6}$`).MatchString(sent) {
		t.Error(sent)
	}
	if text := got.Content.Text(); text != "project's, **********, other, TOK-abc, tok-abc, ******" {
		t.Error(text)
	}
	write(t, profile, "a: [")
	if _, errs := Read(profile); len(errs) != 1 || !strings.HasPrefix(errs[0].Error(), "secrets are not read: "+profile+":1") {
		t.Error(errs)
	}
}

// What an expression finds may have a plain secret in it, which is hidden first.
func TestAnExpressionMayFindMoreThanASecret(t *testing.T) {
	path := filepath.Join(t.TempDir(), "secrets.yml")
	write(t, path, "- {type: regex, content: 'token=\\S+'}\n- {type: plain, content: plain-secret}\n- {type: regex, content: ''}\n- {type: regex, content: 'x*'}\n")
	entries, _ := Read(path)
	const text = "a token=plain-secret-1 z"
	if sent, got := ask(t, New(entries, nil), text, func(sent string, d *model.Draft) { d.Text(sent) }); strings.Contains(sent, "token") || got.Content.Text() != text {
		t.Error(sent, got.Content.Text())
	}
}

// A project may bring any number of secrets, of any size.
func TestSecretsWithoutEndAreHiddenInBoundedRoom(t *testing.T) {
	huge := strings.Repeat("0123456789abcdefghijklmnopqrstuvwxyz/+", 60_000)
	texts := []string{huge}
	for i := range maxPlaceholders {
		texts = append(texts, fmt.Sprintf("secret/%07d", i))
	}
	v := New(Plain(texts), func() []string { return []string{canary} })
	sent, _ := ask(t, v, "<"+huge+"><"+texts[1]+"><"+texts[len(texts)-1]+"><"+canary+"><"+url.QueryEscape(canary)+">", nil) // of keys no spelling is left out
	if len(sent) > 200 || strings.Contains(sent, "secret") || strings.Contains(sent, "4711") || strings.Contains(sent, "<>") {
		t.Errorf("%.300s", sent)
	}
	if most := maxSpelled + len(texts) + 100; len(v.plain) > most {
		t.Errorf("%d texts are looked for, more than %d", len(v.plain), most)
	}
	before := len(v.plain)
	ask(t, v, "again", nil)
	if len(v.plain) != before {
		t.Errorf("a request added %d texts that were known", len(v.plain)-before)
	}
	path := filepath.Join(t.TempDir(), "secrets.yml")
	write(t, path, "- {type: plain, content: "+strings.Repeat("x", maxFile)+"}\n")
	if _, errs := Read(path); len(errs) != 1 || !strings.HasSuffix(errs[0].Error(), "is larger than 1024 KiB") {
		t.Error(errs)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// BenchmarkHide is a request of 1 MiB in 256 messages, with as many secrets as an
// environment has.
func BenchmarkHide(b *testing.B) {
	line := "func (st *state) author(ratio float64) author { return author{models: st.s.opts.Models} } // 0x3f #12\n"
	req := &model.Request{}
	for range 256 {
		req.Messages = append(req.Messages, &message.ToolResult{Content: message.Blocks{message.NewText(strings.Repeat(line, 4096/len(line)+1))}})
	}
	secrets := make([]string, 20)
	for i := range secrets {
		secrets[i] = "sk-" + strings.Repeat(string(rune('a'+i)), 4) + "/T3BlbkFJ+abcdefghijklmnop"
	}
	expr := Entry{Content: "e", expr: regexp.MustCompile(`ghp_[A-Za-z0-9]{30,}`)}
	for name, v := range map[string]*Veil{
		"none": New(nil, nil), "plain": New(Plain(secrets), nil), "expression": New(append(Plain(secrets), expr), nil),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(1 << 20)
			for b.Loop() {
				v.hide(req)
			}
		})
	}
}

func BenchmarkRestore(b *testing.B) {
	v := New(Plain([]string{canary}), nil)
	b.ReportAllocs()
	b.SetBytes(1 << 20)
	for b.Loop() {
		r := &restorer{veil: v}
		for range 1 << 16 {
			r.Next("sixteen bytes #a", false)
		}
	}
}
