package shell

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// boot makes a bash that was started without a command run the one that comes
// through descriptor 3, up to a NUL, as `bash -c LINE` would: same $-, $0, $$,
// line numbers, BASH_EXECUTION_STRING and exit status; only a syntax error is
// reported by "eval:" where it would say "-c:", and a last command is not
// exec'ed in place of the shell, but see inPlace. The end of the pipe without a
// NUL means that there will be no command.
const boot = `IFS= read -rd "" -u3 BASH_EXECUTION_STRING||exit;exec 3<&-;SECONDS=0;eval "$BASH_EXECUTION_STRING"`

// maxPiped is the longest command, in bytes, that goes through the pipe. bash
// reads a pipe byte by byte; a longer command comes in a file, which it reads in
// blocks. It is far below what a pipe holds, so feeding a shell never waits.
const maxPiped = 4 << 10

// maxArgument is the longest command, in bytes, that is given to a shell as an
// argument; bash gets a longer one in a file. Linux has room for 128 KiB.
const maxArgument = 64 << 10

// A process is a shell that was started, with its command or waiting for one.
type process struct {
	*os.Process
	order  order
	mark   string        // its entry in the environment
	feed   *os.File      // takes the command; nil once it has it
	out    *os.File      // what it writes
	text   chan *chunk   // what was read of it; closed by read when out ends or is closed
	exited chan struct{} // closed once it was reaped; state is set then
	state  *os.ProcessState
	noTTY  bool // order.terminal could not be had
}

// An order says how to start a shell.
type order struct {
	dir      string
	where    os.FileInfo // of dir, to tell a directory made anew
	env      []string
	terminal bool
	usual    bool   // a spare can serve
	spare    bool   // the command comes later
	line     string // the command, unless spare
}

// samePlace tells whether both are for the same directory, which was not removed
// and made anew in between.
func (o order) samePlace(other order) bool {
	return o.dir == other.dir && o.where != nil && other.where != nil && os.SameFile(o.where, other.where)
}

// A spawner starts shells. All of them are started by the one goroutine that
// runs work, which has an operating system thread for itself: Linux kills a
// child with Pdeathsig when the *thread* that started it ends.
type spawner struct {
	shell  string
	err    error // why there is no shell
	bash   bool
	name   string // the prefix of all marks
	orders chan job
	spares chan order // as orders, but of less urgency; answered on stocked
	stock  chan started
	reaps  sync.WaitGroup // the goroutines that wait for the processes
}

type job struct {
	order order
	reply chan started // capacity 1: an answer nobody waits for any more does not hold up the others
}

type started struct {
	process *process
	err     error
}

// findShell is path, else bash, else sh.
func findShell(path string) (string, error) {
	if path != "" {
		info, err := os.Stat(path)
		if err != nil || info.IsDir() {
			//lint:ignore ST1005 facts/agent 9 fixes the text
			return "", fmt.Errorf("Custom shell path not found: %s", path)
		}
		return filepath.Abs(path)
	}
	for _, name := range []string{"bash", "/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash", "sh", "/bin/sh"} {
		if found, err := exec.LookPath(name); err == nil {
			return filepath.Abs(found)
		}
	}
	return "", errors.New("no shell found: neither bash nor sh is on PATH")
}

// work starts what is ordered until quit is closed. Commands that wait go
// before spares.
func (s *spawner) work(quit <-chan struct{}) {
	runtime.LockOSThread() // for good: the thread ends with this goroutine
	for n := 1; ; n++ {
		select {
		case j := <-s.orders:
			j.reply <- s.start(j.order, n)
			continue
		default:
		}
		select {
		case j := <-s.orders:
			j.reply <- s.start(j.order, n)
		case o := <-s.spares:
			spare := s.start(o, n)
			select {
			case s.stock <- spare:
			case <-quit:
				if spare.process != nil {
					spare.process.discard()
				}
				return
			}
		case <-quit:
			return
		}
	}
}

