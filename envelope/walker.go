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
	lookalikes bool  // refuse them
	present    uint8 // bit by bit, the core fields read so far, null or not
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

// next reads the next field into m, whose Tag becomes the core field that it is, or notCore. After the last one it gives
// false.
func (w *walker) next(data []byte, t *object.Table, m *object.Member) (more bool, err error) {
	more, fault := w.cursor.NextName(data, m)
	if fault != nil {
		return false, wrap(fault)
	}
	if !more {
		return false, nil
	}
	field := coreMember(data, m)
	m.Tag = int8(field)
	if field == notCore {
		fault = w.cursor.Add(data, m, t)
	} else if w.present&(1<<field) != 0 {
		fault = object.Duplicate(data, m)
	} else {
		w.present |= 1 << field
	}
	if fault == nil {
		fault = w.cursor.NextValue(data, m)
	}
	if fault != nil {
		return false, wrap(fault)
	}
	switch {
	case field == notCore:
		if w.lookalikes {
			err = checkLookalike(data, m)
		}
	case field >= fieldEventSeq || m.ValueEscaped || data[m.Value] != '"':
		err = checkCore(field, data[m.Value:m.End], m.Value, m.ValueEscaped)
	}
	return err == nil, err
}

func checkLookalike(data []byte, m *object.Member) error {
	const longestEscape = 6
	if m.NameEnd-m.Name > longestEscape*longestLookalike {
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
