// Package object reads JSON objects member by member and changes them without touching what was not asked for. It knows no
// field of any protocol.
package object

import (
	"math"
	"strconv"

	"github.com/arcp-go/arcp/internal/scan"
)

// Member is where one member stands in the text of its object: the name with its quotes is text[Name:NameEnd], the value
// text[Value:End].
type Member struct {
	Name, NameEnd, Value, End int
	Escaped                   bool // the name holds an escape
	ValueEscaped              bool // the value is a string that holds an escape
}

// Quoted gives the name as written, with its quotes.
func (m *Member) Quoted(text []byte) []byte { return text[m.Name:m.NameEnd] }

// Raw gives the value's bytes, which share memory with text; their capacity ends with them.
func (m *Member) Raw(text []byte) []byte { return text[m.Value:m.End:m.End] }

// Text gives the decoded name, a copy.
func (m *Member) Text(text []byte) string {
	if !m.Escaped {
		return string(text[m.Name+1 : m.NameEnd-1])
	}
	return scan.Text(m.Quoted(text))
}

// Is says whether the decoded name is the given one.
func (m *Member) Is(text []byte, name string) bool {
	if !m.Escaped {
		return string(text[m.Name+1:m.NameEnd-1]) == name
	}
	return scan.EqualText(m.Quoted(text), name)
}

// Limits bound what a Cursor accepts.
type Limits struct {
	Depth   int // nesting, the object itself included
	Members int
}

// Unlimited is for text that has been checked before.
var Unlimited = Limits{Depth: scan.NoLimit, Members: scan.NoLimit}

// Cursor reads one object from the start of a text to its end. It checks everything that RFC 8259 asks for, and that no two
// members have the same name after unescaping.
//
// It holds offsets, never the text, so that a caller's text and Table can stay on the caller's stack.
type Cursor struct {
	Limits Limits
	Count  int // members read so far
	Close  int // offset of the closing brace, once Next has said that there are no more

	at      int
	names   int           // noted by Add
	small   [crowd]uint32 // where the first of them are
	seen    uint64        // a filter over them: an unset bit tells that a name is new
	escaped bool          // a name noted holds an escape
	heap    *Table        // used where the caller lent none
}

// crowd is the number of names up to which comparing each with each is cheaper than a Table.
const crowd = 16

// Crowded says whether the next name needs a Table. Add makes one on the heap if it gets none.
func (c *Cursor) Crowded() bool { return c.names == crowd }

// Open goes to the first member.
func (c *Cursor) Open(text []byte) *scan.Error {
	i := scan.Space(text, 0)
	if i >= len(text) || text[i] != '{' {
		return notObject(text, i)
	}
	if int64(len(text)) >= math.MaxUint32 {
		return &scan.Error{Kind: scan.TooLarge, Offset: -1, Reason: "the text is longer than 4 GiB"}
	}
	if c.Limits.Depth < 1 {
		return &scan.Error{Kind: scan.TooDeep, Offset: i, Reason: "arrays and objects are nested too deep"}
	}
	c.at = i
	return nil
}

// First is where Advance starts, after Open: at the opening brace.
func (c *Cursor) First() int { return c.at }

// notObject is the error for text that is something else, valid or not.
func notObject(text []byte, i int) *scan.Error {
	reason := "want a JSON object"
	switch {
	case i >= len(text):
		reason = "unexpected end of input, want a JSON object"
	case len(text)-i >= 3 && string(text[i:i+3]) == "\xEF\xBB\xBF":
		reason = "want a JSON object, found a byte order mark"
	}
	return &scan.Error{Kind: scan.Syntax, Offset: i, Reason: reason}
}

// Next reads one member into m, and gives false after the last one.
func (c *Cursor) Next(text []byte, t *Table, m *Member) (more bool, err *scan.Error) {
	i, more, err := c.Advance(text, c.at)
	if !more {
		return false, err
	}
	if i, err = c.Name(text, i, m); err != nil {
		return false, err
	}
	if err = c.Add(text, m, t); err != nil {
		return false, err
	}
	c.at, err = c.Value(text, i, m)
	return err == nil, err
}

