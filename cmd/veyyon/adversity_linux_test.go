package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// onMount starts a server in namespaces of its own, where dir is a file system
// in memory of that many KiB, and the server may mount. The test is skipped
// where that is not allowed.
func onMount(t *testing.T, dir, kib string, args ...string) *server {
	t.Helper()
	own := &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	mount := "mount -t tmpfs -o size=" + kib + "k none " + dir
	probe := exec.Command("/bin/sh", "-c", mount)
	probe.SysProcAttr = own
	if said, err := probe.CombinedOutput(); err != nil {
		t.Skipf("no file system can be mounted here: %v %s", err, said)
	}
	return launchServer(t, func(cmd *exec.Cmd) {
		cmd.Args = append([]string{"sh", "-c", mount + ` && exec "$0" "$@"`}, cmd.Args...)
		cmd.Path = "/bin/sh"
		cmd.SysProcAttr = own
	}, args...)
}

// turns writes a script for the scripted model, a line of it for each turn.
func turns(t *testing.T, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "turns.yml")
	must(t, os.WriteFile(path, []byte("- "+strings.Join(lines, "\n- ")+"\n"), 0o600))
	return path
}

// prompt gives a prompt and waits for the end of its run; it returns what came
// in between that holds this text.
func (s *server) prompt(text, awaited string) string {
	s.t.Helper()
	s.send(`{"id":"p","type":"prompt","message":` + quoted(text) + `}`)
	found := ""
	if awaited != "" {
		found = s.await(awaited)
	}
	s.await(`"type":"agent_end"`)
	return found
}

// shell runs a command to its end.
func (s *server) shell(command string) {
	s.t.Helper()
	s.send(`{"id":"shell","type":"bash","command":` + quoted(command) + `}`)
	s.await(`"id":"shell"`)
}

// leave ends the input, and wants an exit without a fault.
func (s *server) leave() {
	s.t.Helper()
	_ = s.in.Close()
	if code := s.code(patience); code != 0 {
		s.t.Errorf("code %d; stderr: %s", code, s.stderr.String())
	}
}

// holds checks that each line of a session file is JSON, and that these texts
// are in it, in order.
func holds(t *testing.T, path string, texts ...string) {
	t.Helper()
	whole, err := os.ReadFile(path)
	must(t, err)
	if !bytes.HasSuffix(whole, []byte("\n")) {
		t.Error("the last line has no end")
	}
	for line := range bytes.Lines(whole) {
		if !json.Valid(line) {
			t.Errorf("a line is no JSON: %q", line)
		}
	}
	rest := string(whole)
	for _, text := range texts {
		_, after, found := strings.Cut(rest, quoted(text))
		if !found {
			t.Fatalf("%q is not, or not in its place, in\n%s", text, whole)
		}
		rest = after
	}
}

func TestAFullDiskIsToldAndNothingOfItIsLost(t *testing.T) {
	sessions, kept := t.TempDir(), t.TempDir()
	script := turns(t, `steps: [{text: first answer}]`, `steps: [{text: second answer}]`, `steps: [{text: third answer}]`)
	s := onMount(t, sessions, "256", "--model", "scripted/script", "--script", script, "--session-dir", sessions)
	s.prompt("one", "")
	s.shell("cat /dev/zero >" + sessions + "/fill")
	told := s.prompt("two "+strings.Repeat("and more ", 2000), `"type":"notice"`)
	if !strings.Contains(told, "could not be saved") || !strings.Contains(told, "no space left") {
		t.Errorf("the host is told %s", told)
	}
	s.send(`{"id":"s","type":"get_state"}`)
	s.await(`"id":"s","type":"response","command":"get_state","success":true`)
	s.shell("rm " + sessions + "/fill")
	s.prompt("three", "")
	s.shell("cp " + sessions + "/*.jsonl " + kept + "/s.jsonl")
	s.leave()
	holds(t, kept+"/s.jsonl", "one", "first answer", "second answer", "three", "third answer")
}

