package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// recalled is what the host knows of a session.
type recalled struct {
	finished []string        // its messages, as canonical gives them
	torn     map[string]bool // the ends of lines that kills have torn
	looked   fs.FileInfo     // the file when it was last looked at, nil before
}

// recall returns what is known of a session.
func (c *chaos) recall(path string) *recalled {
	known := c.kept[path]
	if known == nil {
		known = &recalled{torn: map[string]bool{}}
		c.kept[path] = known
	}
	return known
}

// A stored session is what its file holds.
type stored struct {
	messages  []string // canonical
	ids       []string // of their entries
	compacted bool
	invalid   [][]byte // lines that are no JSON
	tail      []byte   // a last line without its end
}

func readStored(path string) (stored, error) {
	var s stored
	text, err := os.ReadFile(path)
	if err != nil {
		return s, err
	}
	for line := range bytes.Lines(text) {
		whole := bytes.HasSuffix(line, []byte("\n"))
		line = bytes.TrimSuffix(line, []byte("\n"))
		if !whole {
			s.tail = line
		}
		var entry struct {
			Type    string          `json:"type"`
			ID      string          `json:"id"`
			Message json.RawMessage `json:"message"`
		}
		if err := json.Unmarshal(line, &entry); err != nil {
			if whole {
				s.invalid = append(s.invalid, line)
			}
			continue
		}
		s.compacted = s.compacted || entry.Type == "compaction"
		if entry.Type != "message" {
			continue
		}
		if m, ok := canonical(entry.Message); ok {
			s.messages, s.ids = append(s.messages, m), append(s.ids, entry.ID)
		}
	}
	return s, nil
}

// inspect looks at all session files after a kill: only lines that it or an
// earlier one has torn may be no JSON.
func (c *chaos) inspect() {
	for _, path := range c.sessionFiles() {
		known := c.recall(path)
		info, err := os.Stat(path)
		if err == nil && known.looked != nil && info.Size() == known.looked.Size() && info.ModTime().Equal(known.looked.ModTime()) {
			continue
		}
		known.looked = info
		s, err := readStored(path)
		if err != nil {
			c.lose("reading a session: %v", err)
			continue
		}
		for _, line := range s.invalid {
			if !known.torn[string(line)] {
				c.lose("%s: a line is no JSON: %.200s", filepath.Base(path), line)
				known.torn[string(line)] = true // told once
			}
		}
		if s.tail != nil && !known.torn[string(s.tail)] {
			c.torn++
			known.torn[string(s.tail)] = true
		}
	}
}

// compare holds the answer of get_messages, and the file, against what is known
// of the session in front. What the kill kept the host from reading joins that.
func (c *chaos) compare(line []byte) error {
	var answer struct {
		Data struct {
			Messages []json.RawMessage `json:"messages"`
		} `json:"data"`
	}
	if err := json.Unmarshal(line, &answer); err != nil {
		return fmt.Errorf("get_messages: %w", err)
	}
	var loaded []string
	for _, raw := range answer.Data.Messages {
		if m, ok := canonical(raw); ok {
			loaded = append(loaded, m)
		}
	}
	known, name := c.recall(c.front), filepath.Base(c.front)
	s, err := readStored(c.front)
	if errors.Is(err, fs.ErrNotExist) && len(known.finished) == 0 && len(loaded) == 0 {
		return nil // nothing has been said in it
	}
	if err != nil {
		c.lose("%s: %d finished messages, and no file: %v", name, len(known.finished), err)
		return nil
	}
	if lost, ok := firstLost(s.messages, known.finished); ok {
		c.lose("%s: of %d finished messages, its file with %d lacks %.300s", name, len(known.finished), len(s.messages), lost)
	}
	from := 0
	if s.compacted {
		from = len(s.messages) - len(loaded)
	}
	if from < 0 || !slices.Equal(s.messages[from:], loaded) {
		c.lose("%s: %d messages were loaded of %d in the file (%s)", name, len(loaded), len(s.messages), differ(loaded, s.messages[max(0, from):]))
	}
	known.finished = s.messages
	return nil
}

// firstLost is the first of the finished messages that is not, in order, among
// the stored ones. Between them there may be others, of which the host heard
// nothing: the end of a run that it left by going to another session.
func firstLost(messages, finished []string) (lost string, is bool) {
	for _, m := range finished {
		at := slices.Index(messages, m)
		if at < 0 {
			return m, true
		}
		messages = messages[at+1:]
	}
	return "", false
}

