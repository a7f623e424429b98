package table

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/arcp-go/arcp/examples/internal/console"
)

// column is one column of the table. Text that is wider than it pushes the
// rest of its row aside, up to most characters.
type column struct {
	head        string
	width, most int
	right       bool
}

var columns = []column{
	{"TIME", 12, 12, false},
	{"DIR", 3, 3, false},
	{"LINE", 4, 20, true},
	{"TYPE", 15, 40, false},
	{"ID", 8, 8, false},
	{"SESSION", 8, 8, false},
	{"JOB", 8, 8, false},
	{"TRACE", 8, 8, false},
	{"KIND", 22, 40, false},
	{"SEQ", 4, 20, true},
	{"SIZE", 6, 20, true},
	{"EXTENSIONS", 0, 0, false},
}

// What a row shows of lists that a peer can make long.
const (
	maxShownNames    = 8
	maxShownProblems = 4
	nameWidth        = 60
	reasonWidth      = 200
)

const (
	dim    = "\x1b[2m"
	red    = "\x1b[31m"
	cyan   = "\x1b[36m"
	green  = "\x1b[32m"
	normal = "\x1b[0m"
)

// Printer prints rows under a heading, each with one Write. It is not safe for
// concurrent use.
type Printer struct {
	w       io.Writer
	colour  bool
	started bool
}

// NewPrinter returns a Printer that writes to w. With colour it uses the
// escape sequences of a terminal; the text is the same.
func NewPrinter(w io.Writer, colour bool) *Printer {
	return &Printer{w: w, colour: colour}
}

// Print prints one row, and the heading before the first. The error is the Writer's.
func (p *Printer) Print(r Row) error {
	var b strings.Builder
	if !p.started {
		p.started = true
		var head strings.Builder
		for _, c := range columns {
			c.pad(&head, c.head)
		}
		b.WriteString(p.paint(dim, strings.TrimRight(head.String(), " ")) + "\n")
	}
	var text strings.Builder
	for i, cell := range r.cells() {
		columns[i].pad(&text, cell)
	}
	b.WriteString(p.paint(r.shade(), strings.TrimRight(text.String(), " ")))
	if len(r.Problems) > 0 {
		b.WriteString(p.paint(red, "  ! "+r.problemText()))
	}
	b.WriteByte('\n')
	_, err := io.WriteString(p.w, b.String())
	return err
}

func (p *Printer) paint(shade, text string) string {
	if !p.colour || shade == "" {
		return text
	}
	return shade + text + normal
}

func (r Row) shade() string {
	switch r.Direction {
	case "in":
		return cyan
	case "out":
		return green
	}
	return ""
}

// cells gives the text of each column.
func (r Row) cells() []string {
	clock := ""
	if !r.Time.IsZero() {
		clock = r.Time.Format("15:04:05.000")
	}
	cells := []string{clock, r.Direction, strconv.Itoa(r.Line)}
	e := r.Envelope
	if e == nil {
		return append(cells, "(refused)", "", "", "", "", "", "", strconv.Itoa(r.Size), "")
	}
	seq := ""
	if e.EventSeq != nil {
		seq = strconv.FormatUint(*e.EventSeq, 10)
	}
	return append(cells, e.Type, console.Short(e.ID), console.Short(e.SessionID), console.Short(e.JobID), console.Short(e.TraceID),
		r.Event.Kind, seq, strconv.Itoa(r.Size), nameText(ExtensionNames(e)))
}

// pad writes a cell and the gap to the next; an empty one is a dash, so that
// the columns can be told apart by a program too.
func (c column) pad(b *strings.Builder, text string) {
	if c.most > 0 {
		text = console.Printable(text, c.most)
	}
	if text == "" {
		text = "-"
	}
	gap := strings.Repeat(" ", max(0, c.width-utf8.RuneCountInString(text)))
	if c.right {
		b.WriteString(gap + text + " ")
	} else {
		b.WriteString(text + gap + " ")
	}
}

func nameText(names []string) string {
	var b strings.Builder
	for i, name := range names {
		if i == maxShownNames {
			fmt.Fprintf(&b, ",+%d", len(names)-i)
			break
		}
		if i > 0 {
			b.WriteByte(',')
		}
		if name == "" {
			name = `""`
		}
		b.WriteString(console.Printable(name, nameWidth))
	}
	return b.String()
}

func (r Row) problemText() string {
	var b strings.Builder
	for i, p := range r.Problems {
		if i == maxShownProblems {
			fmt.Fprintf(&b, "; and %d more", len(r.Problems)-i)
			break
		}
		if i > 0 {
			b.WriteString("; ")
		}
		if p.Field != "" {
			b.WriteString(console.Printable(p.Field, nameWidth) + ": ")
		}
		b.WriteString(console.Printable(p.Reason, reasonWidth))
	}
	return b.String()
}
