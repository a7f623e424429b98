package tracecontext

import (
	"unicode/utf8"

	"github.com/arcp-go/arcp/envelope"
	"github.com/arcp-go/arcp/internal/scan"
)

// TextMap gives OpenTelemetry's propagators access to a message. It satisfies propagation.TextMapCarrier, which is why no method
// gives an error. The zero TextMap is always empty. It is as safe for concurrent use as the message itself: many goroutines may
// call Get and Keys, one alone may call Set.
type TextMap struct {
	env *envelope.Envelope
}

// Carrier gives access to the trace context of a message, by its fields: traceparent, tracestate, and any other name such as
// baggage. A nil env is always empty.
//
// All methods are about one value: the one that [Extract] reads, or where there is none, the first one in the order of [Place]
// that is an object. Names are matched without regard to case, the exact one first.
func Carrier(env *envelope.Envelope) TextMap { return TextMap{env: env} }

// Get gives the text under a name, as it came and unchecked, since each propagator checks its own. It is empty when the name is
// absent, or its value is not a string.
func (t TextMap) Get(name string) string {
	v, _, _ := locate(t.env)
	s, _ := v.get(name)
	return s
}

// Set writes the text under a name, as it is, into the value that Get reads and in its place; a new name comes last, in the
// letters given. Where there is no value that is an object, one is made at top level. Then, as after [Inject], this value is the
// only one: it goes from the other places. Other names stay: to begin another trace on a message that has a tracestate, set
// that too.
//
// Where the message cannot take it nothing happens: env is nil, or the name or the text is not valid UTF-8.
//
// Set replaces env.Extensions, and env.Payload if a value is in there, by changed copies, and writes into neither.
func (t TextMap) Set(name, text string) {
	if t.env == nil || !utf8.ValidString(name) || !utf8.ValidString(text) {
		return
	}
	v, place, ok := locate(t.env)
	if !ok {
		v, place = empty, TopLevel
	}
	v = v.with(name, scan.AppendQuoted(nil, text))
	// This cannot fail: what holds a value that was read is an object, and top level needs none.
	_ = store(t.env, place, v.text)
}

// Keys gives the names of all fields that are strings, as they are written, in the order of the value; nil when there are none.
func (t TextMap) Keys() []string {
	v, _, _ := locate(t.env)
	var names []string
	for i := range v.members {
		m := &v.members[i]
		if _, ok := text(m.Raw(v.text)); ok {
			names = append(names, m.Text(v.text))
		}
	}
	return names
}
