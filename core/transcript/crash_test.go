package transcript

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"veyyon.dev/veyyon/core/message"
)

// TestMain turns the test binary into the helper that a test asks for.
func TestMain(m *testing.M) {
	switch path := os.Getenv("TRANSCRIPT_HELPER_FILE"); os.Getenv("TRANSCRIPT_HELPER") {
	case "append":
		appendForever(path)
	case "limited":
		appendWithinLimit(path)
	case "branch":
		branchForever(path)
	case "branch-limited":
		branchWithinLimit(path)
	default:
		slog.SetDefault(slog.New(slog.DiscardHandler))
		os.Exit(m.Run())
	}
}

func helper(t *testing.T, kind, path string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	// A binary with the race detector would sleep for a second at its end.
	cmd.Env = append(os.Environ(), "TRANSCRIPT_HELPER="+kind, "TRANSCRIPT_HELPER_FILE="+path, "GORACE=atexit_sleep_ms=0")
	cmd.Stderr = os.Stderr
	return cmd
}

func fatal(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// appendForever prints the number of each message once it is appended.
func appendForever(path string) {
	l, err := Open(path, Options{})
	fatal(err)
	for n := len(l.Messages()); ; n++ {
		fatal(l.AppendMessage(user(strings.Repeat("x", n%5000) + " " + strconv.Itoa(n))))
		_, err := fmt.Println(n)
		fatal(err)
	}
}

func TestKillLosesAtMostTheMessageInFlight(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	acknowledged := 0
	for round := range 12 {
		cmd := helper(t, "append", path)
		out, err := cmd.StdoutPipe()
		do(t, err)
		do(t, cmd.Start())
		in := bufio.NewScanner(out)
		for range 20 + 7*round {
			if !in.Scan() {
				t.Fatal("the helper ended")
			}
		}
		do(t, cmd.Process.Kill())
		for more := true; more; more = in.Scan() {
			if n, err := strconv.Atoi(in.Text()); err == nil { // the last line may be torn
				acknowledged = n + 1
			}
		}
		if err := cmd.Wait(); err == nil {
			t.Fatal("the helper ended by itself")
		}

		l, err := Open(path, Options{}) // the lock went with the process
		do(t, err)
		messages := l.Messages()
		if len(messages) < acknowledged || len(messages) > acknowledged+1 {
			t.Fatalf("%d messages of %d", len(messages), acknowledged)
		}
		for n, m := range messages {
			if !strings.HasSuffix(m.(*message.User).Content.Text(), " "+strconv.Itoa(n)) {
				t.Fatalf("message %d is another one", n)
			}
		}
		do(t, l.Close())
		// The kernel may stop a write between two pages when it kills.
		if l.Skipped() > round+1 {
			t.Fatalf("%d torn lines after %d kills", l.Skipped(), round+1)
		}
	}
}

func TestSecondWriterIsRefused(t *testing.T) {
	l := newLog(t)
	do(t, l.AppendMessage(user("mine")))
	_, err := Open(l.Path(), Options{})
	if !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), l.Path()) {
		t.Fatalf("in the same process: %v", err)
	}
	do(t, l.Close())

	cmd := helper(t, "append", l.Path())
	out, err := cmd.StdoutPipe()
	do(t, err)
	do(t, cmd.Start())
	if !bufio.NewScanner(out).Scan() {
		t.Fatal("the helper did not append")
	}
	_, err = Open(l.Path(), Options{})
	if !errors.Is(err, ErrLocked) {
		t.Fatalf("while another process writes: %v", err)
	}
	if _, noTable := os.Stat("/proc/locks"); noTable == nil && !strings.Contains(err.Error(), fmt.Sprintf("(process %d)", cmd.Process.Pid)) {
		t.Fatalf("the process is not named: %v", err)
	}
	do(t, cmd.Process.Kill())
	_ = cmd.Wait() // killed
	again, err := Open(l.Path(), Options{})
	do(t, err)
	do(t, again.Close())
}

// appendWithinLimit meets a file that must not grow, then one that may.
func appendWithinLimit(path string) {
	signal.Ignore(syscall.SIGXFSZ)
	l, err := Open(path, Options{})
	fatal(err)
	fatal(l.AppendMessage(user("before")))
	info, err := os.Stat(path)
	fatal(err)
	var old unix.Rlimit
	fatal(unix.Getrlimit(unix.RLIMIT_FSIZE, &old))
	limit := old
	limit.Cur = uint64(info.Size()) + 40 // in the middle of the next line
	fatal(unix.Setrlimit(unix.RLIMIT_FSIZE, &limit))
	for _, text := range []string{"pending one", "pending two"} {
		if err := l.AppendMessage(user(text)); err == nil {
			fatal(errors.New("no error at the limit"))
		}
	}
	now, err := os.Stat(path)
	fatal(err)
	if now.Size() != info.Size() {
		fatal(fmt.Errorf("a torn line of %d bytes stays", now.Size()-info.Size()))
	}
	fatal(unix.Setrlimit(unix.RLIMIT_FSIZE, &old))
	fatal(l.AppendMessage(user("after")))
	fatal(l.Close())
}

func TestWritesThatFailHalfWayAreMadeUpForLater(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	do(t, helper(t, "limited", path).Run())
	l, err := Open(path, Options{})
	do(t, err)
	defer func() { _ = l.Close() }()
	same(t, []string{"user: before", "user: pending one", "user: pending two", "user: after"}, texts(l.Messages()))
	same(t, 0, l.Skipped())
}

func TestFullDiskLosesNothingOnceThereIsRoom(t *testing.T) {
	dir := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("no file system to fill up: %v %s", err, out)
	}
	defer func() { _ = exec.Command("umount", dir).Run() }()
	filler := filepath.Join(dir, "filler")
	do(t, os.WriteFile(filler, make([]byte, 30<<10), 0o600))
	l, err := New(Options{Dir: dir})
	do(t, err)
	want, failed := []string{}, false
	for n := range 20 {
		text := strings.Repeat(strconv.Itoa(n), 2000)
		want = append(want, "user: "+text)
		if err := l.AppendMessage(user(text)); err != nil {
			if !errors.Is(err, unix.ENOSPC) {
				t.Fatal(err)
			}
			failed = true
			for line := range bytes.Lines(read(t, l.Path())) {
				if !json.Valid(line) || line[len(line)-1] != '\n' {
					t.Fatalf("torn: %.80q", line)
				}
			}
		}
	}
	if !failed {
		t.Fatal("the disk was never full")
	}
	do(t, os.Remove(filler))
	do(t, l.Close())
	again, err := Open(l.Path(), Options{})
	do(t, err)
	same(t, want, texts(again.Messages()))
	do(t, again.Close())
}
