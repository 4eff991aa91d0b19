package edit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/file"
	"veyyon.dev/veyyon/core/file/patch"
	"veyyon.dev/veyyon/core/tool"
)

// maxFiles is how many files one patch may name; one with more is refused.
const maxFiles = 100

// maxShown bounds the diff of one file that the model gets where line numbers
// matter, in bytes; the rest is left out.
const maxShown = 4 << 10

// staging holds what a patch makes of the files it names, until all of it is
// known to fit. The files are locked meanwhile.
type staging struct {
	Options
	tagged bool // tells the model of versions and diffs
	dir    string
	texts  file.Texts
	files  []*staged // in the order they were named
	notes  []string
}

// staged is a file as it was and as it will be; nil is no file.
type staged struct {
	path, target  string // as it was asked for first, and its Target
	unlock        func() // nil while it is not locked
	before, after []byte
	moved         *staged // where it goes
	came          bool    // it comes from another file
}

// open locks and reads the files that the changes name. They are locked in one
// order for all, so that no two patches wait for each other.
func (s *staging) open(ctx context.Context, changes []patch.Change) error {
	for _, c := range changes {
		for _, path := range []string{c.Path, c.Move} {
			if path == "" {
				continue
			}
			if _, _, ok := file.URL(path); ok {
				return fmt.Errorf("edit works on files only, not on %s", path)
			}
			full := file.Resolve(s.dir, path)
			target, err := file.Target(full)
			if err != nil {
				return err
			}
			if s.at(target) == nil {
				s.files = append(s.files, &staged{path: full, target: target})
			}
		}
	}
	if len(s.files) > maxFiles {
		return fmt.Errorf("the patch names more than %d files", maxFiles)
	}
	for _, f := range slices.SortedFunc(slices.Values(s.files), func(a, b *staged) int { return strings.Compare(a.target, b.target) }) {
		var err error
		if f.unlock, err = s.Locks.Lock(ctx, f.target); err != nil {
			return err
		}
		f.before, err = load(ctx, s.texts, f.path, f.target)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		f.after = f.before
	}
	return nil
}

func (s *staging) at(target string) *staged {
	for _, f := range s.files {
		if f.target == target {
			return f
		}
	}
	return nil
}

func (s *staging) named(path string) (*staged, error) {
	target, err := file.Target(file.Resolve(s.dir, path))
	if err != nil {
		return nil, err
	}
	return s.at(target), nil // open has been there
}

func (s *staging) unlock() {
	for _, f := range s.files {
		if f.unlock != nil {
			f.unlock()
		}
	}
}

// stage makes a change, in memory.
func (s *staging) stage(c patch.Change) error {
	f, err := s.named(c.Path)
	switch {
	case err != nil:
		return err
	case c.Op == patch.Create && f.after != nil:
		return errors.New("the file is there already; update it instead")
	case c.Op != patch.Create && f.after == nil:
		return errors.New("file not found")
	case s.KeepGenerated && file.Generated(f.before):
		return file.ErrGenerated
	case (c.Op == patch.Delete || c.Move != "") && isLink(file.Resolve(s.dir, c.Path)):
		return errors.New("it is a link, and what it leads to would go; a patch only updates that")
	case c.Op == patch.Create:
		f.after = []byte(c.Text)
	case c.Op == patch.Delete:
		f.after = nil
		return nil
	}
	if c.Tag != "" {
		if now := patch.Tag(f.before); now != c.Tag {
			return fmt.Errorf("the file is not the one with the tag %s any more (it has %s now); read it again", c.Tag, now)
		}
		f.after, err = patch.Splice(f.before, c.Spans)
		return err
	}
	if len(c.Hunks) > 0 {
		after, notes, err := patch.Apply(f.after, c.Hunks, s.Like.Exact)
		if err != nil {
			return err
		}
		f.after = after
		for _, note := range notes {
			s.notes = append(s.notes, c.Path+": "+note)
		}
	}
	if c.Move == "" {
		return nil
	}
	to, err := s.named(c.Move)
	switch {
	case err != nil:
		return err
	case to == f:
		return nil
	case to.after != nil:
		return fmt.Errorf("it cannot move to %s, which is there already", c.Move)
	}
	for _, from := range s.files { // it may have come here just now
		if from.moved == f {
			from.moved = to
		}
	}
	if f.before != nil {
		f.moved = to
	}
	to.after, to.came, f.after, f.came = f.after, true, nil, false
	return nil
}

