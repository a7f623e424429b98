// Otel follows one trace through a client, a proxy and a runtime that exchange ARCP messages, once for each place in which ARCP
// libraries put the trace context.
//
// The spans go to standard output, one JSON object a line, as OpenTelemetry's stdout exporter writes them. With -wire the
// messages go to standard error as they pass each hop.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"go.opentelemetry.io/otel/exporters/stdout/stdouttrace"

	"github.com/arcp-go/arcp/tracecontext"
)

const usage = `Usage: otel [-place name] [-wire]

Runs a client, a proxy and a runtime in this process, and prints the spans of their traces. Exits with 1 when a hop failed,
2 when the command line is wrong.

`

// places are the values of the flag -place.
var places = map[string][]tracecontext.Place{
	"top":        {tracecontext.TopLevel},
	"extensions": {tracecontext.Extensions},
	"payload":    {tracecontext.PayloadExtensions},
	"all":        {tracecontext.TopLevel, tracecontext.Extensions, tracecontext.PayloadExtensions},
}

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("otel", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprint(stderr, usage)
		flags.PrintDefaults()
	}
	name := flags.String("place", "all", "where the trace context goes: top, extensions, payload or all `place`s")
	wire := flags.Bool("wire", false, "print the messages to standard error")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	case flags.NArg() > 0:
		fmt.Fprintf(stderr, "otel: unexpected argument %q\n", flags.Arg(0))
		return 2
	}
	chosen, ok := places[*name]
	if !ok {
		fmt.Fprintf(stderr, "otel: -place %q: want top, extensions, payload or all\n", *name)
		return 2
	}

	// The exporter keeps its errors from the program, so the writer remembers its own.
	out := &sticky{w: stdout}
	exporter, err := stdouttrace.New(stdouttrace.WithWriter(out))
	if err != nil {
		fmt.Fprintln(stderr, "otel:", err)
		return 1
	}
	tap := func(hop, message string) {}
	if *wire {
		tap = func(hop, message string) { fmt.Fprintf(stderr, "%s %s", hop, message) }
	}
	for _, place := range chosen {
		if err := session(context.Background(), exporter, place, tap); err != nil {
			fmt.Fprintf(stderr, "otel: %v: %v\n", place, err)
			return 1
		}
	}
	if out.err != nil {
		fmt.Fprintln(stderr, "otel:", out.err)
		return 1
	}
	return 0
}

// sticky is a writer that remembers its first error.
type sticky struct {
	w   io.Writer
	err error
}

func (s *sticky) Write(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	var n int
	n, s.err = s.w.Write(p)
	return n, s.err
}
