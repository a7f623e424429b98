package envelope

import (
	"bytes"
	"encoding/json"
	"math/bits"
	"unicode/utf8"

	"github.com/arcp-go/arcp/internal/object"
	"github.com/arcp-go/arcp/internal/scan"
)

// AppendJSON appends the message to dst: the exact bytes to send.
//
// An Envelope that has not been changed since it was decoded gives the bytes it came from. In a changed one every other field
// keeps its bytes, order and white space; a changed one changes in place; new ones follow, core fields first, then extensions by
// name. An Envelope built in memory has the core fields in the protocol's order (ARCP §5), then extensions by name.
//
// An empty core string is a field that is absent; where the message had null or "" it stays so.
//
// A value that is no JSON, a name or string that is not UTF-8, and an extension with a core field's name are errors, an
// [*Error] that names the field; dst then comes back as it was. dst must not overlap the message that e was decoded from. A
// nil Envelope is an error. No limits apply.
func (e *Envelope) AppendJSON(dst []byte) ([]byte, error) {
	if e == nil {
		return dst, &Error{Offset: -1, Reason: "the Envelope is nil", Err: ErrInvalid}
	}
	if e.untouched() {
		return append(dst, e.source.data...), nil
	}
	return e.appendEdited(dst)
}

// MarshalJSON implements [json.Marshaler] with the bytes of [Envelope.AppendJSON].
//
// Note that encoding/json reformats what it gets: it takes out white space and escapes <, > and & in strings, and U+2028 and
// U+2029. The message means the same, but its bytes are others. Where the bytes matter use AppendJSON, or [Writer].
func (e Envelope) MarshalJSON() ([]byte, error) { return e.AppendJSON(nil) }

// untouched says whether e is what its source says, field by field.
func (e *Envelope) untouched() bool {
	s := e.source
	if s == nil {
		return false
	}
	for absent := ^s.present; absent != 0; absent &= absent - 1 {
		if !e.isAbsent(bits.TrailingZeros8(absent)) {
			return false
		}
	}
	extensions := 0
	for i := range s.members {
		m := &s.members[i]
		value := s.data[m.value:m.end]
		if m.core != notCore {
			if !e.same(int(m.core), value, m.valueEscaped) {
				return false
			}
			continue
		}
		raw, ok := e.Extensions[string(s.data[m.name+1:m.nameEnd-1])]
		if m.escaped {
			full := m.full()
			raw, ok = e.Extensions[full.Text(s.data)]
		}
		if !ok || !bytes.Equal(raw, value) {
			return false
		}
		extensions++
	}
	return extensions == len(e.Extensions)
}

// isAbsent says whether e has nothing in a core field.
func (e *Envelope) isAbsent(field int) bool {
	switch field {
	case fieldEventSeq:
		return e.EventSeq == nil
	case fieldPayload:
		return e.Payload == nil
	}
	return *e.text(field) == ""
}

// same says whether a core field is what its value in the source, which may be null, says.
func (e *Envelope) same(field int, value []byte, escaped bool) bool {
	switch field {
	case fieldPayload:
		return bytes.Equal(e.Payload, value)
	case fieldEventSeq:
		if isNull(value) || e.EventSeq == nil {
			return isNull(value) && e.EventSeq == nil
		}
		n, _ := sequence(value)
		return n == *e.EventSeq
	}
	text := *e.text(field)
	switch {
	case isNull(value):
		return text == ""
	case escaped:
		return scan.EqualText(value, text)
	}
	return string(value[1:len(value)-1]) == text
}

// appendEdited encodes an Envelope that is not, or no longer, what its source says.
func (e *Envelope) appendEdited(dst []byte) ([]byte, error) {
	var none source
	s := e.source
	if s == nil {
		s = &none
	}
	var room [16]object.Member
	var fields [fieldCount]object.Field
	for i, name := range coreNames {
		fields[i] = object.Field{Name: name, Keep: s.present&(1<<i) == 0 && e.isAbsent(i)}
	}
	for _, m := range s.members {
		if m.core != notCore {
			fields[m.core].Keep = e.same(int(m.core), s.data[m.value:m.end], m.valueEscaped)
		}
	}
	for i := range fields {
		if fields[i].Keep {
			continue
		}
		var err error
		if fields[i].Value, err = e.coreValue(i); err != nil {
			return dst, err
		}
	}
	out, fault := object.Sync(dst, s.data, s.appendMembers(room[:0]), fields[:], e.Extensions)
	if fault != nil {
		return dst, wrap(fault)
	}
	return out, nil
}

// coreValue encodes a core field; nil is an absent one.
func (e *Envelope) coreValue(field int) (json.RawMessage, error) {
	switch field {
	case fieldPayload:
		if e.Payload == nil {
			return nil, nil
		}
		value, fault := object.Checked(coreNames[field], e.Payload)
		if fault != nil {
			return nil, wrap(fault)
		}
		return value, nil
	case fieldEventSeq:
		if e.EventSeq == nil {
			return nil, nil
		}
		return appendSequence(nil, *e.EventSeq), nil
	}
	text := *e.text(field)
	if text == "" {
		return nil, nil
	}
	if !utf8.ValidString(text) {
		return nil, &Error{Field: coreNames[field], Offset: -1, Reason: "the string is not valid UTF-8", Err: ErrSyntax}
	}
	return scan.AppendQuoted(nil, text), nil
}
