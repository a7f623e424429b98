package envelope

import (
	"bytes"
	"encoding/json"
	"math/bits"
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

func (m *member) full() object.Member {
	return object.Member{
		Name: int(m.name), NameEnd: int(m.nameEnd), Value: int(m.value), End: int(m.end),
		Escaped: m.escaped, ValueEscaped: m.valueEscaped,
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
	w := walker{target: noTarget}
	if err := w.open(data, o); err != nil {
		return err
	}
	w.members = d.members[:0]
	if _, err := w.walk(data, w.cursor.First(), nil); err != nil {
		return err
	}
	e := &d.envelope
	d.source = source{data: data, members: w.members, present: w.present}
	e.source = &d.source

	texts := arena{left: w.textSize()}
	e.ARCP = texts.add(data, w.core[fieldARCP])
	e.ID = texts.add(data, w.core[fieldID])
	e.Type = texts.add(data, w.core[fieldType])
	e.SessionID = texts.add(data, w.core[fieldSessionID])
	e.TraceID = texts.add(data, w.core[fieldTraceID])
	e.JobID = texts.add(data, w.core[fieldJobID])
	if w.hasSeq(data) {
		d.seq = w.seq
		e.EventSeq = &d.seq
	}
	e.Payload = w.payload(data)
	if n := len(w.members) - bits.OnesCount8(w.present); n > 0 {
		e.Extensions = make(map[string]json.RawMessage, n)
	}
	for i := range w.members {
		m := &w.members[i]
		if m.core != notCore {
			continue
		}
		name := span{start: m.name + 1, end: m.nameEnd - 1, escaped: m.escaped}
		e.Extensions[texts.add(data, name)] = data[m.value:m.end:m.end]
	}
	return nil
}

// textSize is what the arena needs.
func (w *walker) textSize() int {
	size := 0
	for field := range fieldEventSeq {
		size += arenaSize(w.core[field].start, w.core[field].end)
	}
	for i := range w.members {
		if m := &w.members[i]; m.core == notCore {
			size += arenaSize(m.name+1, m.nameEnd-1)
		}
	}
	return size
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

// arenaSize is what the text between these offsets takes of an arena.
func arenaSize(from, to uint32) int {
	if to-from > arenaString {
		return 0
	}
	return int(to - from)
}

// add copies the text of a string, which is representable; the zero span gives "".
func (a *arena) add(data []byte, s span) string {
	if s.escaped {
		return a.copyUnescaped(data[s.start-1 : s.end+1])
	}
	return a.copy(data[s.start:s.end])
}

// copy copies a text.
func (a *arena) copy(text []byte) string {
	if len(text) > arenaString {
		return string(text)
	}
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

// copyUnescaped gives the text of a string with an escape, which is representable.
func (a *arena) copyUnescaped(quoted []byte) string {
	var room [arenaString]byte
	if len(quoted) > len(room) {
		return scan.Text(quoted)
	}
	text, _ := scan.AppendUnquoted(room[:0], quoted)
	return a.copy(text)
}
