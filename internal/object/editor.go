package object

import "github.com/arcp-go/arcp/internal/scan"

// Editor copies an object and changes members on the way; every byte that no change concerns is copied as it is.
//
// The calls follow the members in their order: Keep, Replace or Remove for each one (those after the last change may be left
// out if something is kept), then Insert for each new one, then Finish.
type Editor struct {
	dst, text []byte
	at        int  // all of text before it has been copied or dropped
	some      bool // the object so far has a member
}

// NewEditor starts to append an edited copy of the object in text, which a Cursor has read, to dst.
func NewEditor(dst, text []byte) *Editor { return &Editor{dst: dst, text: text} }

func (e *Editor) copyTo(i int) {
	e.dst = append(e.dst, e.text[e.at:i]...)
	e.at = i
}

// Keep leaves a member as it is.
func (e *Editor) Keep() { e.some = true }

// Replace gives a member another value; its name stays as written.
func (e *Editor) Replace(m *Member, value []byte) {
	e.copyTo(m.Value)
	e.dst = append(e.dst, value...)
	e.at = m.End
	e.some = true
}

// Remove takes a member out, from the comma before it through its value; the first one through the comma after it.
func (e *Editor) Remove(m *Member) {
	if e.some {
		comma := m.Name - 1
		for e.text[comma] != ',' {
			comma--
		}
		e.copyTo(comma)
		e.at = m.End
		return
	}
	e.copyTo(m.Name)
	e.at = m.End
	if i := space(e.text, m.End); e.text[i] == ',' {
		e.at = i + 1
	}
}

// Insert adds a member before the closing brace, which is at closing, and after the white space that precedes it. The name is
// valid UTF-8.
func (e *Editor) Insert(closing int, name string, value []byte) {
	e.copyTo(closing)
	if e.some {
		e.dst = append(e.dst, ',')
	}
	e.dst = scan.AppendQuoted(e.dst, name)
	e.dst = append(e.dst, ':')
	e.dst = append(e.dst, value...)
	e.some = true
}

// Finish copies the rest and gives the result.
func (e *Editor) Finish() []byte {
	e.copyTo(len(e.text))
	return e.dst
}
