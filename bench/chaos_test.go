package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// a session of two messages, of which the first has an image in a file.
const storedSession = `{"type":"title","v":1}
{"type":"session","id":"s"}
{"type":"message","id":"1","message":{"role":"user","content":[{"type":"image","data":"blob:sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"}]}}
{"type":"message","id":"2","message":{"role":"assistant","content":[{"type":"text","text":"hi"}]}}
`

const (
	imageMessage = `{"content":[{"type":"image","data":"dGVzdA=="}],"role":"user"}`
	textMessage  = `{"content":[{"text":"hi","type":"text"}],"role":"assistant"}`
)

func TestChaosFindsWhatWasLost(t *testing.T) {
	for name, c := range map[string]struct {
		file, finished, loaded string // messages that the host read, and that the server tells
		loss                   string // part of it, "" for none
	}{
		"nothing":                {storedSession, textMessage, imageMessage + "," + textMessage, ""},
		"a finished message":     {storedSession, textMessage + "," + textMessage, imageMessage + "," + textMessage, "lacks"},
		"the order":              {storedSession, textMessage + "," + imageMessage, imageMessage + "," + textMessage, "lacks"},
		"a message on loading":   {storedSession, textMessage, textMessage, "were loaded of"},
		"all":                    {"", textMessage, "", "no file"},
		"what was compacted":     {storedSession + `{"type":"compaction"}` + "\n", textMessage, textMessage, ""},
		"a line":                 {storedSession + "{\"type\":\n{}\n", textMessage, imageMessage + "," + textMessage, "no JSON"},
		"the end of a line":      {storedSession + "{\"type\":", textMessage, imageMessage + "," + textMessage, ""},
		"nothing but the titles": {"", "", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			folder := filepath.Join(sessionsRoot(filepath.Join(home, "home")), "x")
			if err := os.MkdirAll(folder, 0o700); err != nil {
				t.Fatal(err)
			}
			chaos := &chaos{process: &process{root: home}, kept: map[string]*recalled{}, front: filepath.Join(folder, "s.jsonl")}
			if c.file != "" {
				if err := os.WriteFile(chaos.front, []byte(c.file), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			var finished []json.RawMessage
			if err := json.Unmarshal([]byte("["+c.finished+"]"), &finished); err != nil {
				t.Fatal(err)
			}
			for _, m := range finished {
				text, _ := canonical(m)
				chaos.recall(chaos.front).finished = append(chaos.recall(chaos.front).finished, text)
			}
			chaos.inspect()
			if err := chaos.compare([]byte(`{"data":{"messages":[` + c.loaded + `]}}`)); err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(chaos.losses, "\n"); (got == "") != (c.loss == "") || !strings.Contains(got, c.loss) {
				t.Errorf("losses: %q, want %q", got, c.loss)
			}
		})
	}
}

func TestChaosFindsLitterAndHalfWrittenFiles(t *testing.T) {
	c := &chaos{process: &process{root: t.TempDir()}}
	for path, text := range map[string]string{
		c.temp() + "/x":                            "",
		c.work() + "/.veyyon-x":                    "",
		c.work() + "/w1.txt":                       sealed("whole"),
		c.work() + "/w2.txt":                       sealed("whole")[:68],
		c.work() + "/edited.txt":                   editedBefore,
		sessionsRoot(c.home()) + "/a/s.jsonl":      "",
		sessionsRoot(c.home()) + "/a/s/1.lock":     "",
		sessionsRoot(c.home()) + "/../blobs/abcde": "",
	} {
		path = filepath.Clean(path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c.litter()
	if len(c.losses) != 5 {
		t.Errorf("found %q", c.losses)
	}
}

func TestChaosFindsCallsWithoutTheirResults(t *testing.T) {
	call := func(id string) string { return `{"role":"assistant","tool_calls":[{"id":"` + id + `"}]}` }
	result := func(id string) string { return `{"role":"tool","tool_call_id":"` + id + `"}` }
	user := `{"role":"user","content":"chaos tools 1"}`
	for text, paired := range map[string]bool{
		user: true,
		user + "," + call("a") + "," + result("a") + "," + user: true,
		user + "," + call("a") + "," + user + "," + result("a"): false,
		user + "," + call("a"):                                         false,
		user + "," + result("a"):                                       false,
		user + "," + call("a") + "," + result("b"):                     false,
		user + "," + call("a") + "," + result("a") + "," + result("a"): false,
	} {
		var asked chatRequest
		if err := json.Unmarshal([]byte(`{"messages":[`+text+`]}`), &asked); err != nil {
			t.Fatal(err)
		}
		if wrong := asked.pairing(); (wrong == "") != paired {
			t.Errorf("%s: %q", text, wrong)
		}
	}
}

func TestASlopeIsThatOfTheLine(t *testing.T) {
	if got := slope([]float64{1, 2, 4}, []float64{5, 8, 14}); got != 3 {
		t.Errorf("got %v", got)
	}
	if got := slope([]float64{1, 1}, []float64{5, 8}); got != 0 {
		t.Errorf("a line that stands has slope %v", got)
	}
}
