package envelope

import (
	"fmt"

	"github.com/arcp-go/arcp/internal/object"
	"github.com/arcp-go/arcp/internal/scan"
)

// walker reads a message field by field. It is the one judge of what is accepted, so that Decode, Peek and the edits on the
// wire cannot differ.
type walker struct {
	cursor     object.Cursor
	lookalikes bool // refuse them
}

// open starts at the first field.
func (w *walker) open(data []byte, o Options) error {
	o = o.withDefaults()
	if len(data) > o.MaxBytes {
		return tooLarge(o.MaxBytes)
	}
	w.cursor.Limits = object.Limits{Depth: o.MaxDepth, Members: o.MaxMembers}
	w.lookalikes = o.RejectLookalikes
	if err := w.cursor.Open(data); err != nil {
		return wrap(err)
	}
	return nil
}

func tooLarge(limit int) *Error {
	return &Error{Offset: limit, Reason: fmt.Sprintf("the message is longer than %d bytes", limit), Err: ErrTooLarge}
}

// next gives the next field, with the core field that it is or notCore, and false after the last one.
func (w *walker) next(data []byte, t *object.Table) (m object.Member, field int, more bool, err error) {
	m, more, fault := w.cursor.Next(data, t)
	if fault != nil {
		return m, notCore, false, wrap(fault)
	}
	if !more {
		return m, notCore, false, nil
	}
	field = coreMember(data, m)
	if field != notCore {
		err = checkCore(field, data[m.Value:m.End], m.Value, m.ValueEscaped)
	} else if w.lookalikes {
		err = checkLookalike(data, m)
	}
	return m, field, err == nil, err
}

func checkLookalike(data []byte, m object.Member) error {
	const longestEscape = 6
	if m.NameEnd-m.Name > longestEscape*3*longestCore {
		return nil
	}
	name := m.Text(data)
	if field := lookalike(name); field != notCore {
		return &Error{Field: scan.Clip(name), Offset: m.Name, Reason: lookalikeReason(field), Err: ErrLookalike}
	}
	return nil
}

func lookalikeReason(field int) string {
	return "the name is not " + coreNames[field] + " but equals it when letter case is ignored"
}
