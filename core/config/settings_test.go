package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// room is a profile and a project to put files into.
type room struct {
	Sources
	t *testing.T
}

func newRoom(t *testing.T) *room {
	home := t.TempDir()
	d, err := Locate(env(map[string]string{"HOME": home}), nil)
	do(t, err)
	return &room{t: t, Sources: Sources{Dirs: d, CWD: filepath.Join(home, "project")}}
}

func (r *room) profile(text string) string {
	return write(r.t, filepath.Join(r.Dirs.Agent, "config.yml"), text)
}

func (r *room) project(name, text string) string {
	return write(r.t, filepath.Join(r.CWD, ".veyyon", name), text)
}

func (r *room) load() (*Settings, []string) {
	r.t.Helper()
	s, warnings, err := Load(r.Sources)
	do(r.t, err)
	var texts []string
	for _, w := range warnings {
		texts = append(texts, w.String())
	}
	return s, texts
}

func TestWithoutFilesEverythingIsTheDefault(t *testing.T) {
	s, warnings := newRoom(t).load()
	same(t, 0, len(warnings))
	same(t, []any{"one-at-a-time", "immediate", 10, true, 0.95, "high", 4, "replace"},
		[]any{SteeringMode.Of(s), InterruptMode.Of(s), RetryMax.Of(s), TodoReminders.Of(s), EditThreshold.Of(s), ThinkingDefault.Of(s), SessionAway.Of(s), EditMode.Of(s)})
	for _, item := range s.Items() {
		if item.Doc == "" || item.Origin != "" {
			t.Errorf("%+v", item)
		}
	}
}

func TestDefaultsFitTheirOwnKeys(t *testing.T) {
	seen := map[string]bool{}
	for _, key := range table {
		if seen[key.name] {
			t.Errorf("%s twice", key.name)
		}
		seen[key.name] = true
		if why := reasons()[key.name]; why != "" {
			t.Errorf("%s has a meaning, and %s", key.name, why)
		}
		if v, problem := key.check(key.preset); problem != "" || show(v) != show(key.preset) {
			t.Errorf("%s: %s", key.name, problem)
		}
	}
}

func TestLaterLayersWinMappingsMergeListsReplace(t *testing.T) {
	r := newRoom(t)
	profile := r.profile("steeringMode: all\nretry: {maxRetries: 1, baseDelayMs: 2, enabled: no}\nmodelProviderOrder: [a, b]\nmodelRoles: {default: p/one, smol: p/two}\nunknown: {deep: [1]}\n")
	r.project("settings.json", "{\n\t\"retry\": {\"maxRetries\": 3},\n\t\"followUpMode\": \"all\", \"interruptMode\": \"wait\"\n}")
	project := r.project("config.yml", "interruptMode: immediate\nmodelProviderOrder: [c]\n")
	r.Overlays = []string{"one.yml", "~/two.yml", write(t, filepath.Join(t.TempDir(), "three.yml"), "\n")}
	write(t, filepath.Join(r.CWD, "one.yml"), "retry: {maxDelayMs: 5}\nmodelRoles: {default: p/three}\n")
	write(t, filepath.Join(r.Dirs.User, "two.yml"), "retry: {maxDelayMs: 6}\n")
	s, warnings := r.load()
	same(t, []string{profile + ":5: unknown: unknown setting; it is ignored"}, warnings)
	same(t, []any{"all", "all", "immediate", 3, 2, 6, false}, []any{
		SteeringMode.Of(s), FollowUpMode.Of(s), InterruptMode.Of(s), RetryMax.Of(s), RetryBaseDelay.Of(s), RetryMaxDelay.Of(s), RetryEnabled.Of(s),
	})
	same(t, []any{"c"}, ModelProviders.Of(s))
	same(t, map[string]any{"default": "p/three", "smol": "p/two"}, ModelRoles.Of(s))
	item, _ := s.Item("steeringMode")
	same(t, profile, item.Origin)
	item, _ = s.Item("modelProviderOrder")
	same(t, []any{project, []any{}}, []any{item.Origin, item.Default})
	for name, want := range map[string]any{"unknown.deep": []any{uint64(1)}, "modelRoles.smol": "p/two", "retry.maxRetries": 3, "bash.enabled": true} {
		got, ok := s.Get(name)
		same(t, []any{want, true}, []any{got, ok})
	}
	if v, ok := s.Get("no.such"); ok {
		t.Fatal(v)
	}
	again, _ := r.load()
	same(t, "p/three", ModelRoles.Of(again)["default"]) // overlays are not written back
	if strings.Contains(read(t, profile), "three") {
		t.Fatal("the overlay reached the profile")
	}
}

