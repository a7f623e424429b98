package envelope

import (
	"encoding/json"
	"fmt"
	"maps"

	"github.com/tidwall/gjson"

	"github.com/arcp-go/arcp/internal/object"
	"github.com/arcp-go/arcp/xvendor"
)

// Extension gives the extension of that name, from which the result's methods read as in gjson: Exists, String, Get with a path.
// The name is a name, never a path, whatever dots it has. Only top-level fields that are not core fields are looked at;
// xvendor.Lookup also looks where other libraries put them. The result is a copy.
func (e *Envelope) Extension(name string) gjson.Result {
	raw, ok := e.Extensions[name]
	if !ok {
		return gjson.Result{}
	}
	return gjson.ParseBytes(raw)
}

// SetExtension sets the extension of that name at top level. The name must be one that authors may use: an error otherwise
// matches xvendor.ErrMalformed or xvendor.ErrReserved. A [json.RawMessage] is taken as it is, without white space around it, and
// must be valid JSON; any other value is encoded by encoding/json without HTML escaping.
//
// The map is replaced by a changed copy, so that a copy of e keeps what it has.
func (e *Envelope) SetExtension(name string, v any) error {
	if err := checkName(name); err != nil {
		return err
	}
	value, err := encodeValue(name, v)
	if err != nil {
		return err
	}
	e.setExtension(name, value)
	return nil
}

// EditExtension sets one value deep inside the extension of that name, at top level, and leaves the bytes of all the rest of
// it. The name is a name, never a path.
//
// The path is sjson's, without its queries: names and indexes joined by dots, with \. for a dot in a name, -1 for the place after
// an array's last element, and : before digits that are a name. What is missing on the way is made. An empty path or part of
// it, one of * ? # | @ without a backslash, and a step into something that is neither object nor array are errors.
//
// An extension that is absent starts as {}, and must have a name that SetExtension takes; one that is there may have any name.
// The value is encoded as by SetExtension, and the map is replaced likewise. On an error e stays as it was.
func (e *Envelope) EditExtension(name, path string, v any) error {
	raw, ok := e.Extensions[name]
	if !ok {
		if err := checkName(name); err != nil {
			return err
		}
		raw = json.RawMessage("{}")
	}
	raw, fault := object.Checked(name, raw)
	if fault != nil {
		return wrap(fault)
	}
	leaf, err := encodeValue(name, v)
	if err != nil {
		return err
	}
	if raw, err = object.SetPath(name, raw, path, leaf); err != nil {
		return wrapAny(err)
	}
	e.setExtension(name, raw)
	return nil
}

// DeleteExtension takes the extension of that name, which may be any, from top level; an absent one is no error. The map is
// replaced by a changed copy.
func (e *Envelope) DeleteExtension(name string) {
	if _, ok := e.Extensions[name]; ok {
		e.Extensions = maps.Clone(e.Extensions)
		delete(e.Extensions, name)
	}
}

func (e *Envelope) setExtension(name string, value json.RawMessage) {
	extensions := make(map[string]json.RawMessage, len(e.Extensions)+1)
	maps.Copy(extensions, e.Extensions)
	extensions[name] = value
	e.Extensions = extensions
}

func checkName(name string) error {
	if err := xvendor.Validate(name); err != nil {
		return fmt.Errorf("arcp: %w", err)
	}
	return nil
}
