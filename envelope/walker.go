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

// next reads the field that comes after the offset at into m, whose Tag becomes the core field that it is, or notCore. It
// gives the offset after it, or 0 after the last one. The first field comes after cursor.First.
//
// It does itself what is the same for nearly every field, since this loop is where a message's time goes: a comma and a quote,
// the name of a core field, a colon, and a short string. The cursor does all the rest.
func (w *walker) next(data []byte, at int, t *object.Table, m *object.Member) (end int, err error) {
	var fault *scan.Error
	field := notCore
	i := at + 1
	if i+longestCore < len(data) && data[at] == ',' && data[i] == '"' && w.cursor.Skip() {
		// A name that is one of these need not be searched for its end, so that the processor can guess on. A call for each
		// field would cost a tenth of Peek.
		name := data[i+1 : i+longestCore]
		switch name[0] {
		case nameARCP[0]:
			if string(name[:len(nameARCP)+1]) == nameARCP+`"` {
				field, end = fieldARCP, i+len(nameARCP)+2
			}
		case nameID[0]:
			if string(name[:len(nameID)+1]) == nameID+`"` {
				field, end = fieldID, i+len(nameID)+2
			}
		case nameType[0]: // and of trace_id
			if string(name[:len(nameType)+1]) == nameType+`"` {
				field, end = fieldType, i+len(nameType)+2
			} else if string(name[:len(nameTraceID)+1]) == nameTraceID+`"` {
				field, end = fieldTraceID, i+len(nameTraceID)+2
			}
		case nameSessionID[0]:
			if string(name[:len(nameSessionID)+1]) == nameSessionID+`"` {
				field, end = fieldSessionID, i+len(nameSessionID)+2
			}
		case nameJobID[0]:
			if string(name[:len(nameJobID)+1]) == nameJobID+`"` {
				field, end = fieldJobID, i+len(nameJobID)+2
			}
		case nameEventSeq[0]:
			if string(name[:len(nameEventSeq)+1]) == nameEventSeq+`"` {
				field, end = fieldEventSeq, i+len(nameEventSeq)+2
			}
		case namePayload[0]:
			if string(name[:len(namePayload)+1]) == namePayload+`"` {
				field, end = fieldPayload, i+len(namePayload)+2
			}
		}
	} else {
		var more bool
		if i, more, fault = w.cursor.Advance(data, at); !more {
			if fault != nil {
				err = wrap(fault)
			}
			return 0, err
		}
	}
	if field != notCore {
		m.Name, m.NameEnd, m.Escaped = i, end, false
	} else {
		if end, fault = w.cursor.Name(data, i, m); fault != nil {
			return 0, wrap(fault)
		}
		field = coreMember(data, m)
	}
	m.Tag = int8(field)
	if field == notCore {
		fault = w.cursor.Add(data, m, t)
	} else if bit := uint8(1) << uint(field); w.present&bit != 0 {
		fault = object.Duplicate(data, m)
	} else {
		w.present |= bit
	}
	if fault != nil {
		return 0, wrap(fault)
	}

	i = end + 1
	if i < len(data) && data[end] == ':' && data[i] == '"' {
		if end = scan.Short(data, i); end > 0 {
			m.Value, m.End, m.ValueEscaped = i, end, false
			if uint(field) < fieldEventSeq {
				return end, nil
			}
			return end, w.check(data, m)
		}
	}
	if end, fault = w.cursor.Value(data, m.NameEnd, m); fault != nil {
		return 0, wrap(fault)
	}
	return end, w.check(data, m)
}

// check judges a field whose syntax is right.
func (w *walker) check(data []byte, m *object.Member) error {
	switch {
	case m.Tag != notCore:
		return checkCore(int(m.Tag), data[m.Value:m.End], m.Value, m.ValueEscaped)
	case w.lookalikes:
		return checkLookalike(data, m)
	}
	return nil
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
