package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/arcp-go/arcp/examples/internal/console"
	"github.com/arcp-go/arcp/examples/internal/lines"
	"github.com/arcp-go/arcp/examples/internal/table"
)

// filter chooses messages; an empty field chooses all.
type filter struct{ typ, job, ext string }

// match lets a line that is no envelope pass: what cannot be judged should not vanish.
func (f filter) match(r message) bool {
	e := r.Envelope
	if e == nil {
		return true
	}
	if f.typ != "" && e.Type != f.typ {
		return false
	}
	if f.job != "" && (e.JobID == "" || !strings.HasSuffix(e.JobID, strings.TrimPrefix(f.job, "…"))) {
		return false
	}
	if f.ext == "" {
		return true
	}
	names := table.ExtensionNames(e)
	return slices.Contains(names, f.ext) || slices.Contains(names, "extensions/"+f.ext)
}

// message is a row and the text it was read from.
type message struct {
	table.Row
	text []byte
}

// readRow makes a row of a recorded line. The one time that a recording tells is that of events, their ts.
func readRow(line lines.Line, direction string) message {
	r := message{table.Read(line), line.Data}
	r.Direction = direction
	// A ts that is none leaves the zero time, which the table shows as unknown.
	r.Time, _ = r.Event.Time()
	return r
}

// mode is what to do with the messages. place names the file when there are several.
type mode interface {
	row(place string, m message) error
	end() bool // whether all was well
}

// lister prints the table.
type lister struct {
	printer *table.Printer
}

func newLister(w io.Writer, colour bool) *lister {
	return &lister{table.NewPrinter(w, colour)}
}

func (l *lister) row(_ string, m message) error { return l.printer.Print(m.Row) }

func (l *lister) end() bool { return true }

// checker prints problems.
type checker struct {
	out, log        io.Writer
	lines, problems int
}

func (c *checker) row(place string, m message) error {
	c.lines++
	for _, p := range m.Problems {
		c.problems++
		field, offset := "-", "-"
		if p.Field != "" {
			field = strconv.QuoteToGraphic(p.Field)
		}
		if p.Offset >= 0 {
			offset = strconv.Itoa(p.Offset)
		}
		if _, err := fmt.Fprintf(c.out, "%sline %d, field %s, offset %s: %s\n", place, m.Line, field, offset, console.Printable(p.Reason, 300)); err != nil {
			return err
		}
	}
	return nil
}

func (c *checker) end() bool {
	fmt.Fprintf(c.log, "arcpcat: lines: %d, problems: %d\n", c.lines, c.problems)
	return c.problems == 0
}

// getter prints values.
type getter struct {
	out, log io.Writer
	path     string
	refused  bool
}

func (g *getter) row(place string, m message) error {
	if m.Envelope == nil {
		g.refused = true
		for _, p := range m.Problems {
			fmt.Fprintf(g.log, "arcpcat: %sline %d is no envelope: %s\n", place, m.Line, console.Printable(p.Reason, 300))
		}
		return nil
	}
	value := gjson.GetBytes(m.text, g.path)
	if !value.Exists() {
		return nil
	}
	_, err := fmt.Fprintln(g.out, valueText(value))
	return err
}

func (g *getter) end() bool { return !g.refused }

// valueText puts a value on one line that is safe on a terminal: of a string its text,
// of anything else its JSON as it was written.
func valueText(value gjson.Result) string {
	if value.Type == gjson.String {
		return console.Printable(value.String(), lines.MaxBytes)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(value.Raw)); err != nil {
		return console.Printable(value.String(), lines.MaxBytes) // made by the path, as a count is, and no JSON text
	}
	return console.JSON(compact.String())
}
