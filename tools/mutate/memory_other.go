//go:build !unix

package main

// limitMemory does nothing here: this system has no such limit.
func limitMemory(uint64) {}
