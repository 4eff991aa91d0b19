package skill

import (
	"fmt"
	"testing"
)

// BenchmarkLoad is what a session begins with where there are many skills, cold,
// and what each of its runs does, warm.
func BenchmarkLoad(b *testing.B) {
	p := newPlace(b)
	for i := range 50 {
		p.user(fmt.Sprintf("skill-%d", i), about(fmt.Sprintf("What to do when it is about subject %d.", i)))
	}
	b.Run("cold", func(b *testing.B) {
		for b.Loop() {
			p.library().Load(p.project)
		}
	})
	b.Run("warm", func(b *testing.B) {
		l := p.library()
		for b.Loop() {
			l.Load(p.project)
		}
	})
}