func TestAReadOnlyFolderCostsAClearErrorAndNoMore(t *testing.T) {
	folder, kept := t.TempDir(), t.TempDir()
	write := `steps: [{tool: write, args: {path: ` + folder + `/a.txt, content: new}}]`
	script := turns(t, write, `steps: [{text: so be it}]`, write, `steps: [{text: done}]`)
	s := onMount(t, folder, "512", "--model", "scripted/script", "--script", script, "--session-dir", folder+"/sessions")
	s.shell("mount -o remount,ro " + folder)
	told := s.prompt("write", `"role":"toolResult"`)
	if !strings.Contains(told, `"isError":true`) || !strings.Contains(told, "read-only file system") {
		t.Errorf("the tool says %s", told)
	}
	s.shell("mount -o remount,rw " + folder)
	if told := s.prompt("again", `"role":"toolResult"`); !strings.Contains(told, `"isError":false`) {
		t.Errorf("the tool says %s", told)
	}
	s.shell("cp " + folder + "/sessions/*.jsonl " + kept + "/s.jsonl; ls -A " + folder + " >" + kept + "/names")
	s.leave()
	holds(t, kept+"/s.jsonl", "write", "so be it", "again", "done")
	names, err := os.ReadFile(kept + "/names")
	must(t, err)
	if string(names) != "a.txt\nsessions\n" {
		t.Errorf("the folder holds %s", names)
	}
}

func TestOfTwoServersOnOneFileTheSecondIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	answer := func() string { return turns(t, `steps: [{text: an answer}]`, `steps: [{text: another}]`) }
	first := launchServer(t, nil, "--model", "scripted/script", "--script", answer())
	open := `{"id":"o","type":"switch_session","sessionPath":` + quoted(path) + `}`
	first.send(open)
	first.await(`"id":"o","type":"response","command":"switch_session","success":true`)
	first.prompt("of the first", "")
	second := launchServer(t, nil, "--model", "scripted/script", "--script", answer())
	second.send(open)
	refused := second.await(`"id":"o"`)
	if !strings.Contains(refused, `"success":false`) || !strings.Contains(refused, "the session is in use") || !strings.Contains(refused, `"code":"busy"`) {
		t.Errorf("the second hears %s", refused)
	}
	second.prompt("elsewhere", "") // its own session goes on
	first.prompt("of the first again", "")
	first.leave()
	second.send(open)
	second.await(`"id":"o","type":"response","command":"switch_session","success":true`)
	second.prompt("of the second", "")
	second.leave()
	holds(t, path, "of the first", "of the first again", "of the second", "another")
}

func TestAVanishedFolderIsToldAndMayComeBack(t *testing.T) {
	run := `steps: [{tool: bash, args: {command: echo here}}]`
	script := turns(t, run, `steps: [{text: gone}]`, run, `steps: [{text: back}]`)
	path := filepath.Join(t.TempDir(), "s.jsonl")
	s := launchServer(t, nil, "--model", "scripted/script", "--script", script)
	s.send(`{"id":"o","type":"switch_session","sessionPath":` + quoted(path) + `}`)
	s.await(`"id":"o","type":"response","command":"switch_session","success":true`)
	must(t, os.RemoveAll(s.cmd.Dir))
	told := s.prompt("first", `"role":"toolResult"`)
	if !strings.Contains(told, `"isError":true`) || !strings.Contains(told, s.cmd.Dir) {
		t.Errorf("the tool says %s", told)
	}
	must(t, os.Mkdir(s.cmd.Dir, 0o700))
	if told := s.prompt("then", `"role":"toolResult"`); !strings.Contains(told, `here`) || !strings.Contains(told, `"isError":false`) {
		t.Errorf("the tool says %s", told)
	}
	s.leave()
	holds(t, path, "first", "gone", "then", "back")
}

// A server that is killed in the middle of a line leaves a file that the next
// one goes on with on a line of its own.
func TestATornLineIsEndedByTheNextServer(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	script := turns(t, `steps: [{text: before}]`)
	s := launchServer(t, nil, "--model", "scripted/script", "--script", script)
	s.send(`{"id":"o","type":"switch_session","sessionPath":` + quoted(path) + `}`)
	s.await(`"id":"o","type":"response","command":"switch_session","success":true`)
	s.prompt("first", "")
	must(t, s.cmd.Process.Kill())
	if code := s.code(time.Minute); code == 0 {
		t.Error("it was not killed")
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	must(t, err)
	_, err = f.WriteString(`{"type":"message","id":"torn`)
	must(t, errors.Join(err, f.Close()))
	next := launchServer(t, nil, "--model", "scripted/script", "--script", script, "--resume", path)
	next.await("could not be read")
	next.prompt("second", "")
	next.leave()
	whole, err := os.ReadFile(path)
	must(t, err)
	must(t, os.WriteFile(path, bytes.Replace(whole, []byte(`{"type":"message","id":"torn`+"\n"), nil, 1), 0o600))
	holds(t, path, "first", "before", "second", "before")
}
