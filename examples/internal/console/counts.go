package console

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"
)

// Other is the name under which [Counts] adds up what it has no room for.
const Other = "(all others)"

const (
	maxNames  = 100
	nameWidth = 60
)

// Counts counts names that a peer chose, in bounded memory: the first 100
// different names each, the rest together as [Other]. Names are kept as
// [Printable] makes them. The zero value is ready to use.
type Counts struct {
	byName map[string]int
	other  int
}

// Add counts name once.
func (c *Counts) Add(name string) {
	if name = Printable(name, nameWidth); name == "" {
		name = "(empty)"
	}
	if c.byName == nil {
		c.byName = make(map[string]int)
	}
	if _, known := c.byName[name]; known || len(c.byName) < maxNames {
		c.byName[name]++
		return
	}
	c.other++
}

// Count is one line of [Counts.Sorted].
type Count struct {
	Name string
	N    int
}

// Sorted returns the counts, the largest first and equal ones by name; [Other] is last.
func (c *Counts) Sorted() []Count {
	list := make([]Count, 0, len(c.byName)+1)
	for name, n := range c.byName {
		list = append(list, Count{name, n})
	}
	slices.SortFunc(list, func(a, b Count) int {
		return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Name, b.Name))
	})
	if c.other > 0 {
		list = append(list, Count{Other, c.other})
	}
	return list
}

// Print writes the counts under a title, one a line, or nothing when there are none. Errors of w
// are not reported: this is for a summary on standard error.
func (c *Counts) Print(w io.Writer, title string) {
	list := c.Sorted()
	if len(list) == 0 {
		return
	}
	width := 0
	for _, e := range list {
		width = max(width, utf8.RuneCountInString(e.Name))
	}
	fmt.Fprintln(w, title)
	for _, e := range list {
		fmt.Fprintf(w, "  %-*s %7d\n", width, e.Name, e.N)
	}
}
