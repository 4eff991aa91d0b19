// Package auth keeps API keys: those stored in the profile, those in the
// environment and .env files, and the order in which they are tried.
//
// No key ever appears in an error of this package.
package auth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"veyyon.dev/veyyon/core/file"
)

// maxFileBytes bounds the files this package reads.
const maxFileBytes = 1 << 20

// ErrSymlink is returned for a store that is a symbolic link: writing would
// replace the link, or put keys where the user does not expect them.
var ErrSymlink = errors.New("is a symbolic link")

// Store is the profile's file of credentials: mode 0600, its directory 0700. It
// is read again for each answer, since other processes write it too, and a file
// that cannot be read is never overwritten. Safe for concurrent use, also by
// several processes.
type Store struct{ path string }

// NewStore names the file; it need not exist.
func NewStore(path string) *Store { return &Store{path: path} }

// credentials is the file's text. An entry of a type we do not know is kept.
type credentials struct {
	Credentials map[string]json.RawMessage `json:"credentials"`
}

// apiKey is an entry of type "api_key".
type apiKey struct {
	Type string `json:"type"`
	Key  string `json:"key"`
}

const typeAPIKey = "api_key"

// Keys are all stored API keys by provider.
func (s *Store) Keys() (map[string]string, error) {
	file, err := s.read()
	if err != nil {
		return nil, err
	}
	keys := make(map[string]string, len(file.Credentials))
	for provider, raw := range file.Credentials {
		entry := apiKey{}
		if json.Unmarshal(raw, &entry) == nil && entry.Type == typeAPIKey && entry.Key != "" {
			keys[provider] = entry.Key
		}
	}
	return keys, nil
}

// Get is the key of a provider, "" when there is none.
func (s *Store) Get(provider string) (string, error) {
	keys, err := s.Keys()
	return keys[provider], err
}

// List names the providers with a stored key, sorted.
func (s *Store) List() ([]string, error) {
	keys, err := s.Keys()
	return slices.Sorted(maps.Keys(keys)), err
}

// Set stores the key of a provider.
func (s *Store) Set(provider, key string) error {
	if provider == "" || key == "" {
		return errors.New("storing a key: provider and key must not be empty")
	}
	raw, err := json.Marshal(apiKey{Type: typeAPIKey, Key: key})
	if err != nil {
		return errors.New("storing a key: it cannot be written as JSON")
	}
	return s.change(func(file *credentials) { file.Credentials[provider] = raw })
}

// Remove forgets what is stored for a provider, if anything.
func (s *Store) Remove(provider string) error {
	return s.change(func(file *credentials) { delete(file.Credentials, provider) })
}

// How long a change waits for the lock of another process, and between two tries
// for it. Then it fails: who holds it that long is stuck.
const (
	lockWait  = 10 * time.Second
	lockPause = 20 * time.Millisecond
)

// change reads, changes and writes the file while no other process does.
func (s *Store) change(edit func(*credentials)) error {
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return fmt.Errorf("storing credentials: %w", err)
	}
	lock := flock.New(s.path+".lock", flock.SetPermissions(0o600))
	waiting, cancel := context.WithTimeout(context.Background(), lockWait)
	defer cancel()
	if _, err := lock.TryLockContext(waiting, lockPause); err != nil {
		return fmt.Errorf("waiting for other programs to let go of %s: %w", s.path, err)
	}
	defer func() { _ = lock.Close() }() // closing lets the lock go; there is nothing to lose
	stored, err := s.read()
	if err != nil {
		return err
	}
	edit(&stored)
	text, err := json.MarshalIndent(stored, "", "  ")
	if err != nil {
		return fmt.Errorf("writing %s: %w", s.path, err)
	}
	return file.Put(s.path, append(text, '\n'), 0o600) // whatever mode it had
}

func (s *Store) read() (credentials, error) {
	file := credentials{Credentials: map[string]json.RawMessage{}}
	info, err := os.Lstat(s.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return file, nil
	case err != nil:
		return file, fmt.Errorf("reading credentials: %w", err)
	case info.Mode()&fs.ModeSymlink != 0:
		return file, fmt.Errorf("%s %w", s.path, ErrSymlink)
	case !info.Mode().IsRegular() || info.Size() > maxFileBytes:
		return file, fmt.Errorf("%s is not a regular file of at most 1 MiB", s.path)
	}
	raw, err := os.ReadFile(s.path)
	if err != nil {
		return file, fmt.Errorf("reading credentials: %w", err)
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		return credentials{}, fmt.Errorf("reading %s: %w", s.path, fault(raw, err))
	}
	if file.Credentials == nil {
		file.Credentials = map[string]json.RawMessage{}
	}
	return file, nil
}

// fault says where the text goes wrong, without quoting it: the words of the
// decoder may hold a piece of a key.
func fault(raw []byte, err error) error {
	at := int64(len(raw))
	if syntax := new(json.SyntaxError); errors.As(err, &syntax) {
		at = syntax.Offset
	} else if kind := new(json.UnmarshalTypeError); errors.As(err, &kind) {
		at = kind.Offset
	}
	return fmt.Errorf("not a JSON object of credentials (byte %d)", at)
}