func TestWhatDoesNotFitIsNamedAndIgnored(t *testing.T) {
	r := newRoom(t)
	text := "steeringMode: sometimes\nretry:\n  maxRetries: many\n  baseDelayMs: -1\n  maxDelayMs: 9\ncompaction: 5\nmodelProviderOrder: x\nmodelRoles: [a]\n" +
		"read:\n  defaultLimit: 2.5\ntodo:\n  reminders: maybe\nbash:\nshellPath: 7\ntools:\n  approvalMode: yes please\nfollowUpMode: all\nthinkingBudgets: {low: .inf}\n"
	file := r.profile(text)
	s, warnings := r.load()
	same(t, []string{
		file + ":6: compaction: expected a mapping, got 5; it is ignored",
		file + `:1: steeringMode: expected one of one-at-a-time, all, got "sometimes"; it is ignored`,
		file + `:3: retry.maxRetries: expected a whole number, got "many"; it is ignored`,
		file + ":4: retry.baseDelayMs: expected at least 0, got -1; it is ignored",
		file + ":8: modelRoles: expected a mapping, got a list; it is ignored",
		file + `:7: modelProviderOrder: expected a list, got "x"; it is ignored`,
		file + ":18: thinkingBudgets.low: expected a whole number, got +Inf; it is ignored",
		file + ":14: shellPath: expected a string, got 7; it is ignored",
		file + `:16: tools.approvalMode: tools.approvalMode is set to an unrecognized value ("yes please"); falling back to "ask" (safe). Valid values: plan, ask, auto-edit, yolo, always-ask, write.`,
		file + ":10: read.defaultLimit: expected a whole number, got 2.5; it is ignored",
		file + `:12: todo.reminders: expected a boolean, got "maybe"; it is ignored`,
	}, warnings)
	same(t, []any{"one-at-a-time", "all", 10, 500, 9, true, "ask", 300}, []any{
		SteeringMode.Of(s), FollowUpMode.Of(s), RetryMax.Of(s), RetryBaseDelay.Of(s), RetryMaxDelay.Of(s), CompactionOn.Of(s), ApprovalMode.Of(s), ReadLimit.Of(s),
	})
	same(t, text, read(t, file))
}

func TestTodoRemindersIsASwitchAndAMapping(t *testing.T) {
	for text, want := range map[string][]any{
		"todo: {reminders: false}":                   {false, 3},
		"todo: {reminders: {max: 5}}":                {true, 5},
		"todo: {reminders: {enabled: false}}":        {false, 3},
		"todo: {reminders: {enabled: no, max: 100}}": {false, 100},
	} {
		r := newRoom(t)
		r.profile(text)
		s, warnings := r.load()
		same(t, []string(nil), warnings)
		same(t, want, []any{TodoReminders.Of(s), TodoMax.Of(s)})
	}
	r := newRoom(t)
	r.profile("todo: {reminders: false}")
	r.project("config.yml", "todo: {reminders: {max: 7}}")
	s, _ := r.load()
	same(t, []any{false, 7}, []any{TodoReminders.Of(s), TodoMax.Of(s)}) // the off switch stays
}

func TestOlderNamesAreUnderstood(t *testing.T) {
	r := newRoom(t)
	r.profile("queueMode: all\ncompactionModel: p/m\ncompaction: {strategy: shake-summary}\nask: {timeout: 30000}\ntask: {eager: true, maxRecursionDepth: 1, isolation: {enabled: true}}\nagent: {maxConcurrency: 3}\nedit: {mode: vim}\n")
	r.project("config.yml", "task: {maxConcurrency: 9, isolation: {mode: worktree}}\n")
	s, warnings := r.load()
	same(t, []string(nil), warnings)
	same(t, []any{"p/m", "handoff", 30, "all", "always", 1, "rcopy", 9, "hashline"}, []any{
		CompactionModel.Of(s), CompactionStrategy.Of(s), AskTimeout.Of(s), SteeringMode.Of(s), AgentDelegation.Of(s), AgentDepth.Of(s), AgentIsolation.Of(s), AgentConcurrency.Of(s), EditMode.Of(s),
	})
}

