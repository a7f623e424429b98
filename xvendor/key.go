package xvendor

import (
	"encoding/json"
	"errors"
	"reflect"
	"strconv"

	"github.com/arcp-go/arcp/internal/object"
	"github.com/arcp-go/arcp/internal/scan"
)

// A Key is the name of a vendor field with the Go type of its value. Make one by [MustKey], usually as a package variable:
//
//	var Priority = xvendor.MustKey[string]("x-vendor.acme.priority")
//
// A Key reads and writes the field in both places that peers use, see [Place]. The zero Key names no field: it finds and
// deletes nothing, and setting it is an error.
type Key[T any] struct{ name Name }

// NewKey makes a Key for a name that [Parse] accepts, and gives the error of Parse for any other.
func NewKey[T any](name string) (Key[T], error) {
	n, err := Parse(name)
	return Key[T]{n}, err
}

// MustKey is [NewKey] for names that stand in the program. It panics on an error.
func MustKey[T any](name string) Key[T] { return Key[T]{MustParse(name)} }

// Name gives the name of the field.
func (k Key[T]) Name() Name { return k.name }

// Get reads the field among the top-level fields ext of a message, such as Envelope.Extensions: at top level first, then inside
// the object "extensions".
//
//   - absent: false and no error;
//   - there: the value and true;
//   - there with a value that T cannot hold, or twice inside "extensions": true and a [*ValueError].
//
// Strings, booleans, numbers, [json.Number] and [json.RawMessage] are read without reflection; a number has to fit exactly,
// and a string must hold no half of a surrogate pair. A RawMessage is the exact text, which shares memory with the message and
// must not be written into. Any other T is decoded by [json.Unmarshal], with its rules for unknown fields, letter case and
// duplicates. JSON null is a value only for a T that can be nil, or decodes itself.
func (k Key[T]) Get(ext map[string]json.RawMessage) (value T, ok bool, err error) {
	if k.name == (Name{}) {
		return value, false, nil
	}
	raw, count := find(ext, k.name.text)
	if count == 0 {
		return value, false, nil
	}
	if count > 1 {
		return value, true, k.fail("the name is there twice inside "+nestedName, nil)
	}
	checked, fault := object.Checked("", raw)
	if fault != nil {
		return value, true, k.fail(fault.Reason, nil)
	}
	known, reason := decodeBasic(checked, &value)
	var cause error
	if !known {
		reason, cause = decode(checked, &value)
	}
	if reason != "" {
		var zero T
		return zero, true, k.fail("want "+reflect.TypeFor[T]().String()+", got "+reason, cause)
	}
	return value, true, nil
}

// Set writes the field at top level, and takes it out of the object "extensions" if it is there: exactly one value is left.
// *ext, which may be a nil map, is replaced by a changed copy; a map or a value that someone else may hold is never written
// into. Everything else in "extensions" keeps its bytes, and a T that is a [json.RawMessage] is taken as it is, without white
// space around it. Other values are encoded by encoding/json without HTML escaping.
//
// The error is a [*ValueError], and *ext is as it was: v cannot be encoded, or is a string that is not UTF-8, or a RawMessage
// that is not JSON.
func (k Key[T]) Set(ext *map[string]json.RawMessage, v T) error { return k.SetIn(ext, TopLevel, v) }

// SetIn is [Key.Set] with a choice of place. With [Nested] the field is written into the object "extensions", which is made
// where it is missing, and taken from top level; it is an error, and nothing changes, when "extensions" is not an object.
func (k Key[T]) SetIn(ext *map[string]json.RawMessage, place Place, v T) error {
	if k.name == (Name{}) {
		return malformed("", "prefix", 0, "the Key is zero")
	}
	value, err := encode(k.name.text, v)
	if err != nil {
		if fault, ok := errors.AsType[*scan.Error](err); ok {
			return k.fail(fault.Reason, nil)
		}
		return k.fail("the value cannot be encoded as JSON", err)
	}
	if !store(ext, place, k.name.text, value) {
		return k.fail("the field "+nestedName+" is not an object to write into", nil)
	}
	return nil
}

// Delete removes the field from both places. *ext is replaced by a changed copy unless the field is in neither. The object
// "extensions" stays when it becomes empty: it is a field of its own, which a peer may have sent empty. Where it is no object it
// is left alone.
func (k Key[T]) Delete(ext *map[string]json.RawMessage) {
	if k.name != (Name{}) {
		remove(ext, k.name.text)
	}
}

// ValueError is a vendor field whose value cannot be read as its [Key] wants, or cannot be written.
type ValueError struct {
	Name   string // of the field
	Reason string // the wanted type and what was found; never the value, which may be a secret

	cause error
}

// Error tells the name and the reason.
func (e *ValueError) Error() string {
	return "vendor field " + strconv.QuoteToASCII(e.Name) + ": " + e.Reason
}

// Unwrap gives the error of encoding/json, or of the type's own methods, where there is one. Unlike the ValueError it may quote
// the value.
func (e *ValueError) Unwrap() error { return e.cause }

func (k Key[T]) fail(reason string, cause error) error {
	return &ValueError{Name: k.name.text, Reason: reason, cause: cause}
}
