package envelope

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/arcp-go/arcp/internal/object"
	"github.com/arcp-go/arcp/internal/scan"
)

// decoded is everything that decoding one message makes besides its strings and its map, in one allocation.
type decoded struct {
	envelope Envelope
	seq      uint64
	source   source
	members  [12]member // room for the fields of a usual message
}

// source is the message that an Envelope was decoded from. Nothing writes into it.
type source struct {
	data    []byte
	members []member
	present uint8 // bit by bit, the core fields that are there, null or not
}

// member is an object.Member in half the memory, which every decoded Envelope pays for.
type member struct {
	name, nameEnd, value, end uint32
	core                      int8 // the core field that it is, or notCore
	escaped, valueEscaped     bool
}

// set stores field by field: a whole struct on its way through memory would make the processor wait for all of its parts.
func (m *member) set(from *object.Member) {
	m.name, m.nameEnd = uint32(from.Name), uint32(from.NameEnd)
	m.value, m.end = uint32(from.Value), uint32(from.End)
	m.core = from.Tag
	m.escaped, m.valueEscaped = from.Escaped, from.ValueEscaped
}

func (m *member) full() object.Member {
	return object.Member{
		Name: int(m.name), NameEnd: int(m.nameEnd), Value: int(m.value), End: int(m.end),
		Tag: m.core, Escaped: m.escaped, ValueEscaped: m.valueEscaped,
	}
}

// appendMembers appends the members for the object editor to dst.
func (s *source) appendMembers(dst []object.Member) []object.Member {
	for i := range s.members {
		dst = append(dst, s.members[i].full())
	}
	return dst
}

// Decode reads a message and takes data over: the caller must not write into it afterwards, since the Envelope shares its
// memory; for a buffer that is used again there are [Envelope.UnmarshalJSON], which copies, and [Reader].
//
// The error is an [*Error] with the field, the offset and the reason. A message is refused when it is not exactly one JSON
// object in UTF-8 (RFC 8259), when a name is there twice, when a core field has a value of the wrong type, or when it is beyond
// the limits of [Options]; no other name or value is judged (see [Envelope.Validate]).
func Decode(data []byte) (*Envelope, error) { return Options{}.Decode(data) }

// Decode is the function [Decode] under these Options.
func (o Options) Decode(data []byte) (*Envelope, error) {
	d := new(decoded)
	if err := d.decode(data, o); err != nil {
		return nil, err
	}
	return &d.envelope, nil
}

// UnmarshalJSON implements [json.Unmarshaler] under the default [Options]. It copies data. On an error e stays as it was;
// otherwise nothing of what e was remains. JSON null is an error, as in [Decode].
func (e *Envelope) UnmarshalJSON(data []byte) error {
	d := new(decoded)
	if err := d.decode(bytes.Clone(data), Options{}); err != nil {
		return err
	}
	*e = d.envelope
	return nil
}

func (d *decoded) decode(data []byte, o Options) error {
	var w walker
	if err := w.open(data, o); err != nil {
		return err
	}
	members := d.members[:0]
	textSize, extensions := 0, 0
	var m object.Member
	for at := w.cursor.First(); ; {
		var err error
		if at, err = w.next(data, at, nil, &m); err != nil {
			return err
		}
		if at == 0 {
			break
		}
		if m.Tag == notCore {
			textSize += arenaSize(m.NameEnd - m.Name)
			extensions++
		} else if m.Tag < fieldEventSeq {
			textSize += arenaSize(m.End - m.Value)
		}
		members = append(members, member{})
		members[len(members)-1].set(&m)
	}

	d.source = source{data: data, members: members, present: w.present}
	e := &d.envelope
	e.source = &d.source
	if extensions > 0 {
		e.Extensions = make(map[string]json.RawMessage, extensions)
	}
	texts := arena{left: textSize}
	for i := range members {
		m := &members[i]
		switch value := data[m.value:m.end:m.end]; {
		case m.core == notCore:
			e.Extensions[texts.copy(data[m.name:m.nameEnd], m.escaped)] = value
		case m.core == fieldPayload:
			e.Payload = value
		case isNull(value):
		case m.core == fieldEventSeq:
			d.seq, _ = sequence(value)
			e.EventSeq = &d.seq
		default:
			*e.text(int(m.core)) = texts.copy(value, m.valueEscaped)
		}
	}
	return nil
}

// text gives the core string of that number.
func (e *Envelope) text(field int) *string {
	switch field {
	case fieldARCP:
		return &e.ARCP
	case fieldID:
		return &e.ID
	case fieldType:
		return &e.Type
	case fieldSessionID:
		return &e.SessionID
	case fieldTraceID:
		return &e.TraceID
	default:
		return &e.JobID
	}
}

// An arena copies the short strings of a message into few allocations. A chunk is no longer than arenaChunk and takes no
// string longer than arenaString, so that no string keeps much more than itself alive.
type arena struct {
	chunk strings.Builder
	left  int // bytes that short strings still to come may need
}

const (
	arenaString = 96
	arenaChunk  = 1024
)

// arenaSize is what a string, with its quotes, takes of an arena.
func arenaSize(quoted int) int {
	if quoted > arenaString {
		return 0
	}
	return quoted - 2
}

// copy gives the text of a string, which is representable.
func (a *arena) copy(quoted []byte, escaped bool) string {
	if escaped {
		return a.copyUnescaped(quoted)
	}
	text := quoted[1 : len(quoted)-1]
	if len(quoted) > arenaString {
		return string(text)
	}
	return a.add(text)
}

// copyUnescaped is copy for a string with an escape.
func (a *arena) copyUnescaped(quoted []byte) string {
	if len(quoted) > arenaString {
		return scan.Text(quoted)
	}
	var room [arenaString]byte
	text, _ := scan.AppendUnquoted(room[:0], quoted)
	return a.add(text)
}

// add copies a short text.
func (a *arena) add(text []byte) string {
	start := a.chunk.Len()
	if a.chunk.Cap()-start < len(text) {
		a.chunk.Reset()
		a.chunk.Grow(max(len(text), min(a.left, arenaChunk)))
		start = 0
	}
	a.left -= len(text)
	a.chunk.Write(text)
	return a.chunk.String()[start:]
}
