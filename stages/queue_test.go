package stages

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"veyyon.dev/veyyon/frames"
)

func smallQueue(t *testing.T, budget int) *queue {
	q := newQueue(encoder(words{}), budget, t.TempDir())
	t.Cleanup(q.file.close)
	return q
}

// missingDir is where no overflow file can be made: a full disk.
func missingDir(t *testing.T) string { return filepath.Join(t.TempDir(), "missing") }

func put(t *testing.T, q *queue, all ...frames.Outbound) {
	t.Helper()
	for _, f := range all {
		q.push(f)
		if err := q.relieve(); err != nil {
			t.Fatal(err)
		}
	}
}

func takeAll(t *testing.T, q *queue) (lines []string) {
	t.Helper()
	takeEach(t, q, func(line []byte) { lines = append(lines, string(line)) })
	return lines
}

// takeEach empties the queue line by line.
func takeEach(t *testing.T, q *queue, take func(line []byte)) {
	t.Helper()
	for {
		block, err := q.next()
		if err != nil {
			t.Fatal(err)
		}
		if block == nil {
			if q.bytes() != 0 || q.front.frames != 0 || q.file.file != nil {
				t.Errorf("an empty queue counts %d bytes, %d frames, file %v", q.bytes(), q.front.frames, q.file.file)
			}
			return
		}
		if block[len(block)-1] != '\n' {
			t.Fatalf("a block ends within a line: %q", block)
		}
		for line := range bytes.Lines(block) {
			take(bytes.TrimSuffix(line, []byte("\n")))
		}
	}
}

