//go:build !linux

package main

// pinned does nothing: processes cannot be kept on one processor here.
func pinned() (release func()) { return func() {} }
