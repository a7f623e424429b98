// Stdiotap runs an ARCP agent as a child process and shows what passes through
// its standard input and output, which it hands on byte for byte.
//
// See docs/proxies.md.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"time"

	"github.com/arcp-go/arcp/examples/internal/console"
)

const usage = `Usage: stdiotap [flags] -- child [args…]

Runs child with this program's standard input and output and shows the ARCP
messages that pass as a table on standard error. Exits with the child's status;
128 and the signal's number when a signal ended it, 127 when there is no such
program, 126 when it cannot be run, 2 when the command line is wrong.

`

func main() {
	os.Exit(run(os.Args[1:]))
}

func run(args []string) int {
	flags := flag.NewFlagSet("stdiotap", flag.ContinueOnError)
	flags.Usage = func() {
		fmt.Fprint(flags.Output(), usage)
		flags.PrintDefaults()
	}
	record := flags.String("o", "", "record both directions exactly as they pass, in `name`.in.ndjson (to the child)\nand name.out.ndjson (from it); files of that name are overwritten")
	summary := flags.Bool("summary", false, "print totals at the end")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	case flags.NArg() == 0:
		fmt.Fprint(os.Stderr, "stdiotap: no child to run\n\n")
		flags.Usage()
		return 2
	}
	tap := newTap(os.Stderr, console.Colour(os.Stderr), time.Now)
	if *record != "" {
		if err := tap.record(*record); err != nil {
			fmt.Fprintln(os.Stderr, "stdiotap:", err)
			return 1
		}
	}
	status, err := passThrough(exec.Command(flags.Arg(0), flags.Args()[1:]...), tap)
	if err != nil {
		tap.note(err)
	}
	tap.close(*summary)
	return status
}

// passThrough runs the child between the tap's two sides until it has ended and
// all its output is handed on. It returns the status to exit with.
func passThrough(child *exec.Cmd, tap *tap) (int, error) {
	childIn, toChild, err := os.Pipe()
	if err != nil {
		return 1, err
	}
	fromChild, childOut, err := os.Pipe()
	if err != nil {
		return 1, err
	}
	child.Stdin, child.Stdout, child.Stderr = childIn, childOut, os.Stderr
	ownGroup(child)

	outliveReaders()
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, forwarded()...)

	err = child.Start()
	childIn.Close()
	childOut.Close()
	if err != nil {
		return startStatus(err), err
	}
	go forward(signals, child.Process)

	in := &pump{name: "to the child", from: os.Stdin, to: toChild, side: tap.in, report: tap.note}
	out := &pump{name: "from the child", from: fromChild, to: os.Stdout, side: tap.out, report: tap.note}
	outDone := make(chan struct{})
	go in.run()
	go func() {
		out.run()
		close(outDone)
	}()

	err = child.Wait()
	signal.Stop(signals) // from here on they are for us: the child cannot have them
	in.stop()
	out.drain()
	<-outDone
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		err = nil // the status tells it
	}
	return exitStatus(child.ProcessState), err
}

// startStatus is what a shell exits with when it cannot start a program.
func startStatus(err error) int {
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		return 127
	}
	return 126
}
