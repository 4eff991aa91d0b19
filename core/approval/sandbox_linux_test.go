package approval

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// recorded are the programs that only note how they were called; genuine ones
// are those that run others, or speak a language.
var (
	recorded = strings.Fields("git ls cat rm touch grep head sort tar go make cp mv id curl tee wc rg kill")
	genuine  = strings.Fields("bash sh env xargs find timeout nice nohup stdbuf sed awk")
)

// A sandbox runs lines in a real bash that can reach nothing: a root of its own,
// no network, no other processes.
type sandbox struct {
	in  *json.Encoder
	out *bufio.Reader
}

// run is what a line did; see testdata/recorder.
type run struct {
	Calls [][]string
	Files []string
	Late  bool
}

func (s *sandbox) run(line string) (r run, err error) {
	if err := s.in.Encode(line); err != nil {
		return r, err
	}
	text, err := s.out.ReadBytes('\n')
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(text, &r)
}

// startSandbox makes one, or skips the test where that is not possible.
func startSandbox(t testing.TB) *sandbox {
	t.Helper()
	root := t.TempDir()
	for _, dir := range []string{"bin", "dev", "work"} {
		must(t, os.MkdirAll(filepath.Join(root, dir), 0o755))
	}
	must(t, os.Chmod(root, 0o755))
	must(t, os.WriteFile(filepath.Join(root, "dev/null"), nil, 0o666))
	record := filepath.Join(root, "bin/record")
	build := exec.Command("go", "build", "-o", record, "./testdata/recorder")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := build.CombinedOutput(); err != nil {
		t.Skipf("the recorder cannot be built: %v\n%s", err, text)
	}
	for _, name := range append(recorded, "supervise") {
		must(t, os.Link(record, filepath.Join(root, "bin", name)))
	}
	for _, name := range genuine {
		copyProgram(t, root, name)
	}
	cmd := exec.Command(filepath.Join(root, "bin/supervise"), root)
	cmd.Env = []string{}
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWNET | syscall.CLONE_NEWIPC, Pdeathsig: syscall.SIGKILL}
	if os.Geteuid() == 0 {
		cmd.Env = append(cmd.Env, "AS_NOBODY=1")
	} else {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}}
	}
	stdin, err := cmd.StdinPipe()
	must(t, err)
	stdout, err := cmd.StdoutPipe()
	must(t, err)
	var complaint strings.Builder
	cmd.Stderr = &complaint
	if err := cmd.Start(); err != nil {
		t.Skipf("there is no sandbox here: %v", err)
	}
	t.Cleanup(func() {
		_ = stdin.Close()
		_, _ = io.Copy(io.Discard, stdout)
		_ = cmd.Wait()
	})
	s := &sandbox{json.NewEncoder(stdin), bufio.NewReader(stdout)}
	if _, err := s.run("true"); err != nil {
		_ = cmd.Wait()
		t.Skipf("there is no sandbox here: %v %s", err, complaint.String())
	}
	return s
}

// copyProgram puts a program and its libraries into the root.
func copyProgram(t testing.TB, root, name string) {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed", name)
	}
	copyFile(t, path, filepath.Join(root, "bin", name))
	libraries, err := exec.Command("ldd", path).Output()
	must(t, err)
	for word := range strings.FieldsSeq(string(libraries)) {
		if !filepath.IsAbs(word) {
			continue
		}
		to := filepath.Join(root, word)
		if _, err := os.Stat(to); err == nil {
			continue
		}
		must(t, os.MkdirAll(filepath.Dir(to), 0o755))
		copyFile(t, word, to)
	}
}

func copyFile(t testing.TB, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	must(t, err)
	must(t, os.WriteFile(to, data, 0o755))
}
