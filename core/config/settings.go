package config

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Sources say where settings come from. Later ones win: the profile's file, the
// project's .veyyon/settings.json and .veyyon/config.yml, the overlays in order.
type Sources struct {
	Dirs     Dirs
	CWD      string   // the session's folder; overlays that are relative start here too
	Overlays []string // the values of --config
}

// Settings are the settings in force. They are never changed; safe for
// concurrent use.
type Settings struct {
	cwd    string
	values map[string]any    // known keys that are set, checked
	origin map[string]string // the file a key of values comes from
	tree   map[string]any    // everything, unknown keys too
}

// A Warning tells of a setting that was passed over.
type Warning struct {
	File string
	Line int    // 0 when it is not known
	Key  string // "" when the whole file is meant
	Text string
}

func (w Warning) String() string {
	place := w.File
	if w.Line > 0 {
		place = fmt.Sprintf("%s:%d", w.File, w.Line)
	}
	if w.Key == "" {
		return place + ": " + w.Text
	}
	return place + ": " + w.Key + ": " + w.Text
}

// Load reads the settings. What cannot be used in the profile's and project's
// files is passed over with a warning; the files stay as they are, and one of
// the profile's that cannot be read at all is also copied to FILE.corrupt. Only
// a bad overlay is an error, which ends the program with code 1.
func Load(from Sources) (*Settings, []Warning, error) {
	s := &Settings{cwd: from.CWD, values: map[string]any{}, origin: map[string]string{}, tree: map[string]any{}}
	var warnings []Warning
	profile := from.Dirs.ConfigFile()
	project := filepath.Join(from.CWD, ".veyyon")
	for _, file := range []string{profile, filepath.Join(project, "settings.json"), filepath.Join(project, "config.yml")} {
		l, err := readLayer(file)
		if err == nil {
			l.mine = file == profile
			warnings = append(warnings, s.lay(l)...)
			continue
		}
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		said := ""
		if file == profile {
			said = s.closeUnread(file)
		}
		warnings = append(warnings, Warning{File: file, Text: fmt.Sprintf("the settings in it are not used: %v%s", bare(err), said)})
		if file == profile && isBroken(err) {
			if err := keepCopy(file); err != nil {
				warnings = append(warnings, Warning{File: file, Text: fmt.Sprintf("it could not be copied: %v", err)})
			}
		}
	}
	for _, name := range from.Overlays {
		l, err := readOverlay(from.Dirs.Resolve(name, from.CWD))
		if err != nil {
			return nil, warnings, err
		}
		l.mine = true
		warnings = append(warnings, s.lay(l)...)
	}
	return s, warnings, nil
}

// readOverlay reads a file that the command line names. The texts are fixed
// (facts/platform 2.3).
func readOverlay(file string) (*layer, error) {
	l, err := readLayer(file)
	var syntax errSyntax
	switch {
	case err == nil:
		return l, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, fixed("Config overlay not found: %s", file)
	case errors.As(err, &syntax):
		return nil, fixed("Failed to parse config overlay %s: %w", file, syntax)
	case errors.Is(err, errNotMapping):
		return nil, fixed("Config overlay must be a YAML mapping: %s", file)
	default:
		return nil, fixed("Failed to read config overlay %s: %w", file, bare(err))
	}
}

func isBroken(err error) bool {
	var syntax errSyntax
	return errors.As(err, &syntax) || errors.Is(err, errNotMapping)
}

