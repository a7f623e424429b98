package object

import "github.com/arcp-go/arcp/internal/scan"

// Set appends a copy of the object in text to dst, with one member set to value, which is valid JSON without white space
// around it. A member that is there, however its name is escaped, keeps its name and place; a new one becomes the last. The
// name is valid UTF-8.
func Set(dst, text []byte, limits Limits, name string, value []byte) ([]byte, *scan.Error) {
	return edit(dst, text, limits, name, value)
}

// Delete appends a copy of the object in text to dst, without the member of that name. An absent one makes an equal copy.
func Delete(dst, text []byte, limits Limits, name string) ([]byte, *scan.Error) {
	return edit(dst, text, limits, name, nil)
}

// edit sets a member, or deletes it where value is nil.
func edit(dst, text []byte, limits Limits, name string, value []byte) ([]byte, *scan.Error) {
	c := Cursor{Limits: limits}
	if err := c.Open(text); err != nil {
		return dst, err
	}
	var target Target
	for {
		var m Member
		more, err := c.Next(text, nil, &m)
		if err != nil {
			return dst, err
		}
		if !more {
			return target.Append(dst, text, &c, name, value), nil
		}
		if m.Is(text, name) {
			target.Found(&m, &c)
		}
	}
}

// Target is the member that one edit is about. Its zero value is one that is not there.
type Target struct {
	member Member
	found  bool
	first  bool // no member stands before it
}

// Found notes the member, which c has just read.
func (t *Target) Found(m *Member, c *Cursor) { t.member, t.found, t.first = *m, true, c.Count == 1 }

// Append appends the object, which c has read to its end, with the edit done: the member set to value, or removed where value
// is nil.
func (t *Target) Append(dst, text []byte, c *Cursor, name string, value []byte) []byte {
	e := Editor{dst: dst, text: text}
	switch {
	case t.found && value != nil:
		e.Replace(&t.member, value)
	case t.found:
		e.some = !t.first
		e.Remove(&t.member)
	case value != nil:
		e.some = c.Count > 0
		e.Insert(c.Close, name, value)
	}
	return e.Finish()
}