func TestHostDefaultsOnlyWhereNothingIsSet(t *testing.T) {
	r := newRoom(t)
	r.profile("async: {maxJobs: 7}\ntodo: {reminders: false}\n")
	r.Overlays = []string{write(t, filepath.Join(t.TempDir(), "o.yml"), "bash: {autoBackground: {enabled: true}}\n")}
	loaded, _ := r.load()
	before := AgentDepth.With(loaded, 5)
	s := before.WithHostDefaults()
	var pinned []string
	for _, item := range s.Items() {
		if item.Origin == "host default" {
			pinned = append(pinned, item.Key)
			same(t, item.Default, item.Value)
		}
	}
	same(t, []string{
		"bash.autoBackground.thresholdMs", "agent.isolation.mode", "agent.isolation.merge", "agent.isolation.commits", "agent.delegation",
		"agent.batch", "agent.maxConcurrency", "agent.agents", "async.enabled", "memory.backend",
	}, pinned)
	same(t, []any{7, true, 5, false}, []any{AsyncMax.Of(s), AutoBackground.Of(s), AgentDepth.Of(s), TodoReminders.Of(s)})
	unset, _ := before.Item("async.enabled")
	same(t, "", unset.Origin) // what WithHostDefaults was given stays as it was
}

func TestBrokenProfileFileIsKeptAndCopiedOnce(t *testing.T) {
	r := newRoom(t)
	for _, text := range []string{"steeringMode: all\nretry: [\n", "- a\n- b\n", "just text"} {
		file := r.profile(text)
		do(t, os.RemoveAll(file+".corrupt"))
		s, warnings := r.load()
		same(t, "one-at-a-time", SteeringMode.Of(s))
		if len(warnings) != 1 || !strings.HasPrefix(warnings[0], file+": the settings in it are not used: ") {
			t.Fatal(warnings)
		}
		same(t, text, read(t, file))
		same(t, text, read(t, file+".corrupt"))
		info, err := os.Stat(file + ".corrupt")
		do(t, err)
		same(t, os.FileMode(0o600), info.Mode().Perm())
		r.profile("still: [")
		r.load()
		same(t, text, read(t, file+".corrupt"))
		if err := Set(t.Context(), r.Dirs, "steeringMode", "all"); err == nil {
			t.Fatal("a broken file was changed")
		}
		same(t, "still: [", read(t, file))
	}
}

// A file with a fault in it let everything run that it said to ask about, and
// showed models what it said to hide.
func TestWhatIsNotUnderstoodOfAFenceClosesIt(t *testing.T) {
	for text, want := range map[string][2]any{
		"tools:\n  approvalMode: ask\n  x: [\n":              {"ask", false},
		"secrets:\n  enabled: true\n\tx: y\n":                {"yolo", true},
		"tools: {approval: {bash: deny}}\nsecrets: [\n":      {"ask", true},
		"steeringMode: [\n":                                  {"yolo", false},
		"tools: [approvalMode, ask]\n":                       {"ask", false},
		"tools.approvalMode: ask\n":                          {"ask", false},
		"Tools: {approvalMode: ask}\n":                       {"ask", false},
		"tools: {approvalmode: ask}\n":                       {"ask", false},
		"tools: {approval.bash: deny}\n":                     {"ask", false},
		"tools: {approvalMode: yolo, approval: [bash]}\n":    {"ask", false},
		"tools: {approvalMode: plan, approval: [bash]}\n":    {"plan", false},
		"tools: {approvalMode: yolo, approvalTimeout: -1}\n": {"yolo", false},
		"secrets: true\n":                                    {"yolo", true},
		"secrets.enabled: true\n":                            {"yolo", true},
		"secrets: {enabled: aye}\n":                          {"yolo", true},
		"tools:\nsecrets:\nother: {approval: x}\n":           {"yolo", false},
	} {
		r := newRoom(t)
		r.profile(text)
		s, warnings := r.load()
		if got := [2]any{ApprovalMode.Of(s), SecretsOn.Of(s)}; got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
		closed := strings.Contains(strings.Join(warnings, "\n"), "; to be safe, ")
		if closed != (want != [2]any{"yolo", false} && want != [2]any{"plan", false}) {
			t.Errorf("%q: %q", text, warnings)
		}
		file := write(t, filepath.Join(t.TempDir(), "over.yml"), "tools: {approvalMode: auto-edit}\nsecrets: {enabled: false}\n")
		r.Overlays = []string{file}
		s, _ = r.load() // what is plain, and comes later, counts
		if got := [2]any{ApprovalMode.Of(s), SecretsOn.Of(s)}; got != [2]any{"auto-edit", false} {
			t.Errorf("%q under another file: %v", text, got)
		}
		r.Overlays = nil
		do(t, os.Remove(filepath.Join(r.Dirs.Agent, "config.yml")))
		r.project("config.yml", text) // has no say in it
		s, _ = r.load()
		if got := [2]any{ApprovalMode.Of(s), SecretsOn.Of(s)}; got != [2]any{"yolo", false} {
			t.Errorf("%q of a project: %v", text, got)
		}
	}
}

