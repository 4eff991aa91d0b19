package datafile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

type shop struct {
	Name  string          `json:"name"`
	Stock map[string]ware `json:"stock"`
}

type ware struct {
	Count int      `json:"count"`
	Tags  []string `json:"tags"`
	Open  bool     `json:"open"`
	Kinds []ware   `json:"kinds"`
}

func TestFaultsNameFileLineAndKey(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"name: [1]\n", "f.yml:1: name: is a list, not a text"},
		{"stock:\n  llama.cpp:\n    count: many\n", "f.yml:3: stock.'llama.cpp'.count: is a text, not a number"},
		{"stock:\n  a: 3\n", "f.yml:2: stock.a: int was used where mapping is expected"},
		{"stock: [", "f.yml:1: sequence end token ']' not found"},
		{"{\n\t\"stock\": {\"a\": {\"open\": \"x\"}}}", "f.yml:2: stock.a.open: is a text, not a true or false"},
		{"\xff", "f.yml: is not valid UTF-8"},
		{"name: x\nstock: " + strings.Repeat("[", 1<<12), "f.yml:2: values lie more than 100 deep within each other"},
		{strings.Repeat("- ", 1<<12), "f.yml:1: values lie more than 100 deep within each other"},
	} {
		err := New("f.yml", []byte(c.text)).Decode(&shop{})
		if err == nil || err.Error() != c.want {
			t.Errorf("%q\n got %v\nwant %s", c.text, err, c.want)
		}
	}
}

func TestUnknownKeysAreFound(t *testing.T) {
	f := New("f.yml", []byte("name: x\nstock:\n  a:\n    count: 1\n    colour: red\n"))
	if err := f.Decode(&shop{}); err != nil {
		t.Fatal(err)
	}
	if err := f.CheckKeys(&shop{}); err == nil || err.Error() != `f.yml:5: stock.a.colour: unknown field "colour"` {
		t.Error(err)
	}
}

func TestFaultfFindsTheLineOrTheNearestAbove(t *testing.T) {
	f := New("f.yml", []byte("stock:\n  a.b:\n    kinds:\n    - count: 1\n    -\n      count: 2\n"))
	for _, c := range []struct {
		keys []any
		want string
	}{
		{[]any{"stock", "a.b", "kinds", 1, "count"}, "f.yml:6: stock.a.b.kinds[1].count: bad"},
		{[]any{"stock", "a.b", "kinds", 0, "tags"}, "f.yml:4: stock.a.b.kinds[0].tags: bad"},
		{[]any{"stock", "a.b", "open"}, "f.yml:2: stock.a.b.open: bad"},
		{nil, "f.yml: bad"},
	} {
		if got := f.Faultf(c.keys, "bad").Error(); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

func TestJSONWithTabsAndEscapesIsRead(t *testing.T) {
	var got shop
	f := New("f.json", []byte("\xef\xbb\xbf{\n\t\"name\": \"\\ud83d\\ude00 a\\tb\\/\",\n\t\"stock\": {}\n}"))
	if err := f.Decode(&got); err != nil || got.Name != "😀 a\tb/" {
		t.Error(got, err)
	}
}

func TestReadRefusesWhatIsNoRegularFile(t *testing.T) {
	dir := t.TempDir()
	if _, err := Read(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	fifo := filepath.Join(dir, "fifo")
	if err := unix.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { _, err := Read(fifo); done <- err }()
	select {
	case err := <-done:
		if err == nil || !strings.Contains(err.Error(), "not a regular file") {
			t.Error(err)
		}
	case <-time.After(5 * time.Second):
		t.Fatal("reading a FIFO hangs")
	}
	big := filepath.Join(dir, "big")
	if err := os.WriteFile(big, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(big, MaxBytes+1); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(big); err == nil || !strings.Contains(err.Error(), "larger than 16 MiB") {
		t.Error(err)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("name: x\nstock: {a: {count: 1, kinds: [{}]}}\n"))
	f.Add([]byte("&a [*a, *a]"))
	f.Add([]byte("? - a\n: !!int x\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		file := New("f", text)
		for _, err := range []error{file.Decode(&shop{}), file.CheckKeys(&shop{})} {
			if fault := new(Fault); err != nil && !errors.As(err, &fault) {
				t.Errorf("%T is no Fault", err)
			}
		}
		_ = file.Faultf([]any{"stock", "a", "kinds", 0}, "x").Error()
	})
}
