package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// canary is in every secret of the tests here.
const canary = "cAnArY"

// A provider that repeats all it is sent, in whatever spelling, gets no key into
// frames, logs, transcripts or pages.
func TestKeysGetNowhereWhateverTheProviderRepeats(t *testing.T) {
	const keyed = canary + "/+key"
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, password, _ := r.BasicAuth()
		said := fmt.Sprint(r.Header, password)
		for _, name := range []string{"Authorization", "X-Api-Key", "X-Goog-Api-Key", "X-Token"} {
			sent := strings.TrimPrefix(r.Header.Get(name), "Bearer ")
			said += fmt.Sprintf(" %q %s %s", sent, url.QueryEscape(sent), base64.StdEncoding.EncodeToString([]byte("x:"+sent)))
		}
		w.Header().Set("Location", "http://elsewhere/?key="+keyed)
		w.WriteHeader(http.StatusTemporaryRedirect)
		raw, _ := json.Marshal(said) // texts always encode
		fmt.Fprintf(w, `{"error":{"message":%s,"code":"x"}}`, raw)
	}))
	t.Cleanup(provider.Close)
	home, agent := t.TempDir(), t.TempDir()
	address := strings.Replace(provider.URL, "http://", "http://me:"+canary+"password@", 1)
	must(t, os.WriteFile(filepath.Join(agent, "models.yml"), []byte(`providers:
  url: {baseUrl: "`+address+`", api: openai-completions, auth: none, headers: {X-Token: `+canary+`header}, models: [{id: m}]}
  key: {baseUrl: "`+provider.URL+`", api: anthropic-messages, apiKey: MY_KEY, models: [{id: m}]}
  literal: {baseUrl: "`+provider.URL+`", api: google-generative-ai, apiKey: `+keyed+`, models: [{id: m}]}
  gone: {baseUrl: "http://me:`+canary+`password@127.0.0.1:1", api: openai-responses, apiKey: "!echo `+keyed+`", models: [{id: m}]}
  wrong: {baseUrl: "`+address+`?key=`+canary+`", api: openai-completions, apiKey: `+keyed+`, models: [{id: m}]}
`), 0o600))
	must(t, os.WriteFile(filepath.Join(agent, "config.yml"), []byte("a: 1\nx: |"+canary+"\n"), 0o600))
	must(t, os.WriteFile(filepath.Join(agent, "auth.json"), []byte(`{"openai":{"type":"api_key","key":"`+keyed), 0o600))
	s := launchServer(t, func(cmd *exec.Cmd) {
		must(t, os.Mkdir(filepath.Join(cmd.Dir, ".veyyon"), 0o700))
		must(t, os.WriteFile(filepath.Join(cmd.Dir, ".veyyon", "config.yml"), []byte("retry: {enabled: false}\n"), 0o600))
		cmd.Env = slices.DeleteFunc(cmd.Env, func(entry string) bool { return strings.HasPrefix(entry, "HOME=") })
		cmd.Env = append(cmd.Env, "HOME="+home, "VEYYON_CODING_AGENT_DIR="+agent, "VEYYON_DEBUG=1", "MY_KEY="+keyed, "XAI_API_KEY="+keyed)
	}, "--model", "url/m")
	var all bytes.Buffer
	await := func(text string) { all.WriteString(s.upTo(text)) }
	for _, m := range []string{"url", "key", "literal", "gone"} {
		s.send(`{"id":"m","type":"set_model","provider":"`+m+`","modelId":"m"}`, `{"id":"p","type":"prompt","message":"hello"}`)
		await(`"type":"agent_end"`)
	}
	s.send(
		`{"id":"b","type":"bash","command":"env"}`, `{"id":"s","type":"get_state"}`, `{"id":"a","type":"get_available_models"}`,
		`{"id":"g","type":"get_messages"}`, `{"id":"e","type":"export_html","outputPath":"`+home+`/page.html"}`,
	)
	await(`"id":"e"`)
	s.send(`{"id":"h","type":"handoff"}`)
	await(`"id":"h"`)
	must(t, s.in.Close())
	if code := s.code(patience); code != 0 {
		t.Errorf("exit code %d", code)
	}
	rest, err := io.ReadAll(s.out)
	must(t, err)
	all.Write(rest)
	if n := strings.Count(all.String(), "[redacted]"); n < 6 {
		t.Errorf("the provider was hardly heard: %d times", n)
	}
	clean(t, "frames", all.String())
	clean(t, "stderr", s.stderr.String())
	files := 0
	for _, dir := range []string{home, agent} {
		must(t, filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || slices.Contains([]string{"models.yml", "config.yml", "config.yml.corrupt", "auth.json"}, entry.Name()) {
				return err
			}
			raw, err := os.ReadFile(name)
			clean(t, name, string(raw))
			files++
			return err
		}))
	}
	if files < 3 { // log, transcript, page
		t.Errorf("%d files", files)
	}
}