// differ shows where two conversations part.
func differ(got, want []string) string {
	for i := range max(len(got), len(want)) {
		g, w := "nothing", "nothing"
		if i < len(got) {
			g = got[i]
		}
		if i < len(want) {
			w = want[i]
		}
		if g != w {
			return fmt.Sprintf("at %d: %.300s instead of %.300s", i, g, w)
		}
	}
	return "no difference"
}

// before is the conversation in front up to the entry.
func (c *chaos) before(id string) []string {
	s, err := readStored(c.front)
	at := slices.Index(s.ids, id)
	if err != nil || at < 0 {
		c.lose("%s: the entry %s is not in its file (%v)", filepath.Base(c.front), id, err)
		return nil
	}
	return s.messages[:at]
}

// canonical writes a message so that the same one is the same text wherever it
// stands: keys in order, images as references. It is false for messages that
// hosts see in another form than files have them.
func canonical(raw json.RawMessage) (string, bool) {
	var m map[string]any
	if json.Unmarshal(raw, &m) != nil {
		return "", false
	}
	if role := m["role"]; role != "user" && role != "assistant" && role != "toolResult" {
		return "", false
	}
	blocks, _ := m["content"].([]any)
	for _, block := range blocks {
		b, _ := block.(map[string]any)
		data, ok := b["data"].(string)
		if b["type"] != "image" || !ok || strings.HasPrefix(data, "blob:") {
			continue
		}
		bytes, err := base64.StdEncoding.DecodeString(data)
		if err == nil {
			sum := sha256.Sum256(bytes)
			b["data"] = "blob:sha256:" + hex.EncodeToString(sum[:])
		}
	}
	text, err := json.Marshal(m)
	return string(text), err == nil
}

// editedBefore is what the model writes into the file that it then edits.
var editedBefore = sealed("before\n") // the edit breaks its seal

// sealed is a text that tells whether it is whole.
func sealed(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:]) + "\n" + text
}

// prepare fills the folders before the first start.
func (c *chaos) prepare() error {
	settings := filepath.Join(filepath.Dir(modelsFile(c.home())), "config.yml")
	return errors.Join(
		os.Mkdir(c.temp(), 0o700),
		os.WriteFile(settings, []byte("compaction:\n  keepRecentTokens: 500\n"), 0o600), // so that there is always something to compact
	)
}

func (c *chaos) temp() string { return filepath.Join(c.root, "tmp") }

func (c *chaos) sessionFiles() []string {
	paths, _ := filepath.Glob(filepath.Join(sessionsRoot(c.home()), "*", "*.jsonl")) // the pattern is good
	return paths
}

// litter looks for files that nobody has any use for, and for files of the
// working folder that are neither the old nor the new.
func (c *chaos) litter() {
	c.only(c.temp(), func(string) bool { return false })
	c.only(sessionsRoot(c.home()), func(path string) bool { // sessions, and the long outputs of their tools
		return strings.HasSuffix(path, ".jsonl") || strings.HasSuffix(path, ".log") && fileSize(path) > 0
	})
	c.only(filepath.Join(filepath.Dir(sessionsRoot(c.home())), "blobs"), func(path string) bool {
		text, err := os.ReadFile(path)
		sum := sha256.Sum256(text)
		return err == nil && hex.EncodeToString(sum[:]) == filepath.Base(path)
	})
	c.only(c.work(), func(path string) bool {
		switch name := filepath.Base(path); {
		case name == "log.txt":
			return true
		case name == "edited.txt":
			text, err := os.ReadFile(path)
			return err == nil && (string(text) == editedBefore || string(text) == strings.Replace(editedBefore, "before", "behind", 1))
		case len(name) == len("w0.txt") && strings.HasPrefix(name, "w"):
			text, err := os.ReadFile(path)
			_, rest, _ := strings.Cut(string(text), "\n")
			return err == nil && sealed(rest) == string(text)
		}
		return false
	})
}

// only allows these files in the folder and below.
func (c *chaos) only(folder string, allowed func(path string) bool) {
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || allowed(path) {
			return err
		}
		c.lose("litter: %s", path)
		return os.Remove(path) // told once
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		c.lose("looking at %s: %v", folder, err)
	}
}

func fileSize(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// noise is a PNG that is like no other.
func noise(random *rand.Rand) []byte {
	picture := image.NewGray(image.Rect(0, 0, 48, 48))
	for i := range picture.Pix {
		picture.Pix[i] = byte(random.IntN(256))
	}
	var out bytes.Buffer
	_ = png.Encode(&out, picture) // into memory
	return out.Bytes()
}
