// Proxy reads newline-delimited ARCP envelopes and forwards each one's bytes
// unchanged, or with one vendor extension added, and says what it saw.
//
// See docs/proxies.md.
package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/arcp-go/arcp/envelope"
	"github.com/arcp-go/arcp/examples/internal/console"
	"github.com/arcp-go/arcp/xvendor"
)

// session is testdata/recordings/ts-tracing.ndjson, which an embed pattern cannot reach: real
// traffic between the public TypeScript client and runtime.
//
//go:embed session.ndjson
var session []byte

const usage = `Usage: proxy [flags] [file]

Reads ARCP envelopes, one a line, from file or else from standard input, forwards
each to standard output byte for byte (line endings become a line feed), and prints
a summary to standard error. A line that is no envelope is reported and skipped.
Without a file and with a terminal as input it runs on an embedded recording of a
real session. Exits with 1 when a line was refused or reading or writing failed,
2 when the command line is wrong.

`

func main() {
	// A reader that goes away is then an error like any other, and reported.
	signal.Ignore(syscall.SIGPIPE)
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

func run(args []string, stdin *os.File, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("proxy", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprint(stderr, usage)
		flags.PrintDefaults()
	}
	var stamp *extension
	flags.Func("stamp", "add a vendor extension to each message, or replace its value: `name=json`,\nsuch as x-vendor.acme.hop='\"proxy-1\"'", func(text string) (err error) {
		if stamp != nil {
			return errors.New("given twice")
		}
		stamp, err = parseExtension(text)
		return err
	})
	demo := flags.Bool("demo", false, "run on the embedded recording, whatever standard input is")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	case flags.NArg() > 1 || *demo && flags.NArg() > 0:
		fmt.Fprint(stderr, "proxy: too many arguments\n\n")
		flags.Usage()
		return 2
	}

	var in io.Reader = stdin
	switch {
	case *demo || flags.NArg() == 0 && console.IsTerminal(stdin):
		fmt.Fprintln(stderr, "proxy: forwarding the embedded recording of a real session; -h tells how to forward yours")
		in = bytes.NewReader(session)
	case flags.NArg() == 1:
		file, err := os.Open(flags.Arg(0))
		if err != nil {
			fmt.Fprintln(stderr, "proxy:", err)
			return 1
		}
		defer file.Close()
		in = file
	}
	p := newProxy(stdout, stderr, stamp)
	err := p.forward(in)
	p.summary(stderr)
	if err != nil {
		fmt.Fprintln(stderr, "proxy:", err)
	}
	if err != nil || p.refused > 0 {
		return 1
	}
	return 0
}

// extension is one vendor extension as it goes into a message.
type extension struct {
	name  string
	value []byte
}

// parseExtension takes "name=json" apart. The name is one that a program may author.
func parseExtension(text string) (*extension, error) {
	name, value, ok := strings.Cut(text, "=")
	if !ok {
		return nil, errors.New("want name=json")
	}
	if err := xvendor.Validate(name); err != nil {
		return nil, err
	}
	x := &extension{name, []byte(value)}
	// The codec checks the value as it will with each message.
	if _, err := envelope.AppendSet(nil, []byte("{}"), x.name, x.value); err != nil {
		return nil, err
	}
	if bytes.ContainsAny(x.value, "\r\n") { // a message is one line
		var line bytes.Buffer
		if err := json.Compact(&line, x.value); err != nil {
			return nil, err
		}
		x.value = line.Bytes()
	}
	return x, nil
}
