// Arcpcat prints recorded ARCP messages as a table, checks them against the
// rules of the protocol, or picks one value out of each.
//
// See docs/proxies.md.
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/arcp-go/arcp/examples/internal/console"
	"github.com/arcp-go/arcp/examples/internal/lines"
)

const usage = `Usage: arcpcat [flags] [file…]

Prints the ARCP messages in the files, or in standard input, as a table. A line that is
no envelope passes every filter. Exits with 1 when -check found a problem, when -get met
a line that is no envelope, or when reading or writing failed; 2 when the command line is
wrong.

`

func main() {
	// A reader that goes away, as head does, is then an error like any other.
	signal.Ignore(syscall.SIGPIPE)
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, console.Colour(os.Stdout)))
}

func run(args []string, stdin io.Reader, stdout, stderr io.Writer, colour bool) int {
	flags := flag.NewFlagSet("arcpcat", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprint(stderr, usage)
		flags.PrintDefaults()
	}
	var f filter
	flags.StringVar(&f.typ, "type", "", "only messages of this `type`, such as job.event")
	flags.StringVar(&f.job, "job", "", "only messages of the job with this `id`; its end, as the table shows it, will do")
	flags.StringVar(&f.ext, "ext", "", "only messages that carry the extension of this `name`, at top level or in \"extensions\"")
	check := flags.Bool("check", false, "print each problem with its line, field and offset instead of the table")
	path := flags.String("get", "", "print the value at this gjson `path` of each message that has one, one a line,\ninstead of the table; write \\. for a dot in a name: x-vendor\\.acme\\.priority")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	case *check && *path != "":
		fmt.Fprint(stderr, "arcpcat: -check and -get exclude each other\n\n")
		flags.Usage()
		return 2
	}

	out := bufio.NewWriter(stdout)
	var m mode
	switch {
	case *check:
		m = &checker{out: out, log: stderr}
	case *path != "":
		m = &getter{out: out, log: stderr, path: *path}
	default:
		m = newLister(out, colour)
	}
	status := 0
	names := flags.Args()
	if len(names) == 0 {
		names = []string{"-"}
	}
	for _, name := range names {
		if err := read(name, len(names) > 1, stdin, out, f, m); err != nil {
			fmt.Fprintln(stderr, "arcpcat:", err)
			status = 1
		}
	}
	if !m.end() {
		status = 1
	}
	if err := out.Flush(); err != nil {
		return 1 // read has reported it, or there is no one left to tell
	}
	return status
}

// read hands the messages of one file that pass the filter to the mode.
func read(name string, several bool, stdin io.Reader, out *bufio.Writer, f filter, m mode) error {
	in := stdin
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return err
		}
		defer file.Close()
		in = file
	}
	place := ""
	if several {
		place = console.Printable(name, 200) + ": "
	}
	split := lines.New(lines.MaxBytes, func(line lines.Line) error {
		row := readRow(line, direction(name))
		if !f.match(row) {
			return nil
		}
		return m.row(place, row)
	})
	if _, err := io.Copy(split, flushing{in, out}); err != nil {
		return err
	}
	if err := split.Close(); err != nil {
		return err
	}
	return out.Flush()
}

// flushing lets no output wait while it waits for input, which may be a pipe from a live session.
type flushing struct {
	in  io.Reader
	out *bufio.Writer
}

func (f flushing) Read(p []byte) (int, error) {
	if err := f.out.Flush(); err != nil {
		return 0, err
	}
	return f.in.Read(p)
}

// direction is what stdiotap's names for its recordings tell.
func direction(name string) string {
	switch {
	case strings.HasSuffix(name, ".in.ndjson"):
		return "in"
	case strings.HasSuffix(name, ".out.ndjson"):
		return "out"
	}
	return ""
}