func TestBelowHalfTheBudgetFramesPassAsTheyAre(t *testing.T) {
	q := smallQueue(t, 1<<20)
	put(t, q, note(delta{"a", "1"}), note(delta{"a", "2"}), note(progress{"c", "1"}), note(progress{"c", "2"}))
	if diff := cmp.Diff([]string{"a:1", "a:2", "c=1", "c=2"}, takeAll(t, q)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// crowd is a frame that fills more than half of the budget of crowdedQueue.
var crowd = strings.Repeat("c", 12<<10)

func crowdedQueue(t *testing.T) *queue {
	q := smallQueue(t, 20<<10)
	put(t, q, say(crowd))
	return q
}

func TestAboveHalfAdjacentDeltasOfABlockAreJoined(t *testing.T) {
	q := crowdedQueue(t)
	put(t, q, note(delta{"a", "1"}), note(delta{"a", "2"}), note(delta{"a", "3"}), note(delta{"b", "4"}),
		say("x"), note(delta{"b", "5"}), frames.Note{Name: "other", Body: delta{"b", "6"}})
	want := []string{crowd, "a:123", "b:4", "x", "b:5", "b:6"}
	if diff := cmp.Diff(want, takeAll(t, q)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestJoiningStopsAtABound(t *testing.T) {
	const budget = 1 << 20
	q, crowd := smallQueue(t, budget), strings.Repeat("c", budget/2)
	put(t, q, say(crowd))
	piece := strings.Repeat("d", maxJoined/3)
	put(t, q, note(delta{"a", piece}), note(delta{"a", piece}), note(delta{"a", piece}), note(delta{"a", piece}))
	want := []string{crowd, "a:" + piece + piece, "a:" + piece + piece}
	if diff := cmp.Diff(want, takeAll(t, q)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAboveHalfNewerProgressReplacesOlder(t *testing.T) {
	q := crowdedQueue(t)
	put(t, q, note(progress{"c", "1"}), note(progress{"d", "1"}), say("x"), note(progress{"c", "2"}),
		frames.Response{Data: "answer"}, frames.Ask{Name: "ask"}, note(progress{"c", "3"}))
	want := []string{crowd, "d=1", "x", "answer", "ask", "c=3"}
	if diff := cmp.Diff(want, takeAll(t, q)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestReplacedProgressLeavesNothingBehind(t *testing.T) {
	q := crowdedQueue(t)
	for i := range 10_000 {
		put(t, q, note(progress{"c", fmt.Sprint(i)}))
	}
	if n := q.front.entries.Len(); n > 4*sweepAfter {
		t.Errorf("%d entries for 2 frames", n)
	}
	if diff := cmp.Diff([]string{crowd, "c=9999"}, takeAll(t, q)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAnUnencodableAnswerBecomesAnErrorAnswer(t *testing.T) {
	q := smallQueue(t, 1<<20)
	put(t, q, say("a"), frames.Response{Data: "!"}, say("!"), say("b"))
	got := takeAll(t, q)
	want := []string{"a", "unencodable: it is an exclamation mark", "b"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestOneHundredMegabytesGoThroughTheFileInOrder(t *testing.T) {
	const budget, size, n = 256 << 10, 8 << 10, 100 << 7
	q := smallQueue(t, budget)
	pad := strings.Repeat("p", size-8)
	for i := range n {
		put(t, q, say(fmt.Sprintf("%07d%s", i, pad)))
		if q.bytes() > budget {
			t.Fatalf("%d bytes in memory with a budget of %d", q.bytes(), budget)
		}
	}
	if onDisk := q.file.size(); onDisk < size*n-2*budget {
		t.Fatalf("only %d bytes on disk", onDisk)
	}
	if names, err := os.ReadDir(q.file.dir); err != nil || len(names) > 0 {
		t.Fatalf("the overflow file has a name: %v, %v", names, err)
	}
	came := 0
	takeEach(t, q, func(line []byte) {
		if string(line) != fmt.Sprintf("%07d%s", came, pad) {
			t.Fatalf("line %d is %.10s…", came, line)
		}
		came++
	})
	if came != n {
		t.Fatalf("%d of %d lines came back", came, n)
	}
}

func TestARefusingDiskLosesNothing(t *testing.T) {
	q := newQueue(encoder(words{}), 4<<10, missingDir(t))
	var want []string
	var err error
	for i := 0; err == nil; i++ {
		want = append(want, fmt.Sprint("frame", i))
		q.push(say(want[i]))
		err = q.relieve()
	}
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	q.push(say("late"))
	q.file.dir = t.TempDir() // there is room again
	if err := q.relieve(); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(append(want, "late"), takeAll(t, q)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestNothingIsLostInAnyHistory compares the queue with a plain list over random
// pushes, takes and disk failures: texts of deltas add up, other frames come
// once and in order, and progress loses only what a later one supersedes.
func TestNothingIsLostInAnyHistory(t *testing.T) {
	good, missing := t.TempDir(), missingDir(t)
	rapid.Check(t, func(t *rapid.T) {
		q := newQueue(encoder(words{}), rapid.IntRange(200, 8000).Draw(t, "budget"), good)
		defer q.file.close()
		var sent, got strings.Builder
		stuck := false
		for i := range rapid.IntRange(0, 200).Draw(t, "steps") {
			switch rapid.IntRange(0, 9).Draw(t, "step") {
			case 0, 1:
				block, err := q.next()
				if err != nil {
					t.Fatal(err)
				}
				got.Write(block)
			case 2:
				if q.file.file == nil {
					q.file.dir = rapid.SampledFrom([]string{good, missing}).Draw(t, "disk")
				}
			default:
				if stuck {
					break
				}
				text := fmt.Sprintf("%d%s", i, strings.Repeat("x", rapid.IntRange(0, 300).Draw(t, "size")))
				if rapid.Bool().Draw(t, "delta") {
					q.push(note(delta{"d", text}))
					sent.WriteString("d:" + text + "\n")
				} else {
					q.push(say(text))
					sent.WriteString(text + "\n")
				}
			}
			stuck = q.relieve() != nil
		}
		for {
			block, err := q.next()
			if err != nil {
				t.Fatal(err)
			}
			if block == nil {
				break
			}
			got.Write(block)
		}
		if diff := cmp.Diff(joinDeltas(sent.String()), joinDeltas(got.String())); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	})
}

// joinDeltas brings a transcript into the form it has when every delta that can
// be joined is.
func joinDeltas(transcript string) (lines []string) {
	delta := false
	for line := range strings.Lines(transcript) {
		text, ok := strings.CutPrefix(line, "d:")
		if ok && delta {
			lines[len(lines)-1] += text
		} else {
			lines = append(lines, line)
		}
		delta = ok
	}
	for i := range lines {
		lines[i] = strings.ReplaceAll(lines[i], "\n", "")
	}
	return lines
}
