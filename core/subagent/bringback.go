package subagent

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"veyyon.dev/veyyon/core/file"
)

// bringBack takes the work of an isolated agent home: into the working tree, or,
// where that has changed in the same places, into a patch beside the transcripts.
// The work of one that failed stays in a patch too. What can be taken nowhere
// stays in the copy.
func (w *Work) bringBack(c *checkout, r *Result) {
	patch, err := c.patch(w.end)
	switch {
	case err != nil:
		c.keep(w.end)
		r.ExitCode, r.Error = 1, fmt.Sprintf("the changes of the agent are left in %s, as they cannot be read: %v", c.tree, err)
		return
	case len(patch) == 0:
		return
	case r.ExitCode == 0 && w.team.opts.Merge == "branch":
		name := "veyyon/" + strings.ReplaceAll(r.ID, ".", "-") + time.Now().Format("-20060102-150405")
		if err = c.branch(w.end, name, w.yield.message(r.ID)); err == nil {
			r.BranchName = name
			return
		}
	case r.ExitCode == 0:
		w.team.merging.Lock() // two patches of one file at a time would lose one of them
		err = c.apply(w.end, patch)
		w.team.merging.Unlock()
		if err == nil {
			return
		}
	}
	if err != nil {
		slog.Info("the changes of an agent stay in a patch", "agent", r.ID, "err", err)
	}
	path, failed := w.keepPatch(r.ID, patch)
	if failed != nil {
		c.keep(w.end)
		r.ExitCode, r.Error = 1, fmt.Sprintf("the changes of the agent are left in %s: %v", c.tree, errors.Join(err, failed))
		return
	}
	r.PatchPath = path
}

// keepPatch writes a patch beside the transcripts, or, for a session in memory,
// where temporary files are.
func (w *Work) keepPatch(id string, patch []byte) (path string, err error) {
	if folder := w.parent.Folder(); folder != "" {
		path = filepath.Join(folder, id+".patch")
		return path, file.Put(path, patch, 0o600)
	}
	f, err := os.CreateTemp("", "veyyon-"+id+"-*.patch")
	if err != nil {
		return "", err
	}
	_, err = f.Write(patch)
	return f.Name(), errors.Join(err, f.Close())
}
