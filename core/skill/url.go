package skill

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"veyyon.dev/veyyon/core/file"
)

// Scheme begins the URLs of skills: skill://NAME is its SKILL.md, and
// skill://NAME/PATH a file beside that.
const Scheme = "skill://"

// URL is where models read the skill.
func (s *Skill) URL() string { return Scheme + s.Name }

// File is what a URL of a skill stands for, for work in dir. It leads to nothing
// outside of the skill's folder, but for a SKILL.md of the profile, which may be
// a link. Errors are texts for models.
func (l *Library) File(dir, url string) (path string, err error) {
	name, rest, _ := strings.Cut(strings.TrimPrefix(url, Scheme), "/")
	set := l.Load(dir)
	s := set.Find(name)
	if s == nil {
		if err := set.Faults.Of(name); err != nil {
			return "", fmt.Errorf("the skill %s cannot be used: %w", name, err)
		}
		return "", fmt.Errorf("there is no skill called %q", name)
	}
	folder := filepath.Dir(s.Path)
	if rest == "" || rest == FileName {
		return s.Path, within(s.Path, s.root)
	}
	if !filepath.IsLocal(rest) {
		return "", fmt.Errorf("%s leads out of the skill's folder", url)
	}
	path = filepath.Join(folder, rest)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("the skill %s has no file %s", name, rest)
	}
	if !file.Within(path, folder) {
		return "", fmt.Errorf("%s leads out of the skill's folder", url)
	}
	return path, within(path, s.root)
}
