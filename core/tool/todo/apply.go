package todo

import (
	"errors"
	"slices"
	"strings"

	"veyyon.dev/veyyon/core/fault"
	"veyyon.dev/veyyon/core/tool"
)

// The states of a task.
const (
	pending    = "pending"
	inProgress = "in_progress"
	completed  = "completed"
	abandoned  = "abandoned"
)

// Op is one change of the list, as the model asks for it.
type Op struct {
	Name  string   `json:"op"`
	List  []Group  `json:"list"`
	Task  string   `json:"task"`
	Phase string   `json:"phase"`
	Items []string `json:"items"`
}

// Group is a phase as init takes it.
type Group struct {
	Phase string   `json:"phase"`
	Items []string `json:"items"`
}

// wrong is an error whose words are agreed on (facts/agent 6.2).
func wrong(format string, args ...any) error { return fault.Newf(fault.Invalid, format, args...) }

// Apply returns the list after one op; phases itself is not changed. After it,
// at most one task is in progress, and one is when any is pending; contents are
// unique if they were. An error names each fault, and then nothing is done.
func Apply(phases []tool.Phase, op Op) ([]tool.Phase, error) {
	next := clone(phases)
	var err error
	switch op.Name {
	case "view":
		return next, nil
	case "init":
		next, err = initial(op)
	case "start":
		err = start(next, op.Task)
	case "done", "drop":
		err = finish(next, op)
	case "rm":
		next, err = remove(next, op)
	case "append":
		next, err = extend(next, op)
	default:
		err = wrong("Unknown operation %q", op.Name)
	}
	if err != nil {
		return nil, err
	}
	settle(next)
	return next, nil
}

func clone(phases []tool.Phase) []tool.Phase {
	next := make([]tool.Phase, len(phases))
	for i, phase := range phases {
		next[i] = tool.Phase{Name: phase.Name, Tasks: append([]tool.Task{}, phase.Tasks...)}
	}
	return next
}

func initial(op Op) ([]tool.Phase, error) {
	groups := op.List
	if groups == nil && len(op.Items) > 0 {
		name := op.Phase
		if name == "" {
			name = "Tasks"
		}
		groups = []Group{{name, op.Items}}
	}
	if groups == nil {
		return nil, wrong("Missing list for init operation")
	}
	next := []tool.Phase{}
	seen := map[string]bool{}
	var faults []error
	for _, group := range groups {
		switch {
		case strings.TrimSpace(group.Phase) == "":
			faults = append(faults, wrong("Missing phase name"))
		case phaseIndex(next, group.Phase) >= 0:
			faults = append(faults, wrong("Duplicate phase \"%s\" in init list", group.Phase))
		}
		phase := tool.Phase{Name: group.Phase, Tasks: []tool.Task{}}
		for _, item := range group.Items {
			switch {
			case strings.TrimSpace(item) == "":
				faults = append(faults, wrong("Missing task content"))
			case seen[item]:
				faults = append(faults, wrong("Duplicate task \"%s\" in init list", item))
			}
			seen[item] = true
			phase.Tasks = append(phase.Tasks, tool.Task{Content: item, Status: pending})
		}
		next = append(next, phase)
	}
	return next, together(faults)
}

func start(phases []tool.Phase, content string) error {
	chosen, err := findTask(phases, content)
	if err != nil {
		return err
	}
	for task := range tasks(phases) {
		if task.Status == inProgress {
			task.Status = pending
		}
	}
	chosen.Status = inProgress
	return nil
}

// finish completes or abandons. What a whole phase or list already has behind
// it keeps its state.
func finish(phases []tool.Phase, op Op) error {
	status := completed
	if op.Name == "drop" {
		status = abandoned
	}
	if op.Task != "" {
		task, err := findTask(phases, op.Task)
		if err == nil {
			task.Status = status
		}
		return err
	}
	if op.Phase != "" {
		i := phaseIndex(phases, op.Phase)
		if i < 0 {
			return wrong("Phase \"%s\" not found", op.Phase)
		}
		phases = phases[i : i+1]
	}
	for task := range tasks(phases) {
		if task.Status == pending || task.Status == inProgress {
			task.Status = status
		}
	}
	return nil
}

// remove takes tasks out, and a phase with its last task.
func remove(phases []tool.Phase, op Op) ([]tool.Phase, error) {
	switch {
	case op.Task != "":
		if _, err := findTask(phases, op.Task); err != nil {
			return nil, err
		}
		for i := range phases {
			phases[i].Tasks = slices.DeleteFunc(phases[i].Tasks, func(t tool.Task) bool { return t.Content == op.Task })
		}
		return slices.DeleteFunc(phases, func(p tool.Phase) bool { return len(p.Tasks) == 0 }), nil
	case op.Phase != "":
		i := phaseIndex(phases, op.Phase)
		if i < 0 {
			return nil, wrong("Phase \"%s\" not found", op.Phase)
		}
		return slices.Delete(phases, i, i+1), nil
	default:
		return []tool.Phase{}, nil
	}
}

func extend(phases []tool.Phase, op Op) ([]tool.Phase, error) {
	switch {
	case strings.TrimSpace(op.Phase) == "":
		return nil, wrong("Missing phase name for append operation")
	case len(op.Items) == 0:
		return nil, wrong("Missing items for append operation")
	}
	at := phaseIndex(phases, op.Phase)
	if at < 0 {
		at = len(phases)
		phases = append(phases, tool.Phase{Name: op.Phase, Tasks: []tool.Task{}})
	}
	var faults []error
	for _, item := range op.Items {
		if strings.TrimSpace(item) == "" {
			faults = append(faults, wrong("Missing task content"))
		} else if _, err := findTask(phases, item); err == nil {
			faults = append(faults, wrong("Task \"%s\" already exists", item))
		}
		phases[at].Tasks = append(phases[at].Tasks, tool.Task{Content: item, Status: pending})
	}
	return phases, together(faults)
}

// settle leaves one task in progress at most, the first, and makes the first
// pending one it when there is none.
func settle(phases []tool.Phase) {
	var current, first *tool.Task
	for task := range tasks(phases) {
		switch {
		case task.Status == inProgress && current == nil:
			current = task
		case task.Status == inProgress:
			task.Status = pending
		case task.Status == pending && first == nil:
			first = task
		}
	}
	if current == nil && first != nil {
		first.Status = inProgress
	}
}

// tasks yields each task, to be looked at or changed.
func tasks(phases []tool.Phase) func(func(*tool.Task) bool) {
	return func(yield func(*tool.Task) bool) {
		for i := range phases {
			for j := range phases[i].Tasks {
				if !yield(&phases[i].Tasks[j]) {
					return
				}
			}
		}
	}
}

func findTask(phases []tool.Phase, content string) (*tool.Task, error) {
	if strings.TrimSpace(content) == "" {
		return nil, wrong("Missing task content")
	}
	for task := range tasks(phases) {
		if task.Content == content {
			return task, nil
		}
	}
	return nil, wrong("Task \"%s\" not found", content)
}

func phaseIndex(phases []tool.Phase, name string) int {
	return slices.IndexFunc(phases, func(p tool.Phase) bool { return p.Name == name })
}

// together joins faults into one line.
func together(faults []error) error {
	texts := make([]string, len(faults))
	for i, err := range faults {
		texts[i] = err.Error()
	}
	if len(texts) == 0 {
		return nil
	}
	return errors.New(strings.Join(texts, "; "))
}
