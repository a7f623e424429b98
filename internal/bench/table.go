package bench

import (
	"fmt"
	"slices"
)

// Table is one kind of work: a row for each codec, a column for each message.
type Table struct {
	Work  string
	Sizes []string
	Rows  []Row
}

// Row is one codec on every message.
type Row struct {
	Codec string
	Cells []Cell
}

// Cell is one case of a table.
type Cell struct {
	Measured bool // false: the codec cannot do it, or it was not run
	Sample   Sample
	Ratio    float64 // the codec's time divided by arcp's
}

// Table collects what was measured of one kind of work. Limits are set in
// relation to Forward.
func (r *Results) Table(work string, best map[string]Sample) Table {
	t := Table{Work: work}
	base, sizes, rows := work, []string{"mixed"}, []string(nil)
	if work != "Stream" {
		sizes = nil
		for _, m := range Messages() {
			sizes = append(sizes, m.Size)
		}
	}
	if work == "Limit" {
		base, rows = "Forward", append(rows, "arcp")
		for _, l := range Limits() {
			rows = append(rows, l.Name)
		}
	} else {
		for _, c := range Codecs() {
			rows = append(rows, c.Name)
		}
	}
	for _, size := range sizes {
		if _, ok := best[CaseName(base, size, "arcp")]; ok {
			t.Sizes = append(t.Sizes, size)
		}
	}
	for _, codec := range rows {
		row := Row{Codec: codec, Cells: make([]Cell, len(t.Sizes))}
		for i, size := range t.Sizes {
			from := work
			if codec == "arcp" {
				from = base
			}
			if s, ok := best[CaseName(from, size, codec)]; ok {
				row.Cells[i] = Cell{true, s, s.Ns / best[CaseName(base, size, "arcp")].Ns}
			}
		}
		if slices.ContainsFunc(row.Cells, func(c Cell) bool { return c.Measured }) {
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// Text is the ratio, or the time itself for the row that others are held against.
func (c Cell) Text(absolute bool) string {
	switch {
	case !c.Measured:
		return "-"
	case absolute:
		return Duration(c.Sample.Ns)
	case c.Ratio < 10:
		return fmt.Sprintf("%.2f", c.Ratio)
	}
	return fmt.Sprintf("%.0f", c.Ratio)
}
