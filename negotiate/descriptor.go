package negotiate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/arcp-go/arcp/internal/object"
	"github.com/arcp-go/arcp/internal/scan"
)

// Descriptor is what one side says about one extension. Its zero value is an object without fields.
//
// One that was read is written again byte for byte; after changes, whatever did not change keeps its bytes, order and white
// space. A descriptor that is no object, or has one field twice, is kept as well, with all fields empty: it may be carried
// but not changed, and [Extensions] reports it.
type Descriptor struct {
	// Version is the version of the extension, such as "1" or "1.4". It is empty when absent, null or not a string.
	Version string
	// Endpoint is the URL at which the extension is served. It is empty when absent, null or not a string.
	Endpoint string
	// Extra holds every other field; nil when there are none. The values may share memory with what was read: replace them,
	// never write into them.
	Extra map[string]json.RawMessage

	source                  []byte // never written into
	version                 string // Version and Endpoint as read
	endpoint                string
	flaw                    string // why the fields cannot be told; nothing is ""
	badVersion, badEndpoint string // the same for one of them
}

// The fields of a descriptor that have a meaning here.
const (
	versionField  = "version"
	endpointField = "endpoint"
)

// UnmarshalJSON reads a descriptor. It copies data, takes any JSON value, and fails, leaving d as it was, only on text that
// is no JSON.
func (d *Descriptor) UnmarshalJSON(data []byte) error {
	start, end, err := scan.Only(data, scan.NoLimit)
	if err != nil {
		return malformed("descriptor", err)
	}
	*d = readDescriptor(bytes.Clone(data[start:end]))
	return nil
}

// readDescriptor takes over source, which is one JSON value without white space around it.
func readDescriptor(source []byte) Descriptor {
	d := Descriptor{source: source}
	if source[0] != '{' {
		d.flaw = "want an object, found " + scan.Describe(source)
		return d
	}
	members, err := object.Members(nil, source, object.Unlimited)
	if err != nil {
		d.flaw = err.Error()
		return d
	}
	for _, m := range members {
		switch {
		case m.Is(source, versionField):
			d.version, d.badVersion = text(m.Raw(source))
		case m.Is(source, endpointField):
			d.endpoint, d.badEndpoint = text(m.Raw(source))
			if d.endpoint == "" && d.badEndpoint == "" && source[m.Value] == '"' {
				d.badEndpoint = "the URL is empty"
			}
		default:
			if d.Extra == nil {
				d.Extra = make(map[string]json.RawMessage)
			}
			d.Extra[m.Text(source)] = m.Raw(source)
		}
	}
	d.Version, d.Endpoint = d.version, d.endpoint
	return d
}

// text gives the text of a string, or says why there is none. A null is an absent one.
func text(value []byte) (s, flaw string) {
	switch value[0] {
	case '"':
		decoded, ok := scan.AppendUnquoted(nil, value)
		if !ok {
			return "", "half of a surrogate pair, which no text can represent"
		}
		return string(decoded), ""
	case 'n':
		return "", ""
	}
	return "", "want a string, found " + scan.Describe(value)
}

// AppendJSON appends the descriptor to dst: the bytes it was read from, with what has changed since. On an error, which
// wraps [ErrMalformed], dst comes back as it was.
func (d Descriptor) AppendJSON(dst []byte) ([]byte, error) {
	if d.flaw != "" {
		if d.Version != "" || d.Endpoint != "" || len(d.Extra) > 0 {
			return dst, fmt.Errorf("%w: descriptor: cannot be changed: %s", ErrMalformed, d.flaw)
		}
		return append(dst, d.source...), nil
	}
	if !utf8.ValidString(d.Version) || !utf8.ValidString(d.Endpoint) {
		return dst, malformed("descriptor", errors.New("version or endpoint is not valid UTF-8"))
	}
	var members []object.Member
	if d.source != nil {
		members, _ = object.Members(nil, d.source, object.Unlimited)
	}
	out, err := object.Sync(dst, d.source, members, []object.Field{
		{Name: versionField, Keep: d.Version == d.version, Value: quoted(d.Version)},
		{Name: endpointField, Keep: d.Endpoint == d.endpoint, Value: quoted(d.Endpoint)},
	}, d.Extra)
	if err != nil {
		return dst, malformed("descriptor", err)
	}
	return out, nil
}

