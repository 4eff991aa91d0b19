package main

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// pinned keeps this process and what it spawns on one processor until the
// function it returns is called. In a round trip between two processes the
// kernel's choice of processors decides between 4 and 50 µs; that lottery is
// not what is measured.
func pinned() (release func()) {
	var all, one unix.CPUSet
	if unix.SchedGetaffinity(0, &all) != nil {
		return func() {}
	}
	for cpu := range 1024 { // what a CPUSet holds
		if all.IsSet(cpu) {
			one.Set(cpu)
			break
		}
	}
	setAffinity(&one)
	return func() { setAffinity(&all) }
}

// setAffinity moves all threads of this process.
func setAffinity(set *unix.CPUSet) {
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return
	}
	for _, thread := range threads {
		if tid, err := strconv.Atoi(thread.Name()); err == nil {
			_ = unix.SchedSetaffinity(tid, set) // a thread that has just ended needs no place
		}
	}
}
