package config

import (
	"os"
	"path/filepath"
	"strings"
)

// AwayFromHome returns the folder to work in when the program was started in
// dir: dir itself, unless that is the home, where tools would see everything;
// then the first temporary folder there is. Not for --cwd or --allow-home.
func AwayFromHome(dir string, dirs Dirs) string {
	if resolved(dir) != resolved(dirs.User) {
		return dir
	}
	for _, other := range []string{filepath.Join(dirs.User, "tmp"), "/tmp", "/var/tmp", os.TempDir()} {
		if isDir(other) {
			return other
		}
	}
	return dir
}

// Workdir returns the folder that session.workdir names; "" when it is not set.
// Not for --cwd.
func Workdir(s *Settings, dirs Dirs) (string, error) {
	value := SessionWorkdir.Of(s)
	if value == "" {
		return "", nil
	}
	if !filepath.IsAbs(value) && value != "~" && !strings.HasPrefix(value, "~/") {
		return "", fixed("session.workdir must be an absolute or ~-relative path, got %q.", value)
	}
	dir := dirs.Resolve(value, "")
	if !isDir(dir) {
		return "", fixed("session.workdir points at a missing directory: %s.", dir)
	}
	return dir, nil
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return filepath.Clean(path)
}
