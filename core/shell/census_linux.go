package shell

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sync/singleflight"
	"golang.org/x/sys/unix"
)

// What /proc says of a process.
type processStat struct {
	pid, parent, session int
	state                byte
	mark                 string // of our children only: the entry runVar of the environment, with its NUL
}

var (
	counting sync.Mutex
	counts   singleflight.Group
)

// census lists all processes, as they are after the call. When many commands are
// aborted at once they share the lists: who comes while one is made waits for
// the next.
func census() []processStat {
	list, _, _ := counts.Do("", func() (any, error) {
		counting.Lock()
		defer counting.Unlock()
		counts.Forget("")
		return processes(), nil
	})
	return list.([]processStat)
}

func processes() []processStat {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	var all []processStat
	buffer := make([]byte, 1024) // a line has at most some 500 bytes
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		p, ok := parseStat(pid, firstBytes("/proc/"+name+"/stat", buffer))
		if !ok {
			continue // it is gone
		}
		if p.parent == os.Getpid() {
			p.mark = markOf(name)
		}
		all = append(all, p)
	}
	return all
}

// firstBytes reads the beginning of a file. It makes three system calls where
// os.ReadFile makes seven, for each process of the machine.
func firstBytes(path string, buffer []byte) string {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return ""
	}
	defer unix.Close(fd)
	n, _ := unix.Read(fd, buffer)
	return string(buffer[:max(n, 0)])
}

// parseStat reads a line of /proc/PID/stat. The command's name is in
// parentheses and may itself contain any.
func parseStat(pid int, line string) (processStat, bool) {
	fields := strings.Fields(line[strings.LastIndexByte(line, ')')+1:])
	if len(fields) < 4 {
		return processStat{}, false
	}
	p := processStat{pid: pid, state: fields[0][0]}
	p.parent, _ = strconv.Atoi(fields[1])
	p.session, _ = strconv.Atoi(fields[3])
	return p, true
}

func markOf(pid string) string {
	env, err := os.ReadFile("/proc/" + pid + "/environ")
	if err != nil {
		return ""
	}
	for entry := range bytes.SplitAfterSeq(env, []byte{0}) {
		if bytes.HasPrefix(entry, []byte(runVar+"=")) {
			return string(entry)
		}
	}
	return ""
}
