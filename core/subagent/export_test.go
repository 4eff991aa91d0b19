package subagent

// The texts and bounds that tests look for.
const (
	BudgetText   = budgetText
	ReminderText = reminderText
	NoYieldText  = noYieldText
	QuickBudget  = quickBudget
)

// What tests of whole teams need of a repository.
var (
	Repository = repository
	Tidy       = tidy
	Git        = run
)

// Rests tells whether no agent is on any list and no request holds a slot.
func (t *Team) Rests() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, r := range t.rosters {
		if len(r.alive) > 0 {
			return false
		}
	}
	if len(t.places) > 0 {
		return false
	}
	if t.slots == nil {
		return true
	}
	all := int64(t.opts.Concurrency)
	if !t.slots.TryAcquire(all) {
		return false
	}
	t.slots.Release(all)
	return true
}
