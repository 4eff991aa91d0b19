package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strings"
)

// Memory is read from /proc. Where there is none, and for a server inside this
// process, these calls fail with fs.ErrNotExist, and its figures are left out.

// resident is what the process holds in memory now, in MiB.
func (p *process) resident() (float64, error) { return p.memory("VmRSS:") }

// peak is the most it has held since the last forgetPeak, in MiB.
func (p *process) peak() (float64, error) { return p.memory("VmHWM:") }

// forgetPeak begins a new measurement of the peak.
func (p *process) forgetPeak() error {
	const resetPeak = "5" // proc(5), clear_refs
	return os.WriteFile(p.proc("clear_refs"), []byte(resetPeak), 0)
}

func (p *process) memory(field string) (float64, error) {
	file, err := os.Open(p.proc("status"))
	if err != nil {
		return 0, err
	}
	defer func() { _ = file.Close() }() // only read
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		value, ok := strings.CutPrefix(lines.Text(), field)
		if !ok {
			continue
		}
		var kib float64
		if _, err := fmt.Sscanf(value, "%f kB", &kib); err != nil {
			return 0, fmt.Errorf("reading %s of process %d: %w", field, p.pid, err)
		}
		return kib / 1024, nil
	}
	return 0, errors.Join(lines.Err(), fmt.Errorf("process %d tells no %s", p.pid, field))
}

func (p *process) proc(name string) string {
	return fmt.Sprintf("/proc/%d/%s", p.pid, name)
}

// A watch measures how much memory a process takes above what it had before.
type watch struct {
	of     *process
	before float64
}

// watchMemory begins a watch.
func (p *process) watchMemory() (watch, error) {
	before, err := p.resident()
	if err != nil {
		return watch{}, err
	}
	return watch{p, before}, p.forgetPeak()
}

// growth is the peak since then above the memory before, in MiB.
func (w watch) growth() (float64, error) {
	peak, err := w.of.peak()
	return peak - w.before, err
}
