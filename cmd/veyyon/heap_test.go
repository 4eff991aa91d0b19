package main

import (
	"runtime"
	"runtime/metrics"
	"testing"
)

var kept []byte

func TestMemoryThatALargeAnswerTookIsGivenBack(t *testing.T) {
	h := newHeap()
	h.look()
	kept = make([]byte, 4*slackBytes)
	for i := range kept {
		kept[i] = 1
	}
	kept = nil
	runtime.GC()
	if h.look() {
		t.Error("memory was given back while the collector was at work")
	}
	if !h.look() {
		t.Error("memory without a use was kept")
	}
	free := []metrics.Sample{{Name: "/memory/classes/heap/free:bytes"}}
	if metrics.Read(free); free[0].Value.Uint64() > slackBytes {
		t.Errorf("%d bytes are still held", free[0].Value.Uint64())
	}
	if h.look() {
		t.Error("nothing was left to give back")
	}
}