func isLink(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

// carryOut writes what was staged: first what is new, then what goes, so that no
// text is lost where it ends early.
func (s *staging) carryOut(ctx context.Context) (tool.Output, error) {
	var done []string
	var shown tool.Output // what hosts are shown
	fail := func(err error) (tool.Output, error) {
		if len(done) > 0 {
			err = fmt.Errorf("only a part of the patch was carried out (%s): %w", strings.Join(done, "; "), err)
		}
		return tool.Output{}, err
	}
	var results []Details
	for _, f := range s.files {
		if f.after == nil || f.before != nil && bytes.Equal(f.before, f.after) {
			continue
		}
		if err := s.write(ctx, f); err != nil {
			return fail(err)
		}
		if f.came {
			continue // it is told where it comes from
		}
		d := f.details(s.dir)
		tool.Changed(&shown, f.path, f.before, f.after, d.FirstChangedLine)
		results = append(results, d)
		done = append(done, told(s.dir, d))
		if s.tagged {
			done = append(done, patch.Header(file.Display(s.dir, f.target), patch.Tag(f.after)), file.Cut(d.Diff, maxShown))
		}
	}
	for _, f := range s.files {
		if f.before == nil || f.after != nil {
			continue
		}
		d := f.details(s.dir)
		if f.moved != nil {
			keepMode(f.target, f.moved.target)
		}
		if err := os.Remove(f.target); err != nil {
			return fail(err)
		}
		f.gone(&shown, d)
		results = append(results, d)
		done = append(done, told(s.dir, d))
	}
	if len(results) == 0 {
		return tool.Output{}, errors.New("the patch changes nothing")
	}
	details := results[0]
	if len(results) > 1 {
		details = Details{FirstChangedLine: results[0].FirstChangedLine, Op: "update", PerFile: results}
		for _, d := range results {
			details.Diff += d.Diff
		}
		if short := file.Cut(details.Diff, maxDiff); short != details.Diff {
			details.Diff = short + "\n[the diff goes on]\n"
		}
	}
	shown.Content = tool.TextOutput(strings.Join(append(done, s.notes...), "\n")).Content
	return tool.Detailed(shown, details)
}

// write puts a text where it goes. Files move on the disk alone.
func (s *staging) write(ctx context.Context, f *staged) error {
	if f.came {
		return s.texts.Save(f.target, f.after)
	}
	return s.texts.Write(ctx, f.path, f.target, f.after)
}

// gone notes that the file is not where it was.
func (f *staged) gone(shown *tool.Output, d Details) {
	switch {
	case f.moved == nil:
		tool.Changed(shown, f.path, f.before, nil, 0)
	case d.Diff != "":
		tool.Changed(shown, f.moved.path, f.before, f.moved.after, d.FirstChangedLine)
	default:
		shown.Locations = append(shown.Locations, event.Location{Path: f.moved.path})
	}
}

// keepMode gives a file that has moved the permission bits that it had.
func keepMode(from, to string) {
	if info, err := os.Stat(from); err == nil {
		_ = os.Chmod(to, info.Mode().Perm()) // the text is there, which matters more
	}
}

func (f *staged) details(dir string) Details {
	after, shown, to := f.after, file.Display(dir, f.target), ""
	d := Details{Path: f.target, Op: string(patch.Update)}
	switch {
	case f.moved != nil:
		after, to = f.moved.after, file.Display(dir, f.moved.target)
		d.Move = f.moved.target
	case f.before == nil:
		d.Op = string(patch.Create)
	case f.after == nil:
		d.Op = string(patch.Delete)
	}
	d.FirstChangedLine = firstChange(f.before, after)
	if !bytes.Equal(f.before, after) {
		d.Diff = diff(shown, f.before, after)
	}
	if to != "" && d.Diff != "" {
		d.Diff = strings.Replace(d.Diff, "+++ "+shown+"\n", "+++ "+to+"\n", 1)
	}
	return d
}

// told is what the model reads of a file.
func told(dir string, d Details) string {
	shown := file.Display(dir, d.Path)
	switch {
	case d.Move != "":
		return fmt.Sprintf("Moved %s to %s.", shown, file.Display(dir, d.Move))
	case d.Op == string(patch.Create):
		return fmt.Sprintf("Created %s.", shown)
	case d.Op == string(patch.Delete):
		return fmt.Sprintf("Deleted %s.", shown)
	}
	return fmt.Sprintf("Edited %s, first changed line %d.", shown, d.FirstChangedLine)
}
