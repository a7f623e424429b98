package tracecontext

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/arcp-go/arcp/envelope"
	"github.com/arcp-go/arcp/internal/object"
	"github.com/arcp-go/arcp/xvendor"
)

// Place is one of the places where ARCP libraries put a trace context.
type Place int

// The places, in the order in which they are looked at.
const (
	// TopLevel is beside the core fields, where the protocol's guide and the C# library put vendor fields. It is the default.
	TopLevel Place = iota
	// Extensions is inside the top-level object "extensions", as in the Go and TypeScript libraries.
	Extensions
	// PayloadExtensions is inside the object "extensions" of the payload, as in the Java library.
	PayloadExtensions
)

// String gives the place as a path, such as "payload.extensions".
func (p Place) String() string {
	switch p {
	case TopLevel:
		return "top level"
	case Extensions:
		return nested
	case PayloadExtensions:
		return "payload." + nested
	}
	return fmt.Sprintf("Place(%d)", int(p))
}

// nested is the name of the object that holds two of the places.
const nested = "extensions"

// read gives what stands under Key in one place, if exactly one value does.
func read(env *envelope.Envelope, p Place) (raw json.RawMessage, ok bool) {
	switch p {
	case TopLevel:
		raw, ok = env.Extensions[Key]
		return raw, ok
	case Extensions:
		if raw, ok = env.Extensions[nested]; !ok {
			return nil, false
		}
		return xvendor.Lookup(inside(raw), Key)
	}
	if !mayHold(env.Payload) {
		return nil, false
	}
	count := 0
	object.Each(env.Payload, func(m *object.Member) {
		if m.Is(env.Payload, nested) {
			raw = m.Raw(env.Payload)
			count++
		}
	})
	if count != 1 {
		return nil, false
	}
	return xvendor.Lookup(inside(raw), Key)
}

// inside is an object "extensions" alone, for the functions of xvendor, which look into it.
func inside(extensions json.RawMessage) map[string]json.RawMessage {
	return map[string]json.RawMessage{nested: extensions}
}

// store makes raw the value in one place and removes the others, or changes nothing and gives an error.
func store(env *envelope.Envelope, p Place, raw json.RawMessage) (err error) {
	extensions, payload := env.Extensions, env.Payload
	switch p {
	case TopLevel:
		err = key.SetIn(&extensions, xvendor.TopLevel, raw)
	case Extensions:
		err = key.SetIn(&extensions, xvendor.Nested, raw)
	case PayloadExtensions:
		key.Delete(&extensions)
		payload, err = withExtension(payload, raw)
	default:
		err = errors.New("no such place")
	}
	if err != nil {
		return fmt.Errorf("tracecontext: %v: %w", p, err)
	}
	if p != PayloadExtensions && mayHold(payload) {
		payload = withoutExtension(payload)
	}
	env.Extensions, env.Payload = extensions, payload
	return nil
}

// mayHold says whether a payload can hold Key at all, faster than reading it: its letters stand there as they are, or in the
// only escape that can spell them.
func mayHold(payload []byte) bool {
	return bytes.Contains(payload, []byte(Key)) || bytes.Contains(payload, []byte(`\u`))
}

// withExtension gives a copy of a payload in which the object "extensions" has raw under Key.
func withExtension(payload, raw json.RawMessage) (json.RawMessage, error) {
	if payload == nil {
		payload = json.RawMessage("{}")
	}
	var err error
	count := 0
	e := object.NewEditor(nil, payload)
	closing, ok := object.Each(payload, func(m *object.Member) {
		if !m.Is(payload, nested) {
			e.Keep()
			return
		}
		count++
		extensions := inside(m.Raw(payload))
		if failed := key.SetIn(&extensions, xvendor.Nested, raw); failed != nil {
			err = failed
		}
		e.Replace(m, extensions[nested])
	})
	switch {
	case !ok:
		return nil, errors.New("the payload is not an object")
	case count > 1: // no reader could tell which one counts
		return nil, errors.New("the payload has the field " + nested + " twice")
	case count == 0:
		extensions := inside(json.RawMessage("{}"))
		err = key.SetIn(&extensions, xvendor.Nested, raw)
		e.Insert(closing, nested, extensions[nested])
	}
	if err != nil {
		return nil, err
	}
	return e.Finish(), nil
}

// withoutExtension gives a copy of a payload with nothing under Key in its "extensions", or the payload itself if nothing is.
func withoutExtension(payload json.RawMessage) json.RawMessage {
	changed := false
	e := object.NewEditor(nil, payload)
	object.Each(payload, func(m *object.Member) {
		if m.Is(payload, nested) {
			before := m.Raw(payload)
			extensions := inside(before)
			key.Delete(&extensions)
			if after := extensions[nested]; len(after) != len(before) {
				e.Replace(m, after)
				changed = true
				return
			}
		}
		e.Keep()
	})
	if !changed {
		return payload
	}
	return e.Finish()
}