// quoted gives a string as JSON, an empty one as a field that is not there.
func quoted(s string) []byte {
	if s == "" {
		return nil
	}
	return scan.AppendQuoted(nil, s)
}

// MarshalJSON gives what AppendJSON appends. Package encoding/json then compacts it and escapes <, >, & and U+2028, so a
// program that must not change a byte calls AppendJSON or [AppendDescriptors].
func (d Descriptor) MarshalJSON() ([]byte, error) { return d.AppendJSON(nil) }

// Descriptors reads the extensions object out of a company's discovery document or an agent's client metadata. A document
// without one has none, which is a nil map. doc is not kept.
//
// It is an error, which wraps [ErrMalformed], when doc is not one JSON object, when a field of it or an extension is named
// twice (after unescaping), or when extensions is anything but an object. A descriptor that is malformed is not: the others
// can be used, and [Extensions] reports it. There are no limits on size, so bound what you fetch.
func Descriptors(doc []byte) (map[string]Descriptor, error) {
	found, members, err := readExtensions(doc)
	if err != nil || len(members) == 0 {
		return nil, err
	}
	descriptors := make(map[string]Descriptor, len(members))
	for _, m := range members {
		descriptors[m.Text(found)] = readDescriptor(bytes.Clone(m.Raw(found)))
	}
	return descriptors, nil
}

// AppendDescriptors appends the document doc to dst, with its extensions object made to hold exactly these descriptors. What
// did not change keeps its bytes, order and white space, so that the result of [Descriptors] gives doc again; new extensions
// follow the others, sorted by name. An empty doc counts as {}. On an error, which wraps [ErrMalformed], dst comes back as it
// was. Names are not judged: that is for [ParseName].
func AppendDescriptors(dst, doc []byte, descriptors map[string]Descriptor) ([]byte, error) {
	if len(doc) == 0 {
		doc = []byte("{}")
	}
	found, members, err := readExtensions(doc)
	if err != nil {
		return dst, err
	}
	if found == nil && len(descriptors) == 0 {
		return append(dst, doc...), nil
	}
	extra := make(map[string]json.RawMessage, len(descriptors))
	for _, name := range sortedNames(descriptors) {
		value, err := descriptors[name].AppendJSON(nil)
		if err != nil {
			return dst, fmt.Errorf("extension %q: %w", scan.Clip(name), err)
		}
		extra[name] = value
	}
	value, failed := object.Sync(nil, found, members, nil, extra)
	if failed != nil {
		return dst, malformed("extensions", failed)
	}
	dst, _ = object.Set(dst, doc, object.Unlimited, extensionsField, value) // no error: the document has been read
	return dst, nil
}

const extensionsField = "extensions"

// readExtensions finds the extensions object of a document, nil if there is none, and what is in it.
func readExtensions(doc []byte) (found []byte, members []object.Member, err error) {
	fields, failed := object.Members(nil, doc, object.Unlimited)
	if failed != nil {
		return nil, nil, malformed("document", failed)
	}
	m, ok := object.Find(doc, fields, extensionsField)
	if !ok {
		return nil, nil, nil
	}
	found = m.Raw(doc)
	if found[0] != '{' {
		return nil, nil, malformed("document", &scan.Error{Name: extensionsField, Offset: m.Value, Reason: "want an object, found " + scan.Describe(found)})
	}
	if members, failed = object.Members(nil, found, object.Unlimited); failed != nil {
		failed.Offset += m.Value
		return nil, nil, malformed("extensions", failed)
	}
	return found, members, nil
}

func malformed(what string, err error) error {
	return fmt.Errorf("%w: %s: %w", ErrMalformed, what, err)
}
