// Package memory is a host in memory: an editor with texts and terminals that a
// test writes the script of.
package memory

import (
	"context"
	"fmt"
	"maps"
	"sync"

	"veyyon.dev/veyyon/core/host"
)

// Files are texts of an editor, by their absolute paths. The zero value has none.
// Safe for concurrent use.
type Files struct {
	mu    sync.Mutex
	texts map[string]string
	fault error
	calls []string
}

// Put gives a file a text that is not on the disk.
func (f *Files) Put(path, text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.texts == nil {
		f.texts = map[string]string{}
	}
	f.texts[path] = text
}

// Fail makes all that is asked for fail; nil ends that.
func (f *Files) Fail(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fault = err
}

// Calls lists what was asked for since it was last looked at, as "read PATH" and
// "write PATH".
func (f *Files) Calls() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	calls := f.calls
	f.calls = nil
	return calls
}

// Texts is a copy of the texts.
func (f *Files) Texts() map[string]string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.texts)
}

// Host is the editor as agents ask it.
func (f *Files) Host() host.Files {
	return host.Files{
		Read: func(ctx context.Context, path string) (string, error) {
			if err := f.note(ctx, "read "+path); err != nil {
				return "", err
			}
			f.mu.Lock()
			defer f.mu.Unlock()
			text, ok := f.texts[path]
			if !ok {
				return "", fmt.Errorf("%s is not open", path)
			}
			return text, nil
		},
		Write: func(ctx context.Context, path, content string) error {
			if err := f.note(ctx, "write "+path); err != nil {
				return err
			}
			f.Put(path, content)
			return nil
		},
	}
}

func (f *Files) note(ctx context.Context, call string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, call)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return f.fault
}