// A pipe in the place of a settings file kept the server from starting.
func TestWhatIsNoRegularFileIsNotWaitedFor(t *testing.T) {
	r := newRoom(t)
	for _, file := range []string{r.profile(""), r.project("config.yml", "")} {
		do(t, os.Remove(file))
		do(t, unix.Mkfifo(file, 0o600))
	}
	_, warnings := r.load()
	if len(warnings) != 2 || !strings.Contains(warnings[0], "not a regular file") || !strings.Contains(warnings[1], "not a regular file") {
		t.Errorf("warnings %q", warnings)
	}
	if err := Set(t.Context(), r.Dirs, "steeringMode", "all"); err == nil {
		t.Error("a setting was written over a pipe")
	}
}

// The first key of a file with a byte-order mark had no effect, and setting it
// wrote it twice.
func TestAByteOrderMarkBelongsToNoKey(t *testing.T) {
	r := newRoom(t)
	file := r.profile("\ufeffsteeringMode: all\n")
	s, warnings := r.load()
	same(t, []string(nil), warnings)
	same(t, "all", SteeringMode.Of(s))
	do(t, Set(t.Context(), r.Dirs, "steeringMode", "one-at-a-time"))
	same(t, "steeringMode: one-at-a-time\n", read(t, file))
}

func TestBrokenProjectFileIsOnlyPassedOver(t *testing.T) {
	r := newRoom(t)
	file := r.project("settings.json", "{\n\"a\": 1,\n}")
	r.project("config.yml", "steeringMode: all\n")
	s, warnings := r.load()
	same(t, "all", SteeringMode.Of(s))
	if len(warnings) != 1 || !strings.HasPrefix(warnings[0], file+": the settings in it are not used: line 3: ") {
		t.Fatal(warnings)
	}
	if _, err := os.Stat(file + ".corrupt"); err == nil {
		t.Fatal("a copy in the project")
	}
}

// Whatever is wrong with a file, what is said of it tells no value that it holds:
// people keep keys there too.
func TestErrorsOfDamagedFilesTellNoValue(t *testing.T) {
	const whole = "a: 1\nmcp:\n  headers:\n    X-Token: canary4711canary\nurl: http://me:hunter4712hunter@h/x\nb: [1, 2]\n"
	for i := range whole {
		for _, damage := range []string{":", "*", "&", "[", "{", "'", `"`, "\n", "!", "!!int ", "- ", "|", "? ", "<<: "} {
			doc, err := parseYAML([]byte(whole[:i] + damage + whole[i:]))
			if err == nil {
				err = new(layer).take(doc)
			}
			if err != nil && (strings.Contains(err.Error(), "canary") || strings.Contains(err.Error(), "hunter")) {
				t.Errorf("%q at %d: %v", damage, i, err)
			}
		}
	}
}

