package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/arcp-go/arcp/examples/internal/lines"
	"github.com/arcp-go/arcp/examples/internal/table"
)

// tap shows and records what passes on both sides. Trouble with the table, whose
// reader may be gone, never stops the traffic.
type tap struct {
	mu      sync.Mutex // guards everything, the sides' fields too
	w       io.Writer
	printer *table.Printer
	clock   func() time.Time
	start   time.Time
	in, out *tapSide
}

func newTap(w io.Writer, colour bool, clock func() time.Time) *tap {
	t := &tap{w: w, printer: table.NewPrinter(w, colour), clock: clock, start: clock()}
	t.in, t.out = t.newSide("in"), t.newSide("out")
	return t
}

// tapSide is one direction.
type tapSide struct {
	*tap
	name   string
	split  *lines.Splitter
	file   *os.File // nil: not recorded
	bytes  int64    // handed on
	totals table.Totals
}

func (t *tap) newSide(name string) *tapSide {
	s := &tapSide{tap: t, name: name}
	s.split = lines.New(lines.MaxBytes, func(line lines.Line) error {
		row := table.Read(line)
		row.Time, row.Direction = t.clock(), name
		s.totals.Add(row)
		_ = t.printer.Print(row)
		return nil
	})
	return s
}

// record opens the two recordings. Messages hold tokens, so the files are their owner's alone.
func (t *tap) record(name string) (err error) {
	for _, s := range []*tapSide{t.in, t.out} {
		s.file, err = os.OpenFile(name+"."+s.name+".ndjson", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
		if err != nil {
			return err
		}
	}
	return nil
}

// see shows the messages that p completes.
func (s *tapSide) see(p []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = s.split.Write(p) // cannot fail: the function given to lines.New does not
}

// passed records bytes, at once, so that they are there whatever happens next.
func (s *tapSide) passed(p []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bytes += int64(len(p))
	if s.file == nil {
		return
	}
	if _, err := s.file.Write(p); err != nil {
		s.print(fmt.Errorf("the recording ends here: %w", err))
		s.file.Close()
		s.file = nil
	}
}

// note prints an error among the rows.
func (t *tap) note(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.print(err)
}

func (t *tap) print(err error) {
	fmt.Fprintf(t.w, "stdiotap: %v\n", err)
}

// close shows a last line without an ending, ends the recordings, and prints the totals
// on request. Both pumps have come to rest.
func (t *tap) close(summary bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range []*tapSide{t.in, t.out} {
		_ = s.split.Close()
		if s.file == nil {
			continue
		}
		if err := s.file.Close(); err != nil {
			t.print(err)
		}
		s.file = nil
	}
	if !summary {
		return
	}
	fmt.Fprintf(t.w, "\nDIR  MESSAGES  REFUSED  WITH PROBLEMS  BYTES\n")
	for _, s := range []*tapSide{t.in, t.out} {
		fmt.Fprintf(t.w, "%-4s %8d %8d %14d %6d\n", s.name, s.totals.Messages, s.totals.Refused, s.totals.Faulty, s.bytes)
	}
	for _, s := range []*tapSide{t.in, t.out} {
		s.totals.Types.Print(t.w, s.name+": types")
		s.totals.Kinds.Print(t.w, s.name+": kinds of events")
		s.totals.Names.Print(t.w, s.name+": extensions")
	}
	fmt.Fprintf(t.w, "time %v\n", t.clock().Sub(t.start).Round(time.Millisecond))
}
