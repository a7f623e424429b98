package xvendor

import (
	"encoding/json"
	"maps"

	"github.com/arcp-go/arcp/internal/object"
)

// Place is one of the two places where peers put vendor fields.
type Place int

const (
	// TopLevel is beside the core fields, where the protocol's guide and the C# library put vendor fields. It is the default.
	TopLevel Place = iota
	// Nested is inside the top-level object "extensions", where the Go and TypeScript libraries put them.
	Nested
)

// nestedName is the top-level field that holds the Nested place.
const nestedName = "extensions"

// Lookup gives the raw value of a vendor field, or of any other name, among the top-level fields ext of a message: one at top
// level before one inside the object "extensions". The name need not be one that Parse accepts.
//
// The result is false when the name is in neither place. It is also false when it is only inside "extensions", and there twice,
// so that no value can be called the field's. Where "extensions" is no object there is nothing inside it.
//
// The value shares memory with the message: it must not be written into.
func Lookup(ext map[string]json.RawMessage, name string) (json.RawMessage, bool) {
	value, count := find(ext, name)
	if count != 1 {
		return nil, false
	}
	return value, true
}

// find is Lookup that tells how often the name is in the place where it is.
func find(ext map[string]json.RawMessage, name string) (value json.RawMessage, count int) {
	if value, ok := ext[name]; ok {
		return value, 1
	}
	text := ext[nestedName]
	object.Each(text, func(m *object.Member) {
		if m.Is(text, name) {
			value = m.Raw(text)
			count++
		}
	})
	return value, count
}

// store replaces *ext by a copy in which name has the value in one place and is not in the other. It gives false, and leaves
// *ext as it was, when the place is Nested and "extensions" is something else than an object.
func store(ext *map[string]json.RawMessage, place Place, name string, value json.RawMessage) bool {
	text, there := (*ext)[nestedName]
	if place == Nested && !there {
		text = json.RawMessage("{}")
	}
	inside := value
	if place != Nested {
		inside = nil
	}
	text, changed, ok := withMember(text, name, inside)
	if !ok && place == Nested {
		return false
	}

	m := make(map[string]json.RawMessage, len(*ext)+1)
	maps.Copy(m, *ext)
	if changed {
		m[nestedName] = text
	}
	if place == Nested {
		delete(m, name)
	} else {
		m[name] = value
	}
	*ext = m
	return true
}

// remove replaces *ext by a copy that has name in neither place, unless there is nothing to remove.
func remove(ext *map[string]json.RawMessage, name string) {
	_, atTop := (*ext)[name]
	text, inside, _ := withMember((*ext)[nestedName], name, nil)
	if !atTop && !inside {
		return
	}
	m := maps.Clone(*ext)
	delete(m, name)
	if inside {
		m[nestedName] = text
	}
	*ext = m
}

// withMember gives a copy of the object in text in which name has the value, or is not there where value is nil; every other
// member keeps its bytes. It gives changed false, and nothing, where it is so already, and ok false where text is no object.
func withMember(text []byte, name string, value []byte) (out []byte, changed, ok bool) {
	e := object.NewEditor(nil, text)
	written := value == nil
	closing, ok := object.Each(text, func(m *object.Member) {
		switch {
		case !m.Is(text, name):
			e.Keep()
		case written:
			e.Remove(m)
			changed = true
		default:
			e.Replace(m, value)
			written, changed = true, true
		}
	})
	if !ok {
		return nil, false, false
	}
	if !written {
		e.Insert(closing, name, value)
		changed = true
	}
	if !changed {
		return nil, false, true
	}
	return e.Finish(), true, true
}