// clean fails for a text with a canary in it.
func clean(t *testing.T, where, text string) {
	t.Helper()
	bad := []string{canary}
	for _, before := range []string{"", "x", "x:"} {
		coded := base64.RawStdEncoding.EncodeToString([]byte(before + canary))
		bad = append(bad, coded[2:7])
	}
	for _, bad := range bad {
		if at := strings.Index(text, bad); at >= 0 {
			t.Errorf("%s: %s", where, text[max(0, at-200):min(len(text), at+100)])
		}
	}
}

// With secrets.enabled models never see a secret, and what they do with it is
// done with the secret itself.
func TestModelsWorkWithSecretsTheyDoNotSee(t *testing.T) {
	var (
		mu       sync.Mutex
		requests []string
	)
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body) // a request that is cut off fails below
		mu.Lock()
		requests = append(requests, string(raw))
		n := len(requests)
		mu.Unlock()
		var placeholder string
		if found := regexp.MustCompile(`TOKEN=(#[A-Z0-9]{4}#)`).FindSubmatch(raw); found != nil {
			placeholder = string(found[1])
		}
		half := len(placeholder) / 2
		w.Header().Set("Content-Type", "text/event-stream")
		say := func(delta string) { fmt.Fprintf(w, "data: {\"choices\":[{\"delta\":%s}]}\n\n", delta) }
		call := func(arguments ...string) {
			for i, part := range arguments {
				quoted, _ := json.Marshal(part) // texts always encode
				head := `"function":{"arguments":` + string(quoted) + `}`
				if i == 0 {
					head = fmt.Sprintf(`"id":"c%d","function":{"name":"bash","arguments":%s}`, n, quoted)
				}
				say(`{"tool_calls":[{"index":0,` + head + `}]}`)
			}
		}
		switch n {
		case 1:
			call(`{"command":"echo TOKEN=$MY_TOKEN"}`)
		case 2:
			call(`{"command":"printf %s '`+placeholder[:half], placeholder[half:]+`' > file"}`)
		default:
			say(`{"content":"it is ` + placeholder[:half] + `"}`)
			say(`{"content":"` + placeholder[half:] + `."}`)
		}
		fmt.Fprint(w, "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(provider.Close)
	agent := t.TempDir()
	must(t, os.WriteFile(filepath.Join(agent, "models.yml"), []byte(`providers:
  fake: {baseUrl: "`+provider.URL+`", api: openai-completions, apiKey: `+canary+`-key, models: [{id: m, contextWindow: 100000}]}
`), 0o600))
	must(t, os.WriteFile(filepath.Join(agent, "config.yml"), []byte("secrets: {enabled: true}\ncompaction: {keepRecentTokens: 1}\n"), 0o600))
	must(t, os.WriteFile(filepath.Join(agent, "secrets.yml"), []byte("- {type: regex, content: 'PIN-\\d+', mode: replace}\n- {type: odd}\n"), 0o600))
	const token = canary + `"\token`
	s := launchServer(t, func(cmd *exec.Cmd) {
		cmd.Env = append(cmd.Env, "VEYYON_CODING_AGENT_DIR="+agent, "MY_TOKEN="+token)
	}, "--model", "fake/m")
	s.send(`{"id":"p","type":"prompt","message":"use ` + canary + `-key and PIN-4711` + strings.Repeat(" please", 2000) + `"}`)
	frames := s.upTo(`"type":"agent_end"`)
	quoted, err := json.Marshal("it is " + token + ".")
	must(t, err)
	if !strings.Contains(frames, string(quoted)) {
		t.Errorf("the host does not see the secret again: %s", frames)
	}
	if got, err := os.ReadFile(filepath.Join(s.cmd.Dir, "file")); string(got) != token {
		t.Errorf("written was %q %v", got, err)
	}
	s.send(`{"id":"p","type":"prompt","message":"again"}`)
	s.await(`"type":"agent_end"`)
	s.send(`{"id":"c","type":"compact"}`)
	if said := s.await(`"id":"c"`); !strings.Contains(said, `"success":true`) {
		t.Error(said)
	}
	s.send(`{"id":"e","type":"export_html","outputPath":"page.html"}`)
	s.await(`"id":"e"`)
	page, err := os.ReadFile(filepath.Join(s.cmd.Dir, "page.html"))
	must(t, err)
	clean(t, "page", string(page))
	mu.Lock()
	defer mu.Unlock()
	if len(requests) < 5 { // the last are the summary's
		t.Errorf("%d requests", len(requests))
	}
	for i, sent := range requests {
		clean(t, fmt.Sprintf("request %d", i), sent)
		if strings.Contains(sent, "4711") {
			t.Errorf("request %d has the PIN", i)
		}
	}
	must(t, s.in.Close())
	if code := s.code(patience); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if said := s.stderr.String(); !strings.Contains(said, `secrets.yml[1]: type must be "plain" or "regex"`) {
		t.Errorf("stderr: %s", said)
	}
}
