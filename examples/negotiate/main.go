// Negotiate reads a company's discovery document and an agent's client metadata, and prints which extensions the two may use
// together and why not the others.
package main

import (
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/arcp-go/arcp/examples/internal/console"
	"github.com/arcp-go/arcp/negotiate"
)

const usage = `Usage: negotiate [-implements name=major,…]… [company.json agent.json]

Prints which extensions of the two documents may be used together, and why not the others. Without files it takes two that
are built in. Exits with 1 when a document cannot be read or is malformed, 2 when the command line is wrong. That nothing is
agreed is no failure.

`

//go:embed company.json
var builtInCompany []byte

//go:embed agent.json
var builtInAgent []byte

// builtInSupport is what the program claims to implement unless it is told.
const builtInSupport = "operations=1,2"

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("negotiate", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprint(stderr, usage)
		flags.PrintDefaults()
	}
	supported := make(support)
	flags.Var(supported, "implements", "an extension that this program implements, as `name=major,…`, with its major versions; may be\nrepeated (default "+builtInSupport+")")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	case flags.NArg() != 0 && flags.NArg() != 2:
		fmt.Fprintf(stderr, "negotiate: want two files or none, got %d\n\n", flags.NArg())
		flags.Usage()
		return 2
	}
	if len(supported) == 0 {
		_ = supported.Set(builtInSupport) // well-formed, as the tests see
	}

	company, err := read(flags.Arg(0), "the built-in company", builtInCompany)
	if err != nil {
		fmt.Fprintln(stderr, "negotiate:", err)
		return 1
	}
	agent, err := read(flags.Arg(1), "the built-in agent", builtInAgent)
	if err != nil {
		fmt.Fprintln(stderr, "negotiate:", err)
		return 1
	}
	if err := show(stdout, negotiate.Extensions(company, agent, supported)); err != nil {
		fmt.Fprintln(stderr, "negotiate:", err)
		return 1
	}
	return 0
}

// read gives the extensions that a file lists, or those of the text that stands for it where there is no file.
func read(file, builtIn string, doc []byte) (map[string]negotiate.Descriptor, error) {
	name := builtIn
	if file != "" {
		name = file
		var err error
		if doc, err = os.ReadFile(file); err != nil {
			return nil, err
		}
	}
	descriptors, err := negotiate.Descriptors(doc)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return descriptors, nil
}

// show prints the result as a table. What peers sent is escaped and cut.
func show(w io.Writer, result negotiate.Result) error {
	const nameWidth, versionWidth, urlWidth = 40, 16, 120
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "EXTENSION\tVERSION\tENDPOINT\tOUTCOME")
	for _, o := range result.Outcomes {
		version, endpoint, outcome := "-", "-", string(o.Reason)
		if agreed, ok := result.Agreed[o.Name]; ok {
			version = console.Printable(agreed.Version, versionWidth)
			if agreed.Endpoint != "" {
				endpoint = console.Printable(agreed.Endpoint, urlWidth)
			}
		}
		if o.Detail != "" {
			outcome += ": " + o.Detail
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", console.Printable(o.Name, nameWidth), version, endpoint, outcome)
	}
	fmt.Fprintf(table, "\n%d of %d agreed\n", len(result.Agreed), len(result.Outcomes))
	return table.Flush()
}

// support is the value of the flag -implements: major versions by extension.
type support map[string][]int

func (s support) String() string { return "" }

func (s support) Set(text string) error {
	name, majors, ok := strings.Cut(text, "=")
	if !ok {
		return errors.New("want name=major,…")
	}
	if _, err := negotiate.ParseName(name); err != nil {
		return err
	}
	for _, text := range strings.Split(majors, ",") {
		major, err := strconv.Atoi(text)
		if err != nil || major < 0 {
			return fmt.Errorf("major version %q: want a number", text)
		}
		s[name] = append(s[name], major)
	}
	return nil
}
