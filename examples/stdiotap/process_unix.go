//go:build unix

package main

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

// ownGroup gives the child a process group of its own. A terminal sends Ctrl-C to a whole
// group, so the child would get it twice, and many programs take the second for "at once".
func ownGroup(child *exec.Cmd) {
	child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

// outliveReaders keeps this program alive when the reader of its standard output or error
// goes away. That is the child's to notice, as it would without a program in between.
func outliveReaders() {
	// Not signal.Ignore: the child would inherit that.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
}

// forwarded lists the signals that are for the child. One that this program was started to
// ignore, as under nohup, stays ignored by both.
func forwarded() []os.Signal {
	var list []os.Signal
	for _, s := range []os.Signal{
		syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGUSR1, syscall.SIGUSR2,
		syscall.SIGALRM, syscall.SIGABRT, syscall.SIGWINCH, syscall.SIGTSTP, syscall.SIGCONT,
	} {
		if !signal.Ignored(s) {
			list = append(list, s)
		}
	}
	return list
}

// forward sends the child each signal that comes.
func forward(signals <-chan os.Signal, child *os.Process) {
	for s := range signals {
		// The one error that can come is that the child has just ended.
		_ = child.Signal(s)
		if s == syscall.SIGTSTP { // Ctrl-Z stops both, fg continues both
			_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
		}
	}
}

func exitStatus(state *os.ProcessState) int {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return state.ExitCode()
}
