package frontmatter

import "testing"

// BenchmarkSplit is a head as most skills and commands have.
func BenchmarkSplit(b *testing.B) {
	text := []byte("---\nname: skill-17\ndescription: What to do when it is about subject 17.\n---\n\nbody\n")
	for b.Loop() {
		if _, _, err := Split(text); err != nil {
			b.Fatal(err)
		}
	}
}