func (s *spawner) start(o order, n int) started {
	p := &process{order: o, mark: fmt.Sprintf("%s=%s%d", runVar, s.name, n), text: make(chan *chunk, 1), exited: make(chan struct{})}
	if err := s.launch(p); err != nil {
		if gone := CheckDir(o.dir); gone != nil {
			err = gone
		}
		return started{err: err}
	}
	s.reaps.Go(func() { read(p.out, p.text) }) // ends when out is closed, at the latest
	s.reaps.Go(func() {                        // ends with the process
		p.state, _ = wait(p.Process)
		close(p.exited)
	})
	return started{process: p}
}

// launch opens what the shell needs and starts it.
func (s *spawner) launch(p *process) error {
	var theirs []*os.File // closed here once the child has them
	defer func() {
		for _, f := range theirs {
			_ = f.Close()
		}
	}()
	null, err := os.Open(os.DevNull)
	if err != nil {
		return fmt.Errorf("starting a shell: %w", err)
	}
	theirs = append(theirs, null)
	out, childOut, err := p.outputs()
	if err != nil {
		return fmt.Errorf("starting a shell: %w", err)
	}
	theirs = append(theirs, childOut)
	files, argv := []*os.File{null, childOut, childOut}, []string{s.shell, "-c", p.order.line}
	if p.order.spare || s.bash && len(p.order.line) > maxArgument {
		source, feed, err := script(p.order)
		if err != nil {
			_ = out.Close()
			return fmt.Errorf("starting a shell: %w", err)
		}
		theirs = append(theirs, source)
		files, argv[2], p.feed = append(files, source), boot, feed
	}
	p.Process, err = os.StartProcess(s.shell, argv, &os.ProcAttr{
		Dir: p.order.dir, Env: append(slices.Clip(p.order.env), p.mark), Files: files, Sys: sysProcAttr(),
	})
	if err != nil {
		_ = out.Close()
		p.hangUp()
		return fmt.Errorf("starting a shell: %w", err)
	}
	p.out = out
	return nil
}

// outputs makes what the shell writes to and we read from: a pipe, or a
// terminal that is nobody's controlling terminal.
func (p *process) outputs() (ours, theirs *os.File, err error) {
	if p.order.terminal {
		if ours, theirs, err = openTerminal(); err == nil {
			return ours, theirs, nil
		}
		p.noTTY = true
	}
	return os.Pipe()
}

// script makes what the shell reads its command from: a pipe to feed later, or
// a file without a name that holds it already.
func script(o order) (source, feed *os.File, err error) {
	if o.spare {
		return os.Pipe()
	}
	source, err = os.CreateTemp("", "veyyon-command-*")
	if err != nil {
		return nil, nil, err
	}
	_ = os.Remove(source.Name())
	_, err = source.WriteString(o.line + "\x00")
	if err == nil {
		_, err = source.Seek(0, 0)
	}
	if err != nil {
		_ = source.Close()
		return nil, nil, err
	}
	return source, nil, nil
}

// command gives a waiting shell its command. One that died meanwhile does not
// take it; that shows in how it exited.
func (p *process) command(line string) {
	_, _ = p.feed.WriteString(line + "\x00")
	p.hangUp()
}

// hangUp ends a shell that waits for its command.
func (p *process) hangUp() {
	if p.feed != nil {
		_ = p.feed.Close()
		p.feed = nil
	}
}

// discard lets go of a spare.
func (p *process) discard() {
	p.hangUp()
	_ = p.out.Close()
	for c := range p.text { // something in BASH_ENV may have written
		chunks.Put(c)
	}
}

// bare is the command without NUL bytes, which bash ignores in its scripts.
func bare(line string) string { return strings.ReplaceAll(line, "\x00", "") }

// CheckDir tells why a command cannot run in a directory (facts/agent 9.4).
func CheckDir(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		//lint:ignore ST1005 facts/agent 9 fixes the text
		return fmt.Errorf("Working directory does not exist: %s", dir)
	case err != nil:
		return fmt.Errorf("using the working directory: %w", err)
	case !info.IsDir():
		//lint:ignore ST1005 facts/agent 9 fixes the text
		return fmt.Errorf("Working directory is not a directory: %s", dir)
	}
	return nil
}
