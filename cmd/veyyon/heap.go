package main

// ballastBytes is the size of a part of the heap that does nothing but make the
// garbage collector run half as often while the heap is small, as in an agent
// that streams: it collects when the heap has doubled, and the ballast counts,
// though its pages are never touched and so cost nothing. In return up to 8 MiB
// more garbage may stand in memory (measured: 15 % more commands and deltas a
// second). It is allocated after ready, since that begins a collection.
const ballastBytes = 4 << 20