// Advance goes from the end of a value, or from First, to the next member and gives the offset of its name's opening quote.
// After the last one it gives false, and has checked that only white space follows the object.
//
// Advance, Name, Add and Value are Next in steps, for a caller that knows some names: having recognised one at the offset, it
// sees to duplicates by itself and fills in the name's place instead of calling Name and Add. The offset goes from step to step
// in the caller's hands, since on the way through memory it would be what each step waits for.
func (c *Cursor) Advance(text []byte, at int) (i int, more bool, err *scan.Error) {
	if c.Count > 0 {
		i = space(text, at)
		switch {
		case i < len(text) && text[i] == ',':
			i = space(text, i+1)
		case i < len(text) && text[i] == '}':
			return 0, false, c.end(text, i)
		default:
			return 0, false, want(text, i, "',' or '}' after a field")
		}
	} else if i = space(text, at+1); i < len(text) && text[i] == '}' {
		return 0, false, c.end(text, i)
	}
	if i >= len(text) || text[i] != '"' {
		return 0, false, want(text, i, "a field name in double quotes")
	}
	if c.Count >= c.Limits.Members {
		return 0, false, &scan.Error{Kind: scan.TooMany, Offset: i, Reason: "more than " + strconv.Itoa(c.Limits.Members) + " fields"}
	}
	c.Count++
	return i, true, nil
}

// Skip counts a member that the caller has gone to by itself, over the opening brace or the comma after another one. It gives
// false, and counts nothing, when there may be no more.
func (c *Cursor) Skip() bool {
	ok := c.Count < c.Limits.Members
	if ok {
		c.Count++
	}
	return ok
}

// Name reads the name whose opening quote is at i, and gives the offset after its closing quote.
func (c *Cursor) Name(text []byte, i int, m *Member) (end int, err *scan.Error) {
	m.Name = i
	m.Escaped = false
	if end = scan.Short(text, i); end == 0 {
		if end, m.Escaped, err = scan.String(text, i); err != nil {
			return 0, err
		}
		if m.Escaped && !scan.Representable(text[i:end]) {
			return 0, &scan.Error{Kind: scan.Syntax, Offset: i, Reason: "a field name holds half of a surrogate pair, which no text can represent"}
		}
	}
	m.NameEnd = end
	return end, nil
}

// Value reads the value that belongs to the name in m, which ends before i, and gives the offset after it.
func (c *Cursor) Value(text []byte, i int, m *Member) (end int, err *scan.Error) {
	i = space(text, i)
	if i >= len(text) || text[i] != ':' {
		return 0, named(want(text, i, "':' after a field name"), text, m)
	}
	i = space(text, i+1)
	m.Value = i
	m.ValueEscaped = false
	if i >= len(text) || text[i] != '"' {
		end, err = scan.Value(text, i, c.Limits.Depth-1)
	} else if end = scan.Short(text, i); end == 0 {
		end, m.ValueEscaped, err = scan.String(text, i)
	}
	if err != nil {
		if err.Kind == scan.TooDeep {
			err.Reason = "nested deeper than " + strconv.Itoa(c.Limits.Depth) + " levels"
		}
		return 0, named(err, text, m)
	}
	m.End = end
	return end, nil
}

// end closes the object at i.
func (c *Cursor) end(text []byte, i int) *scan.Error {
	c.Close = i
	if i = scan.Space(text, i+1); i < len(text) {
		return &scan.Error{Kind: scan.Syntax, Offset: i, Reason: "want nothing after the object"}
	}
	return nil
}

func space(text []byte, i int) int {
	if i < len(text) && text[i] <= ' ' {
		i = scan.Space(text, i)
	}
	return i
}

func want(text []byte, i int, reason string) *scan.Error {
	reason = "want " + reason
	if i >= len(text) {
		reason = "unexpected end of input, " + reason
	}
	return &scan.Error{Kind: scan.Syntax, Offset: i, Reason: reason}
}

// named says which member an error is in.
func named(err *scan.Error, text []byte, m *Member) *scan.Error {
	err.Name = m.Clipped(text)
	return err
}

// Clipped gives the name for an error or a log, cut to a sane length without decoding all of a long one.
func (m *Member) Clipped(text []byte) string {
	const longestEscape = 6
	if !m.Escaped || m.NameEnd-m.Name > longestEscape*scan.NameLimit {
		return scan.Clip(text[m.Name+1 : m.NameEnd-1])
	}
	return scan.Clip(m.Text(text))
}

// Members reads a whole object and appends its members to dst.
func Members(dst []Member, text []byte, limits Limits) ([]Member, *scan.Error) {
	c := Cursor{Limits: limits}
	if err := c.Open(text); err != nil {
		return dst, err
	}
	for {
		var m Member
		more, err := c.Next(text, nil, &m)
		if err != nil || !more {
			return dst, err
		}
		dst = append(dst, m)
	}
}

// Find gives the member of that name among members.
func Find(text []byte, members []Member, name string) (Member, bool) {
	for _, m := range members {
		if m.Is(text, name) {
			return m, true
		}
	}
	return Member{}, false
}
