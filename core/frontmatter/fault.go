package frontmatter

import "slices"

// A Fault is why something that is called by name cannot be used.
type Fault struct {
	Name string
	Err  error // names the file
}

// Faults are those of one library.
type Faults []Fault

// Of tells why that of this name cannot be used; nil when there is none.
func (f Faults) Of(name string) error {
	if i := slices.IndexFunc(f, func(f Fault) bool { return f.Name == name }); i >= 0 {
		return f[i].Err
	}
	return nil
}

// Equal tells whether both say the same.
func (f Faults) Equal(other Faults) bool {
	return slices.EqualFunc(f, other, func(a, b Fault) bool { return a.Name == b.Name && a.Err.Error() == b.Err.Error() })
}
