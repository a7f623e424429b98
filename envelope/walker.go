package envelope

import (
	"fmt"

	"github.com/arcp-go/arcp/internal/object"
	"github.com/arcp-go/arcp/internal/scan"
)

// walker reads a message to its end. It is the one judge of what is accepted, so that Decode, Peek and the edits on the wire
// cannot differ.
type walker struct {
	cursor     object.Cursor
	lookalikes bool // refuse them

	// What has been read so far.
	present uint8 // bit by bit, the core fields that are there, null or not
	core    [fieldCount]span
	seq     uint64   // what event_seq says, 0 when it is null
	members []member // all of them, unless it is nil from the start

	// The field to look for: a core field, notCore for the one of that name, or noTarget.
	target int
	name   string
	edit   object.Target // the field, once found
}

const noTarget = -2

// span is what a core field says, at data[start:end]: a string's text without its quotes, event_seq and payload whole, null
// included. Its zero value is that of a field that is absent, and of a string that is null.
type span struct {
	start, end uint32
	escaped    bool // it is a string that holds an escape
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

// run reads the whole message.
func (w *walker) run(data []byte, o Options) error {
	if err := w.open(data, o); err != nil {
		return err
	}
	at, err := w.walk(data, w.cursor.First(), nil)
	if err == nil && at != 0 {
		err = w.crowded(data, at)
	}
	return err
}

// crowded goes on with a table for many names. It is a function of its own so that only messages with many fields pay for the
// table, which is on the stack: nothing is allocated.
//
//go:noinline
func (w *walker) crowded(data []byte, at int) error {
	var slots [object.TableSize]uint64
	t := object.NewTable(&slots)
	_, err := w.walk(data, at, &t)
	return err
}

// walk reads the fields after the offset at, which is cursor.First or what an earlier walk gave, and gives the offset after the
// last one that it has read, or 0 after the message's last one. Where it need not keep the members it stops before a name that
// needs a table if it has none.
//
// This loop is where a message's time goes. So it does itself what is the same for nearly every field: a comma and a quote, the
// name of a core field, a colon, a short string or an object. The cursor does all the rest, and reports what is wrong.
func (w *walker) walk(data []byte, at int, t *object.Table) (next int, err error) {
	separator := byte(',')
	if w.cursor.Count == 0 {
		separator = '{'
	}
	for {
		var m object.Member
		var fault *scan.Error
		field := notCore

		// The name. One of these need not be searched for its end, so that the processor can guess on. They are written out
		// since a call for each field would cost a tenth of Peek.
		name, nameEnd := at+1, 0
		if name+longestCore < len(data) && data[at] == separator && data[name] == '"' && w.cursor.Skip() {
			switch text := data[name+1 : name+longestCore]; text[0] {
			case nameARCP[0]:
				if string(text[:len(nameARCP)+1]) == nameARCP+`"` {
					field, nameEnd = fieldARCP, name+len(nameARCP)+2
				}
			case nameID[0]:
				if string(text[:len(nameID)+1]) == nameID+`"` {
					field, nameEnd = fieldID, name+len(nameID)+2
				}
			case nameType[0]: // and of trace_id
				if string(text[:len(nameType)+1]) == nameType+`"` {
					field, nameEnd = fieldType, name+len(nameType)+2
				} else if string(text[:len(nameTraceID)+1]) == nameTraceID+`"` {
					field, nameEnd = fieldTraceID, name+len(nameTraceID)+2
				}
			case nameSessionID[0]:
				if string(text[:len(nameSessionID)+1]) == nameSessionID+`"` {
					field, nameEnd = fieldSessionID, name+len(nameSessionID)+2
				}
			case nameJobID[0]:
				if string(text[:len(nameJobID)+1]) == nameJobID+`"` {
					field, nameEnd = fieldJobID, name+len(nameJobID)+2
				}
			case nameEventSeq[0]:
				if string(text[:len(nameEventSeq)+1]) == nameEventSeq+`"` {
					field, nameEnd = fieldEventSeq, name+len(nameEventSeq)+2
				}
			case namePayload[0]:
				if string(text[:len(namePayload)+1]) == namePayload+`"` {
					field, nameEnd = fieldPayload, name+len(namePayload)+2
				}
			}
			if field == notCore {
				nameEnd = scan.Short(data, name)
			}
		} else {
			var more bool
			if name, more, fault = w.cursor.Advance(data, at); fault != nil {
				return 0, wrap(fault)
			}
			if !more {
				return 0, nil
			}
		}
		separator = ','
		m.Name, m.NameEnd = name, nameEnd
		if nameEnd == 0 {
			if nameEnd, fault = w.cursor.Name(data, name, &m); fault != nil {
				return 0, wrap(fault)
			}
			field = coreMember(data, &m)
		}
		if field == notCore {
			if m.Escaped || !w.cursor.AddNew(data, name, nameEnd) {
				fault = w.cursor.Add(data, &m, t)
			}
		} else if bit := uint8(1) << (uint(field) & 7); w.present&bit == 0 {
			w.present |= bit
		} else {
			fault = object.Duplicate(data, &m)
		}
		if fault != nil {
			return 0, wrap(fault)
		}

		// The value. An end of 0 stands for one of another kind, or wrong.
		value, end := nameEnd+1, 0
		if value < len(data) && data[nameEnd] == ':' {
			switch c := data[value]; {
			case c == '"' && field != fieldEventSeq:
				end = scan.Short(data, value)
			case c == '{' && (field == fieldPayload || field == notCore):
				end, _ = scan.Container(data, value, w.cursor.Limits.Depth-1)
			case field == fieldEventSeq:
				w.seq, end = shortSequence(data, value)
			}
		}
		m.Value, m.End = value, end
		if end == 0 {
			if end, fault = w.cursor.Value(data, nameEnd, &m); fault != nil {
				return 0, wrap(fault)
			}
			value = m.Value
			if field != notCore {
				if err := checkCore(field, data[value:end], value, m.ValueEscaped); err != nil {
					return 0, err
				}
			}
			if field == fieldEventSeq {
				w.seq, _ = sequence(data[value:end])
			}
		}
		if field == notCore && w.lookalikes {
			if err := checkLookalike(data, &m); err != nil {
				return 0, err
			}
		}

		at = end
		if field == fieldPayload || field == fieldEventSeq {
			w.core[field] = span{start: uint32(value), end: uint32(end)}
		} else if field != notCore && data[value] == '"' {
			w.core[field] = span{start: uint32(value) + 1, end: uint32(end) - 1, escaped: m.ValueEscaped}
		}
		if field == w.target && (field != notCore || m.Is(data, w.name)) {
			w.edit.Found(&m, &w.cursor)
		}
		if w.members != nil {
			w.members = append(w.members, member{
				name: uint32(name), nameEnd: uint32(nameEnd), value: uint32(value), end: uint32(end),
				core: int8(field), escaped: m.Escaped, valueEscaped: m.ValueEscaped,
			})
		} else if field == notCore && t == nil && w.cursor.Crowded() {
			return at, nil
		}
	}
}

// text gives a core string, which shares memory with data, or nil if it is absent or null.
func (w *walker) text(data []byte, field int) []byte {
	s := w.core[field]
	if s.end == 0 {
		return nil
	}
	if s.escaped {
		text, _ := scan.AppendUnquoted(make([]byte, 0, s.end-s.start), data[s.start-1:s.end+1])
		return text
	}
	return data[s.start:s.end:s.end]
}

// hasSeq says whether there is an event_seq that is not null.
func (w *walker) hasSeq(data []byte) bool {
	s := w.core[fieldEventSeq]
	return s.end > 0 && !isNull(data[s.start:s.end])
}

// payload gives the payload, which shares memory with data, or nil if it is absent.
func (w *walker) payload(data []byte) []byte {
	s := w.core[fieldPayload]
	if s.end == 0 {
		return nil
	}
	return data[s.start:s.end:s.end]
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
