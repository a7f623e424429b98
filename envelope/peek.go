package envelope

import (
	"github.com/arcp-go/arcp/internal/object"
	"github.com/arcp-go/arcp/internal/scan"
)

// Header is what [Peek] reads of a message: the core fields (ARCP §5), decoded. A field is nil where the message has none or
// null, but for a null payload, which is a value here as it is in an [Envelope]; a string that is there but empty is not nil. All share memory with the message, strings that hold an escape excepted:
// do not write into them. Their capacity ends with them.
type Header struct {
	ARCP, ID, Type, SessionID, TraceID, JobID []byte

	EventSeq    uint64
	HasEventSeq bool
	Payload     []byte // any JSON value, null included, as it stands in the message
}

// Peek checks a message as [Decode] does, accepting exactly the same, and reads its core fields without building an Envelope.
// Under the default limits it allocates nothing but one string for each core string that holds an escape.
//
// On an error, an [*Error], the Header has the core fields that were read before it, for logs.
func Peek(data []byte) (Header, error) { return Options{}.Peek(data) }

// Peek is the function [Peek] under these Options.
func (o Options) Peek(data []byte) (h Header, err error) {
	p := pass{header: &h}
	err = p.run(data, o)
	return h, err
}

func (h *Header) set(data []byte, m *object.Member) {
	value := m.Raw(data)
	switch field := int(m.Tag); {
	case field < fieldEventSeq && value[0] == '"':
		text := value[1 : len(value)-1 : len(value)-1]
		if m.ValueEscaped {
			text, _ = scan.AppendUnquoted(make([]byte, 0, len(text)), value)
		}
		*h.text(field) = text
	case field == fieldPayload:
		h.Payload = value
	case field == fieldEventSeq && !isNull(value):
		h.EventSeq, _ = sequence(value)
		h.HasEventSeq = true
	}
}

// text gives the core string of that number.
func (h *Header) text(field int) *[]byte {
	switch field {
	case fieldARCP:
		return &h.ARCP
	case fieldID:
		return &h.ID
	case fieldType:
		return &h.Type
	case fieldSessionID:
		return &h.SessionID
	case fieldTraceID:
		return &h.TraceID
	default:
		return &h.JobID
	}
}

// A pass goes over a message once without building anything: for Peek, with a header to fill, or for an edit on the wire,
// with a target to find.
type pass struct {
	walker walker
	header *Header
	target *object.Target
	name   string // of the target
	field  int8   // the core field that the target is, or notCore
}

func (p *pass) run(data []byte, o Options) error {
	if err := p.walker.open(data, o); err != nil {
		return err
	}
	return p.fields(data, p.walker.cursor.First(), nil)
}

// fields reads the fields that come after the offset at.
func (p *pass) fields(data []byte, at int, t *object.Table) error {
	var m object.Member
	for {
		if t == nil && p.walker.cursor.Crowded() {
			return p.crowded(data, at)
		}
		var err error
		at, err = p.walker.next(data, at, t, &m)
		switch {
		case err != nil || at == 0:
			return err
		case p.header == nil:
			p.target.See(&m, m.Tag == p.field && (m.Tag != notCore || m.Is(data, p.name)))
		case m.Tag != notCore:
			p.header.set(data, &m)
		}
	}
}

// crowded goes on with a table for many names. It is a function of its own so that only messages with many fields pay for the
// table, which is on the stack: nothing is allocated.
//
//go:noinline
func (p *pass) crowded(data []byte, at int) error {
	var slots [object.TableSize]uint32
	t := object.NewTable(&slots)
	return p.fields(data, at, &t)
}
