package session

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"veyyon.dev/veyyon/core/approval"
	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/rule"
	"veyyon.dev/veyyon/core/shell"
	"veyyon.dev/veyyon/core/tool"
	"veyyon.dev/veyyon/core/transcript"
)

// What keeps a session in order keeps its agents in order: an option that is new
// is shared, or is listed here.
func TestAChildHasAllOfItsParentButWhatIsItsOwn(t *testing.T) {
	dir := t.TempDir()
	log, err := transcript.New(transcript.Options{Dir: dir, CWD: dir})
	if err != nil {
		t.Fatal(err)
	}
	opts := Options{
		Log: log, Models: answers("hi"), Tools: func() tool.Set { return tool.Set{} }, Shell: &shell.Runner{}, System: func() []string { return []string{"be"} }, Dir: dir, Began: dir, CacheKey: "key",
		Emit: func(...event.Event) {}, Full: func() bool { return true }, Retry: Retry{Max: 1}, Rules: &rule.Set{}, Gate: approval.NewGate(approval.Options{}, "/"),
		Secrets: func() []string { return nil }, Unwind: time.Second, Over: func() bool { return false }, Deadline: time.Now().Add(time.Hour),
		Busy: func(bool) {}, MaxJobs: 3,
	}
	for _, field := range []any{&opts.Fallback, &opts.Todo, &opts.Spill, &opts.Budget, &opts.Compaction, &opts.Choice} {
		fillIn(reflect.ValueOf(field).Elem())
	}
	opts.Choice.Model = &model.Model{ID: "m", Provider: "p"}
	own := []string{"Log", "Began", "CacheKey", "Emit", "Todo", "MaxJobs"}
	s := New(opts)
	go s.Loop(t.Context()) // ends with the test
	child, err := s.Child(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	had, has := reflect.ValueOf(opts), reflect.ValueOf(child)
	for i := range had.NumField() {
		name := had.Type().Field(i).Name
		switch before, now := had.Field(i), has.Field(i); {
		case before.IsZero():
			t.Errorf("the test leaves %s out", name)
		case slices.Contains(own, name):
			if !now.IsZero() {
				t.Errorf("the child has its parent's %s", name)
			}
		case before.Kind() == reflect.Func || before.Kind() == reflect.Pointer:
			if before.Pointer() != now.Pointer() {
				t.Errorf("the child has another %s", name)
			}
		case before.Kind() != reflect.Interface && !reflect.DeepEqual(before.Interface(), now.Interface()):
			t.Errorf("the child has another %s: %v, not %v", name, now, before)
		}
	}
	s.Stop(t.Context(), ErrClosed, false)
	<-s.Done()
}

// fillIn gives the plain fields of a struct values that are not zero.
func fillIn(v reflect.Value) {
	for i := range v.NumField() {
		switch f := v.Field(i); f.Kind() {
		case reflect.Bool:
			f.SetBool(true)
		case reflect.Int, reflect.Int64:
			f.SetInt(7)
		case reflect.Float64:
			f.SetFloat(0.5)
		case reflect.Struct:
			fillIn(f)
		}
	}
}

func TestAChildWorksWhereItsParentHasMovedTo(t *testing.T) {
	dir, to := t.TempDir(), t.TempDir()
	log, err := transcript.New(transcript.Options{Dir: dir, CWD: dir})
	if err != nil {
		t.Fatal(err)
	}
	s := New(Options{Log: log, Models: answers("hi"), Tools: func() tool.Set { return tool.Set{} }, Emit: func(...event.Event) {}, Dir: dir, Began: dir})
	go s.Loop(t.Context()) // ends with the test
	gate := approval.NewGate(approval.Options{}, "/")
	if err := s.Move(t.Context(), Place{Dir: to, Gate: gate}); err != nil {
		t.Fatal(err)
	}
	child, err := s.Child(t.Context())
	if err != nil || child.Dir != to || child.Gate != gate || s.Dir() != to || s.Began() != to || s.Gate() != gate {
		t.Errorf("%+v %v", child, err)
	}
	s.Stop(t.Context(), ErrClosed, false)
	<-s.Done()
}
