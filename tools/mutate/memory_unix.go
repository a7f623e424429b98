//go:build unix

package main

import "syscall"

// limitMemory bounds the address space of this process and of all that it starts. A fault can make a loop that allocates
// without end, and the machine is to survive it.
func limitMemory(bytes uint64) {
	_ = syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: bytes, Max: bytes})
}
