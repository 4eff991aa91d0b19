package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"veyyon.dev/veyyon/core/config"
	"veyyon.dev/veyyon/core/file"
	"veyyon.dev/veyyon/core/transcript"
)

// find opens the session to go on with, if one is asked for.
func (l *launch) find() error {
	if l.flags.NoSession {
		if l.flags.Resume != "" || l.flags.Continue {
			return usageErrorf("--no-session cannot be combined with --resume or --continue")
		}
		return nil
	}
	path, err := l.wanted()
	if err != nil || path == "" {
		return err
	}
	l.resume, err = transcript.Open(path, l.transcripts(l.dir))
	return err
}

// wanted is the file of the session to go on with; "" begins a new one.
func (l *launch) wanted() (string, error) {
	folder := l.transcripts(l.dir).Dir
	switch name := l.flags.Resume; {
	case name == "" && (l.flags.Continue || config.AutoResume.Of(l.settings)):
		newest, err := transcript.Page([]string{folder}, "", 1)
		if err != nil || len(newest.Sessions) == 0 {
			return "", err
		}
		return newest.Sessions[0].Path, nil
	case name == "":
		return "", nil
	case transcript.IsPath(name):
		return l.fileOf(name)
	default:
		found, ok, err := transcript.Find(l.dirs.Sessions, folder, name)
		switch {
		case err != nil:
			return "", err
		case !ok:
			return "", notFound(name)
		case found.CWD != "" && !file.Same(found.CWD, l.dir):
			//lint:ignore ST1005 it is shown to people
			return "", fmt.Errorf("Session %q is in another project (%s); start there, or give its file.", name, transcript.CleanTitle(found.CWD))
		}
		return found.Path, nil
	}
}

// fileOf is the file of a session that is named by its path, which must be there.
func (l *launch) fileOf(name string) (string, error) {
	path := l.dirs.Resolve(name, l.dir)
	_, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = notFound(name)
	}
	return path, err
}

func notFound(name string) error {
	//lint:ignore ST1005 the text is fixed (facts/platform 1.4)
	return fmt.Errorf("Session %q not found.", name)
}

// transcripts says where the sessions of a directory are kept.
func (l *launch) transcripts(dir string) transcript.Options {
	o := transcript.Options{CWD: dir, Blobs: l.dirs.Blobs}
	switch {
	case l.flags.NoSession:
	case l.flags.SessionDir != "":
		o.Dir = l.dirs.Resolve(l.flags.SessionDir, l.dir)
	default:
		o.Dir = transcript.Dir(l.dirs.Sessions, dir)
	}
	return o
}

// sessionsRoot is the folder above those of all working directories; "" when
// all sessions are in one, or in memory.
func (l *launch) sessionsRoot() string {
	if l.flags.NoSession || l.flags.SessionDir != "" {
		return ""
	}
	return l.dirs.Sessions
}
