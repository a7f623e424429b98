package event

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/arcp-go/arcp/internal/object"
	"github.com/arcp-go/arcp/internal/scan"
)

// layout is the one description of an Event or a typed body from which decoding, encoding and validation all work.
type layout struct {
	kind   string // of a body; empty for an Event
	fields []field
	extra  *map[string]json.RawMessage // all other fields
	source **source
}

// field is a field that the protocol names.
type field struct {
	name     string
	value    value
	required bool
}

// source is the object that an Event or a body was read from. Nothing writes into it.
type source struct {
	text    []byte
	members []object.Member
}

// raw gives the value of a field in the source; nil where there is none, or no source.
func (s *source) raw(name string) []byte {
	if s != nil {
		if m, ok := object.Find(s.text, s.members, name); ok {
			return m.Raw(s.text)
		}
	}
	return nil
}

// decode reads an object and shares its memory. The struct that the layout is of must be zero.
func (l layout) decode(text []byte) error {
	members, fault := object.Members(nil, text, object.Unlimited)
	if fault != nil {
		return wrap(l.kind, fault)
	}
	for i := range members {
		m := &members[i]
		if f := l.field(text, m); f == nil {
			if *l.extra == nil {
				*l.extra = make(map[string]json.RawMessage)
			}
			(*l.extra)[m.Text(text)] = m.Raw(text)
		} else if reason := f.value.read(m.Raw(text)); reason != "" {
			return wrap(l.kind, &scan.Error{Kind: scan.Type, Name: f.name, Offset: m.Value, Reason: reason})
		}
	}
	*l.source = &source{text, members}
	return nil
}

func (l layout) field(text []byte, m *object.Member) *field {
	for i := range l.fields {
		if m.Is(text, l.fields[i].name) {
			return &l.fields[i]
		}
	}
	return nil
}

// append encodes the object. On an error dst comes back as it was.
func (l layout) append(dst []byte) ([]byte, error) {
	src := *l.source
	fields := make([]object.Field, len(l.fields))
	for i, f := range l.fields {
		fields[i].Name = f.name
		if raw := src.raw(f.name); f.value.same(raw) && (src != nil || !f.required) {
			fields[i].Keep = true
			continue
		}
		if reason := f.value.fault(); reason != "" {
			return dst, wrap(l.kind, &scan.Error{Kind: scan.Syntax, Name: f.name, Offset: -1, Reason: reason})
		}
		fields[i].Value = f.value.write(f.required)
	}
	var text []byte
	var members []object.Member
	if src != nil {
		text, members = src.text, src.members
	}
	out, fault := object.Sync(dst, text, members, fields, *l.extra)
	if fault != nil {
		return dst, wrap(l.kind, fault)
	}
	return out, nil
}

// problems collects what Validate finds.
type problems struct {
	kind string
	list []error
}

func (p *problems) report(field, reason string) {
	p.list = append(p.list, invalid(p.kind, field, reason))
}

func (p *problems) join() error { return errors.Join(p.list...) }

// check starts validation: it reports required fields that are missing, and values that cannot be encoded.
func (l layout) check() *problems {
	p := &problems{kind: l.kind}
	for _, f := range l.fields {
		if f.required && f.value.absent(*l.source != nil, (*l.source).raw(f.name)) {
			p.report(f.name, "the field is missing")
		} else if reason := f.value.fault(); reason != "" {
			p.report(f.name, reason)
		}
	}
	return p
}

// unmarshal is UnmarshalJSON of all types that have a layout. It copies data, and changes *target only if all goes well.
func unmarshal[T any, P interface {
	*T
	layout() layout
}](target P, data []byte) error {
	var fresh T
	if err := P(&fresh).layout().decode(bytes.Clone(data)); err != nil {
		return err
	}
	*target = fresh
	return nil
}
