// Recorder is what the sandbox of FuzzLines is made of. As supervise it locks
// itself into the directory it is given and runs the lines that come; by any other
// name it notes how it was called.
package main

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

const (
	logFile = "/log"
	workDir = "/work"
	limit   = 700 * time.Millisecond // of one line; then all is killed
)

// A Run is what a line did.
type Run struct {
	Calls [][]string // that were recorded
	Files []string   // of the working directory, afterwards
	Late  bool       // it was killed
}

func main() {
	if filepath.Base(os.Args[0]) == "supervise" {
		supervise(os.Args[1])
		return
	}
	record(os.Args)
}

func record(args []string) {
	if args[0] == "/bin/record" {
		args = args[1:]
	}
	line, err := json.Marshal(args)
	check(err)
	log, err := os.OpenFile(logFile, os.O_WRONLY|os.O_APPEND, 0)
	check(err)
	_, err = log.Write(append(line, '\n'))
	check(err)
}

func supervise(root string) {
	check(syscall.Mount("", "/", "", syscall.MS_PRIVATE|syscall.MS_REC, ""))
	check(syscall.Mount("/dev/null", root+"/dev/null", "", syscall.MS_BIND, ""))
	check(syscall.Chroot(root))
	check(os.Chdir("/"))
	syscall.Umask(0)
	in, out := json.NewDecoder(os.Stdin), bufio.NewWriter(os.Stdout)
	for {
		var line string
		if in.Decode(&line) != nil {
			return
		}
		check(json.NewEncoder(out).Encode(run(line)))
		check(out.Flush())
	}
}

// shadowed are builtins that no safe line runs; functions record them.
var shadowed = strings.Fields("eval source . trap alias enable hash complete mapfile readarray getopts history fc bind shopt")

func run(line string) (r Run) {
	check(os.RemoveAll(workDir))
	check(os.MkdirAll(workDir+"/d", 0o777))
	for _, name := range []string{"a", "b", "-n", "-delete", "a b", "d/rm", "d/$(touch x)", "y.sh"} {
		check(os.WriteFile(filepath.Join(workDir, name), nil, 0o666))
	}
	check(os.Link("/bin/record", workDir+"/run.sh"))
	check(os.WriteFile(logFile, nil, 0o666))
	check(os.Chmod(logFile, 0o666))
	check(os.WriteFile("/stdin", []byte("rm x\n-exec\ntouch\n$(touch x)\n;\na[$(touch x)]\n"), 0o666))
	input, err := os.Open("/stdin")
	check(err)
	null, err := os.OpenFile("/dev/null", os.O_RDWR, 0)
	check(err)
	defer input.Close()
	defer null.Close()
	cmd := exec.Command("/bin/bash", "-c", `ulimit -d 400000; ulimit -u 150; ulimit -f 1000; exec /bin/bash -c "$1"`, "_", line)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = workDir, input, null, null
	cmd.Env = []string{"PATH=/bin", "HOME=/work", "y=-exec rm {} ;", "z=*", "w=a b", "LC_ALL=C.UTF-8"}
	for _, name := range shadowed {
		cmd.Env = append(cmd.Env, "BASH_FUNC_"+name+"%%=() { /bin/record "+name+` "$@"; }`)
	}
	if os.Getenv("AS_NOBODY") != "" {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	check(cmd.Start())
	late := time.AfterFunc(limit, func() { r.Late = true; _ = syscall.Kill(-1, syscall.SIGKILL) })
	_ = cmd.Wait()
	for { // what it left is ours: we are the first process of our own world
		if pid, err := syscall.Wait4(-1, nil, 0, nil); pid <= 0 && err != syscall.EINTR {
			break
		}
	}
	late.Stop()
	log, err := os.ReadFile(logFile)
	check(err)
	for text := range strings.Lines(string(log)) {
		var call []string
		if json.Unmarshal([]byte(text), &call) == nil { // the last may be torn
			r.Calls = append(r.Calls, call)
		}
	}
	check(filepath.WalkDir(workDir, func(path string, _ os.DirEntry, err error) error {
		r.Files = append(r.Files, strings.TrimPrefix(path, workDir))
		return err
	}))
	slices.Sort(r.Files)
	return r
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
