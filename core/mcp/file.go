package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// maxFile is how large a file of servers may be, in bytes.
const maxFile = 1 << 20

// description is a server as files describe it (facts/platform 6).
type description struct {
	Type      string            `json:"type"`
	Transport string            `json:"transport"` // another name for type
	Command   string            `json:"command"`
	Args      []string          `json:"args"`
	Env       map[string]string `json:"env"`
	Dir       string            `json:"cwd"`
	URL       string            `json:"url"`
	Headers   map[string]string `json:"headers"`
	Enabled   *bool             `json:"enabled"`
	Disabled  bool              `json:"disabled"`
	Timeout   int               `json:"timeout"` // milliseconds
	OAuth     struct {
		ClientID     string `json:"clientId"`
		ClientSecret string `json:"clientSecret"`
	} `json:"oauth"`
}

type file struct {
	Servers  map[string]json.RawMessage `json:"mcpServers"`
	Disabled []string                   `json:"disabledServers"`
	Enabled  []string                   `json:"enabledServers"`
}

// Read lists the servers that a file describes, by name. A file that is not there
// has none. What is wrong with a server is told with its name, and the others
// count; no value of the file is quoted, as it may be a key. lookup finds the
// variables that the file names.
func Read(path string, lookup func(string) (string, bool)) (servers []Server, wrong []error) {
	raw, err := readFile(path)
	if err != nil || raw == nil {
		return nil, errs(err)
	}
	var f file
	if err := json.Unmarshal(raw, &f); err != nil {
		return nil, errs(fmt.Errorf("%s: %s", path, syntax(err)))
	}
	names := make([]string, 0, len(f.Servers))
	for name := range f.Servers {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		s, on, err := describe(name, f.Servers[name], lookup)
		switch {
		case err != nil:
			wrong = append(wrong, fmt.Errorf("%s: Server %q: %w", path, name, err))
		case on && !slices.Contains(f.Disabled, name) || slices.Contains(f.Enabled, name):
			s.From = path
			servers = append(servers, s)
		}
	}
	return servers, wrong
}

func errs(err error) []error {
	if err == nil {
		return nil
	}
	return []error{err}
}

func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular() || info.Size() > maxFile:
		return nil, fmt.Errorf("%s is not a regular file of at most 1 MiB", path)
	}
	return os.ReadFile(path)
}

// syntax says where a text goes wrong, without quoting it.
func syntax(err error) string {
	if at := (*json.SyntaxError)(nil); errors.As(err, &at) {
		return fmt.Sprintf("it is no JSON, from byte %d on", at.Offset)
	}
	if kind := (*json.UnmarshalTypeError)(nil); errors.As(err, &kind) {
		return fmt.Sprintf("%s must not be a %s", kind.Field, kind.Value)
	}
	return "it is no JSON"
}

func describe(name string, raw json.RawMessage, lookup func(string) (string, bool)) (s Server, on bool, err error) {
	var d description
	if err := json.Unmarshal(raw, &d); err != nil {
		return s, false, errors.New(syntax(err))
	}
	expand := func(text *string) { *text = expanded(*text, lookup) }
	s = Server{
		Name: name, Transport: Transport(d.Type), Command: d.Command, Args: d.Args, Env: d.Env, Dir: d.Dir, URL: d.URL, Headers: d.Headers,
		OAuth:   OAuth{expanded(d.OAuth.ClientID, lookup), expanded(d.OAuth.ClientSecret, lookup)},
		Timeout: time.Duration(d.Timeout) * time.Millisecond,
	}
	if s.Transport == "" {
		s.Transport = Transport(d.Transport)
	}
	if s.Transport == "" {
		s.Transport = Stdio
		if s.URL != "" {
			s.Transport = HTTP
		}
	}
	if s.Transport == "streamable-http" || s.Transport == "streamableHttp" {
		s.Transport = HTTP
	}
	for _, text := range []*string{&s.Command, &s.Dir, &s.URL} {
		expand(text)
	}
	for i := range s.Args {
		expand(&s.Args[i])
	}
	for _, values := range []map[string]string{s.Env, s.Headers} {
		for key, value := range values {
			values[key] = expanded(value, lookup)
		}
	}
	return s, (d.Enabled == nil || *d.Enabled) && !d.Disabled, s.check()
}

var variable = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)(:-([^}]*))?\}`) })

// expanded is a text with its variables, ${NAME} and ${NAME:-instead}. One that is
// not set and has no instead stays as it is written.
func expanded(text string, lookup func(string) (string, bool)) string {
	if !strings.Contains(text, "${") {
		return text
	}
	return variable().ReplaceAllStringFunc(text, func(found string) string {
		parts := variable().FindStringSubmatch(found)
		if value, ok := lookup(parts[1]); ok && value != "" {
			return value
		}
		if parts[2] != "" {
			return parts[3]
		}
		return found
	})
}

// Merge is one list of servers: of two with one name the first counts.
func Merge(lists ...[]Server) (all []Server) {
	for _, list := range lists {
		for _, s := range list {
			if !slices.ContainsFunc(all, func(known Server) bool { return known.Name == s.Name }) {
				all = append(all, s)
			}
		}
	}
	return all
}
