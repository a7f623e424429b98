//go:build !unix

package main

import (
	"os"
	"os/exec"
)

// ownGroup does nothing here: an interrupt reaches the child from the console.
func ownGroup(*exec.Cmd) {}

// outliveReaders does nothing here: there is no signal for it.
func outliveReaders() {}

// forwarded lists the interrupt, so that this program outlives the child that gets it too.
func forwarded() []os.Signal { return []os.Signal{os.Interrupt} }

// forward takes the interrupts and leaves the child to the console.
func forward(signals <-chan os.Signal, _ *os.Process) {
	for range signals {
	}
}

func exitStatus(state *os.ProcessState) int { return state.ExitCode() }