func TestBadOverlaysAreFatal(t *testing.T) {
	r := newRoom(t)
	at := func(name string) string { return filepath.Join(r.CWD, name) }
	write(t, at("broken.yml"), "a: 1\nb: [\n")
	write(t, at("list.yml"), "- a\n")
	do(t, os.Mkdir(at("folder.yml"), 0o700))
	for name, want := range map[string]string{
		"none.yml":   "Config overlay not found: " + at("none.yml"),
		"broken.yml": "Failed to parse config overlay " + at("broken.yml") + ": line 2: ",
		"list.yml":   "Config overlay must be a YAML mapping: " + at("list.yml"),
		"folder.yml": "Failed to read config overlay " + at("folder.yml") + ": is a directory",
	} {
		r.Overlays = []string{name}
		_, _, err := Load(r.Sources)
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestListsMayBeBoundToFolders(t *testing.T) {
	r := newRoom(t)
	r.profile("enabledModels:\n- a/*\n- {path: ~/project, models: [b/x, b/y]}\n- {pathPrefixes: [/other, ~/proj], values: c}\n- 5\n" +
		"disabledProviders: [x, {path: \"~\", providers: y}]\n")
	s, _ := r.load()
	t.Setenv("HOME", r.Dirs.User)
	same(t, []string{"a/*", "b/x", "b/y"}, s.Models())
	same(t, []string{"x", "y"}, s.HiddenProviders())
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte("a: &x [1, 2]\nretry: {maxRetries: *x}\ntodo: {reminders: {max: 1}}\n"))
	f.Add([]byte("? - a\n: b\n<<: {c: 1}\n--- |\n x\n"))
	f.Add([]byte("\"retry\":\n  'enabled': \"x\\u0000\"\n# c\n"))
	dir := f.TempDir()
	file := filepath.Join(dir, "config.yml")
	from := Sources{Dirs: Dirs{User: dir, Agent: dir}, CWD: filepath.Join(dir, "project")}
	f.Fuzz(func(t *testing.T, data []byte) {
		do(t, os.WriteFile(file, data, 0o600))
		s, _, err := Load(from)
		do(t, err)
		for _, item := range s.Items() {
			if item.Kind == "" {
				continue
			}
			if _, problem := byName()[item.Key].check(item.Value); problem != "" {
				t.Fatalf("%s: %s", item.Key, problem)
			}
		}
		before := s.tree
		err = Set(t.Context(), from.Dirs, "retry.maxRetries", "42")
		if err != nil {
			same(t, string(data), read(t, file))
			return
		}
		s, _, err = Load(from)
		do(t, err)
		same(t, 42, RetryMax.Of(s))
		put(before, RetryMax.path, 42)
		if !equal(before, s.tree) {
			same(t, before, s.tree)
		}
	})
}

func BenchmarkLoadNothing(b *testing.B) {
	from := Sources{Dirs: Dirs{User: "/nowhere", Agent: "/nowhere"}, CWD: "/nowhere"}
	for b.Loop() {
		if _, _, err := Load(from); err != nil {
			b.Fatal(err)
		}
	}
}

func TestFileThatStandsForMoreThanMemoryHoldsIsRefused(t *testing.T) {
	r := newRoom(t)
	var bomb strings.Builder
	bomb.WriteString("a0: &a0 {x: 1}\n")
	for n := 1; n < 40; n++ {
		fmt.Fprintf(&bomb, "a%d: &a%d {p: *a%d, q: *a%d}\n", n, n, n-1, n-1)
	}
	for _, text := range []string{bomb.String(), "a: &a [1]\nb: [" + strings.Repeat("*a, ", maxAliases+1) + "]\n", "a: " + strings.Repeat("[", 2_000), "a: " + strings.Repeat("x", maxFile)} {
		r.project("config.yml", text)
		if _, warnings := r.load(); len(warnings) != 1 {
			t.Error(warnings)
		}
	}
}

// The parser took minutes and gigabytes for it, before a frame was read.
func TestFileThatIsNestedDeeperThanPeopleWriteIsRefused(t *testing.T) {
	r := newRoom(t)
	for _, text := range []string{strings.Repeat("[", 5_000), strings.Repeat("{a: ", 5_000), strings.Repeat("- ", 5_000), strings.Repeat("? ", 5_000)} {
		r.project("config.yml", text)
		if _, warnings := r.load(); len(warnings) != 1 || !strings.HasSuffix(warnings[0], "line 1: values lie more than 100 deep within each other") {
			t.Error(warnings)
		}
	}
}

// A repository that was cloned could have chosen the shell that is run, or
// switched the questions off.
func TestAProjectSetsNothingThatGuardsThePerson(t *testing.T) {
	r := newRoom(t)
	r.profile("tools: {approvalMode: ask, approval: {bash: deny}}\nsecrets: {enabled: true}\n")
	r.project("config.yml", "shellPath: ./evil\nbash: {enabled: false}\ntools: {approvalMode: yolo, approval: {bash: allow}, approvalRemember: true}\nfetch: {allowPrivate: true}\nsecrets: {enabled: false}\nsteeringMode: all\n")
	s, warnings := r.load()
	same(t, "ask", ApprovalMode.Of(s))
	same(t, map[string]any{"bash": "deny"}, Approval.Of(s))
	same(t, []any{"", true, false, false, true, "all"}, []any{ShellPath.Of(s), BashOn.Of(s), ApprovalMemory.Of(s), FetchPrivate.Of(s), SecretsOn.Of(s), SteeringMode.Of(s)})
	if len(warnings) != 7 || !strings.Contains(warnings[0], "a project does not set this") {
		t.Errorf("warnings %q", warnings)
	}
	overlay := filepath.Join(t.TempDir(), "mine.yml")
	do(t, os.WriteFile(overlay, []byte("tools: {approvalMode: yolo}\n"), 0o600))
	r.Overlays = []string{overlay}
	s, _ = r.load()
	same(t, "yolo", ApprovalMode.Of(s))
}
