package mcp

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	files "veyyon.dev/veyyon/core/file"
)

// Trust remembers which servers of projects may run. What a cloned repository
// describes runs only after a person has looked at it, and has to be looked at
// again once any of it has changed.
type Trust struct{ path string }

// NewTrust keeps what is trusted in a file.
func NewTrust(path string) Trust { return Trust{path} }

// seal stands for a server of a project with all that decides what it runs.
func seal(dir string, s Server) string {
	s.From, s.Timeout = "", 0
	raw, _ := json.Marshal(s) // texts always encode
	sum := sha256.Sum256(append([]byte(dir+"\x00"), raw...))
	return hex.EncodeToString(sum[:])
}

// Sort parts the servers of the project in dir into those that are trusted and
// those that are not.
func (t Trust) Sort(dir string, servers []Server) (trusted, others []Server, err error) {
	known, err := t.read()
	for _, s := range servers {
		if known[seal(dir, s)] {
			trusted = append(trusted, s)
		} else {
			others = append(others, s)
		}
	}
	return trusted, others, err
}

// Give trusts the servers of the project in dir, as they are now.
func (t Trust) Give(dir string, servers []Server) error {
	known, err := t.read()
	if err != nil {
		return err
	}
	var text bytes.Buffer
	for one := range known {
		text.WriteString(one + "\n")
	}
	for _, s := range servers {
		if one := seal(dir, s); !known[one] {
			text.WriteString(one + "\n")
		}
	}
	if err := os.MkdirAll(filepath.Dir(t.path), 0o700); err != nil {
		return err
	}
	return files.Put(t.path, text.Bytes(), 0o600)
}

func (t Trust) read() (map[string]bool, error) {
	raw, err := readFile(t.path)
	known := map[string]bool{}
	for line := range strings.Lines(string(raw)) {
		if line = strings.TrimSpace(line); line != "" {
			known[line] = true
		}
	}
	return known, err
}
