package object

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/arcp-go/arcp/internal/scan"
)

// Field is what a field that a caller knows by name shall be.
type Field struct {
	Name  string
	Keep  bool   // as it stands in the source, be it there or not
	Value []byte // valid JSON without white space around it; nil: not there
}

// Sync appends the object that the known fields and extra make. Where it was read from text, everything that is the same keeps
// its bytes, order and white space; text and members are nil for an object built in memory. New members follow the others:
// fields in their order, then extra sorted by name.
//
// A value in extra that equals the one in text is unchanged; any other is checked. On an error dst comes back as it was.
func Sync(dst, text []byte, members []Member, fields []Field, extra map[string]json.RawMessage) ([]byte, *scan.Error) {
	closing := 1
	if text == nil {
		text = []byte("{}")
	} else {
		closing = closingBrace(text, members)
	}
	e := Editor{dst: dst, text: text}

	var written uint64 // bit by bit, the fields that have their place
	kept := 0          // of extra
	for i := range members {
		m := &members[i]
		if i := fieldOf(text, m, fields); i >= 0 {
			written |= 1 << i
			switch f := fields[i]; {
			case f.Keep:
				e.Keep()
			case f.Value == nil:
				e.Remove(m)
			default:
				e.Replace(m, f.Value)
			}
			continue
		}
		value, ok := lookup(extra, text, m)
		if !ok {
			e.Remove(m)
			continue
		}
		kept++
		if bytes.Equal(value, text[m.Value:m.End]) {
			e.Keep()
			continue
		}
		checked, err := Checked("", value)
		if err != nil {
			return dst, named(err, text, m)
		}
		e.Replace(m, checked)
	}

	for i, f := range fields {
		if written&(1<<i) == 0 && !f.Keep && f.Value != nil {
			e.Insert(closing, f.Name, f.Value)
		}
	}
	if kept < len(extra) {
		if err := e.insertExtra(closing, members, fields, extra, len(extra)-kept); err != nil {
			return dst, err
		}
	}
	return e.Finish(), nil
}

func lookup(extra map[string]json.RawMessage, text []byte, m *Member) (json.RawMessage, bool) {
	if m.Escaped {
		value, ok := extra[m.Text(text)]
		return value, ok
	}
	value, ok := extra[string(text[m.Name+1:m.NameEnd-1])]
	return value, ok
}

// insertExtra inserts the n members that extra has and the source has not.
func (e *Editor) insertExtra(closing int, members []Member, fields []Field, extra map[string]json.RawMessage, n int) *scan.Error {
	isField := func(name string) bool {
		return slices.ContainsFunc(fields, func(f Field) bool { return f.Name == name })
	}
	isThere := func(name string) bool {
		_, ok := Find(e.text, members, name)
		return ok
	}
	if len(members) > crowd {
		there := make(map[string]bool, len(members))
		for i := range members {
			there[members[i].Text(e.text)] = true
		}
		isThere = func(name string) bool { return there[name] }
	}
	names := make([]string, 0, n)
	for name := range extra {
		if isField(name) || !isThere(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		switch {
		case isField(name):
			return inMemory(scan.Duplicate, name, "it is a field of its own and may not stand among the others")
		case !utf8.ValidString(name):
			return inMemory(scan.Syntax, name, "the name is not valid UTF-8")
		}
		value, err := Checked(name, extra[name])
		if err != nil {
			return err
		}
		e.Insert(closing, name, value)
	}
	return nil
}

// Checked gives a value without the white space around it, or an error that names its field when it is not one JSON value.
func Checked(name string, value []byte) ([]byte, *scan.Error) {
	if len(value) == 0 {
		return nil, inMemory(scan.Syntax, name, "the value is empty, want a JSON value")
	}
	start, end, err := scan.Only(value, scan.NoLimit)
	if err != nil {
		err.Reason = "byte " + strconv.Itoa(err.Offset) + " of the value: " + err.Reason
		return nil, inMemory(err.Kind, name, err.Reason)
	}
	return value[start:end:end], nil
}

// inMemory is an error about something that has no place in a text.
func inMemory(kind scan.Kind, name, reason string) *scan.Error {
	return &scan.Error{Kind: kind, Name: scan.Clip(name), Offset: -1, Reason: reason}
}

func fieldOf(text []byte, m *Member, fields []Field) int {
	for i, f := range fields {
		if m.Is(text, f.Name) {
			return i
		}
	}
	return -1
}

// closingBrace finds the end of an object that a Cursor has read.
func closingBrace(text []byte, members []Member) int {
	from := 0
	if len(members) > 0 {
		from = members[len(members)-1].End
	}
	return from + bytes.IndexByte(text[from:], '}')
}