// bare takes the file name off an error that is shown beside it.
func bare(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// keepCopy copies a broken file to FILE.corrupt, unless there is one.
func keepCopy(file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	out, err := os.OpenFile(file+".corrupt", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = out.Write(data)
	return errors.Join(err, out.Close())
}

// lay puts a layer over what there is, without the values that do not fit.
func (s *Settings) lay(l *layer) []Warning {
	var warnings []Warning
	var unclear []string // names of what is passed over and may be a fence
	warn := func(path []string, name, text string) {
		warnings = append(warnings, Warning{File: l.file, Line: l.line(path), Key: name, Text: text})
		drop(l.tree, path)
	}
	modernize(l.tree)
	for _, path := range groups() {
		switch v, ok := lookup(l.tree, path); v.(type) {
		case map[string]any:
		case nil:
			if ok {
				drop(l.tree, path)
			}
		default:
			warn(path, join(path), "expected a mapping, got "+show(v)+"; it is ignored")
			unclear = append(unclear, join(path))
		}
	}
	for _, key := range table {
		raw, ok := lookup(l.tree, key.path)
		if !ok {
			continue
		}
		if raw == nil {
			drop(l.tree, key.path)
			continue
		}
		if key.guards && !l.mine {
			warn(key.path, key.name, "a project does not set this, only the profile and --config do; it is ignored")
			continue
		}
		value, problem := key.check(raw)
		if problem != "" && key.name == ApprovalMode.name {
			// The safe one, not the default, since the person wanted to be asked.
			value = "ask"
			warnings = append(warnings, Warning{File: l.file, Line: l.line(key.path), Key: key.name, Text: approvalText(raw)})
		} else if problem != "" {
			warn(key.path, key.name, problem+"; it is ignored")
			if key.name == Approval.name || key.name == SecretsOn.name {
				unclear = append(unclear, key.name)
			}
			continue
		}
		var faults []Warning
		value, faults = l.sift(key, value)
		warnings = append(warnings, faults...)
		put(l.tree, key.path, value)
		s.origin[key.name] = l.file
	}
	warnings = append(append(warnings, l.idle()...), l.twice()...)
	s.tree = merge(s.tree, l.tree)
	for _, key := range table {
		if v, ok := lookup(s.tree, key.path); ok {
			s.values[key.name] = v
		}
	}
	return append(warnings, s.closeUnclear(l, unclear)...)
}

// sift returns a value without the entries or members that do not fit.
func (l *layer) sift(key *spec, value any) (fit any, faults []Warning) {
	warn := func(name, problem string) {
		faults = append(faults, Warning{File: l.file, Line: l.line(append(slices.Clip(key.path), name)), Key: key.name + "." + name, Text: problem + "; it is ignored"})
	}
	switch value := value.(type) {
	case []any:
		kept := make([]any, 0, len(value))
		for i, entry := range value {
			fit, problem := key.checkMember(entry)
			if problem != "" {
				warn(strconv.Itoa(i), problem)
				continue
			}
			kept = append(kept, fit)
		}
		return kept, faults
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			fit, problem := key.checkMember(value[name])
			if value[name] = fit; problem != "" { // the tree is ours
				warn(name, problem)
				delete(value, name)
			}
		}
	}
	return value, faults
}

func approvalText(raw any) string {
	return fmt.Sprintf(`tools.approvalMode is set to an unrecognized value (%s); falling back to "ask" (safe). `+
		`Valid values: plan, ask, auto-edit, yolo, always-ask, write.`, show(raw))
}

// With returns settings in which the key has this value, whatever files say.
func (k Key[T]) With(s *Settings, value T) *Settings {
	return s.override(k.spec, value, "override")
}

func (s *Settings) override(key *spec, value any, origin string) *Settings {
	out := *s
	out.values, out.origin = maps.Clone(s.values), maps.Clone(s.origin)
	out.values[key.name], out.origin[key.name] = value, origin
	layer := map[string]any{}
	put(layer, key.path, value)
	out.tree = merge(s.tree, layer)
	return &out
}

// WithHostDefaults returns settings as a host finds them over RPC: what the
// protocol names and no file sets has its default, and keeps it.
//
// Protocol: facts/rpc 15.
func (s *Settings) WithHostDefaults() *Settings {
	for _, key := range table {
		if _, set := s.values[key.name]; key.hosted && !set {
			s = s.override(key, key.preset, "host default")
		}
	}
	return s
}

// Models returns the patterns of enabledModels that count in this folder.
func (s *Settings) Models() []string { return s.scoped(EnabledModels.Of(s), "models") }

// HiddenProviders returns the disabledProviders that count in this folder.
func (s *Settings) HiddenProviders() []string {
	return s.scoped(DisabledProviders.Of(s), "providers")
}

// scoped reads entries that are texts, or mappings of folders to texts.
func (s *Settings) scoped(entries []any, what string) []string {
	var out []string
	for _, entry := range entries {
		switch e := entry.(type) {
		case string:
			out = append(out, e)
		case map[string]any:
			if s.inScope(e) {
				for _, name := range []string{what, "values", "items"} {
					out = append(out, texts(e[name])...)
				}
			}
		}
	}
	return out
}

func (s *Settings) inScope(entry map[string]any) bool {
	for _, name := range []string{"path", "paths", "pathPrefix", "pathPrefixes"} {
		if slices.ContainsFunc(texts(entry[name]), s.isBelow) {
			return true
		}
	}
	return false
}

func (s *Settings) isBelow(dir string) bool {
	if home, err := os.UserHomeDir(); err == nil {
		dir = Dirs{User: home}.Resolve(dir, s.cwd)
	}
	rel, err := filepath.Rel(dir, s.cwd)
	return err == nil && filepath.IsLocal(rel)
}

// texts returns a text or the texts of a list.
func texts(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		var out []string
		for _, item := range v {
			if text, ok := item.(string); ok {
				out = append(out, text)
			}
		}
		return out
	}
	return nil
}

func join(path []string) string { return strings.Join(path, ".") }
