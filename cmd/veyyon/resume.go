package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"veyyon.dev/veyyon/core/config"
	"veyyon.dev/veyyon/core/file"
	"veyyon.dev/veyyon/core/transcript"
)

// find opens the session to go on with, if one is asked for.
func (l *launch) find() error {
	switch f := l.flags; {
	case f.NoSession && f.Fork != "":
		return usageErrorf("--fork requires session persistence")
	case f.Fork != "" && (f.Resume != "" || f.Continue):
		return usageErrorf("--fork cannot be combined with --resume or --continue")
	case f.NoSession && (f.Resume != "" || f.Continue):
		return usageErrorf("--no-session cannot be combined with --resume or --continue")
	case f.NoSession:
		return nil
	case f.Fork != "":
		return l.fork()
	}
	path, err := l.wanted()
	if err != nil || path == "" {
		return err
	}
	l.resume, err = transcript.Open(path, l.transcripts(l.dir))
	return err
}

// fork copies the session that --fork names, with what belongs to it. It may be
// one of another project, and one that another process goes on with.
func (l *launch) fork() error {
	path, _, err := l.named(l.flags.Fork)
	if err != nil {
		return err
	}
	return l.forkOf(path)
}

// forkOf is fork for the session in a file.
func (l *launch) forkOf(path string) error {
	opts := l.transcripts(l.dir)
	from, err := transcript.Read(path, opts)
	if err != nil {
		return err
	}
	opts.Parent = from.Header().ID
	l.resume, err = from.Fork(opts)
	if closed := from.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	folder := os.DirFS(strings.TrimSuffix(path, ".jsonl"))
	if err := os.CopyFS(strings.TrimSuffix(l.resume.Path(), ".jsonl"), folder); err != nil && !errors.Is(err, fs.ErrNotExist) {
		l.warn("artifacts of the session were not copied", err)
	}
	return nil
}

// wanted is the file of the session to go on with; "" begins a new one.
func (l *launch) wanted() (string, error) {
	name := l.flags.Resume
	if name == "" {
		if !l.flags.Continue && !config.AutoResume.Of(l.settings) {
			return "", nil
		}
		newest, err := transcript.Page([]string{l.transcripts(l.dir).Dir}, "", 1)
		if err != nil || len(newest.Sessions) == 0 {
			return "", err
		}
		return newest.Sessions[0].Path, nil
	}
	path, cwd, err := l.named(name)
	if err == nil && cwd != "" && !file.Same(cwd, l.dir) {
		//lint:ignore ST1005 it is shown to people
		return "", fmt.Errorf("Session %q is in another project (%s); start there, fork it, or give its file.", name, transcript.CleanTitle(cwd))
	}
	return path, err
}

// named finds a session by its id, or by the beginning of one, and tells where it
// works; or by its file, which may work anywhere.
func (l *launch) named(name string) (path, cwd string, err error) {
	if transcript.IsPath(name) {
		path, err = l.fileOf(name)
		return path, "", err
	}
	found, ok, err := transcript.Find(l.dirs.Sessions, l.transcripts(l.dir).Dir, name)
	if err == nil && !ok {
		err = notFound(name)
	}
	return found.Path, found.CWD, err
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
