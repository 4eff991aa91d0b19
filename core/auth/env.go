package auth

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"sync"
)

// Env is the environment as keys are looked up in it: the process's own, then
// .env files. What a file defines stays in here; the process's environment is
// never changed, so children do not see it. Immutable.
type Env struct{ vars map[string]string }

// LoadEnv joins the environment of the process (NAME=VALUE each) with .env
// files; of several definitions of a name the first wins, and within one file
// the last. A missing file is skipped; the error names those that could not be
// read, and the Env holds the rest.
func LoadEnv(environ []string, files ...string) (Env, error) {
	env := Env{vars: make(map[string]string, len(environ))}
	for _, entry := range environ {
		if name, value, ok := strings.Cut(entry, "="); ok {
			env.add(name, value)
		}
	}
	var faults []error
	for _, path := range files {
		text, err := readEnvFile(path)
		if err != nil {
			faults = append(faults, fmt.Errorf("reading %s: %w", path, err))
			continue
		}
		for name, value := range parseEnv(text) {
			env.add(name, value)
		}
	}
	return env, errors.Join(faults...)
}

// Get is the value of a variable, "" when it is not set.
func (e Env) Get(name string) string { return e.vars[name] }

// First is the value of the first of these names that is not empty.
func (e Env) First(names []string) string {
	for _, name := range names {
		if value := e.vars[name]; value != "" {
			return value
		}
	}
	return ""
}

func (e Env) add(name, value string) {
	if _, taken := e.vars[name]; !taken {
		e.vars[name] = value
	}
}

func readEnvFile(path string) (string, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() > maxFileBytes {
		return "", errors.New("not a regular file of at most 1 MiB")
	}
	raw, err := os.ReadFile(path)
	return string(raw), err
}

var envName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`) })

// parseEnv reads the text of a .env file: lines KEY=VALUE, comments with # at
// the start of a line, one layer of matching quotes around a value. NUL is
// dropped, nothing is expanded, other lines (`export A=b` among them) are
// skipped. Source: facts/platform 2.5.
func parseEnv(text string) map[string]string {
	vars := map[string]string{}
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\x00", "")
	for line := range strings.SplitSeq(text, "\n") {
		name, value, ok := strings.Cut(strings.TrimSpace(line), "=")
		if name = strings.TrimSpace(name); ok && envName().MatchString(name) {
			vars[name] = unquote(strings.TrimSpace(value))
		}
	}
	return vars
}

func unquote(value string) string {
	if n := len(value); n >= 2 && value[0] == value[n-1] && (value[0] == '"' || value[0] == '\'') {
		return value[1 : n-1]
	}
	return value
}
