package transcript

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// maxDirName bounds the name of a sessions folder, in bytes. What is cut from a
// longer one is replaced by a hash, so that deep folders stay apart.
const maxDirName = 200

// Dir returns the folder below root for the sessions of the working folder cwd
// (facts/agent 3.1). It only looks at the file system to resolve symlinks.
func Dir(root, cwd string) string {
	cwd = resolved(cwd)
	home, _ := os.UserHomeDir() // without a home, no folder is below it
	name := ""
	if rel, ok := below(resolved(home), cwd); ok && home != "" {
		name = "-" + rel
	} else if rel, ok := below(resolved(os.TempDir()), cwd); ok {
		name = strings.TrimSuffix("-tmp-"+rel, "-")
	} else {
		name = "--" + strings.TrimPrefix(cwd, "/") + "--"
	}
	name = strings.NewReplacer("/", "-", `\`, "-", ":", "-").Replace(name)
	if len(name) > maxDirName {
		sum := sha256.Sum256([]byte(name))
		name = strings.ToValidUTF8(name[:maxDirName-17], "") + "-" + hex.EncodeToString(sum[:8])
	}
	return filepath.Join(root, name)
}

// IsPath tells whether a person who names a session gives the path of its file:
// there is a separator in it, or the file's ending. Otherwise the name is the
// beginning of an id, for Find.
func IsPath(name string) bool {
	return strings.ContainsRune(name, filepath.Separator) || strings.HasSuffix(name, ".jsonl")
}

// fileName is the name of the file of a session that began at that time.
func fileName(id string, began time.Time) string {
	return strings.NewReplacer(":", "-", ".", "-").Replace(stamp(began)) + "_" + id + ".jsonl"
}

func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return filepath.Clean(path)
}

// below returns path relative to dir, "" for dir itself, and whether it is dir
// or in it.
func below(dir, path string) (string, bool) {
	if path == dir {
		return "", true
	}
	rel, ok := strings.CutPrefix(path, strings.TrimSuffix(dir, "/")+"/")
	return rel, ok
}
