package envelope

import (
	"unicode/utf8"

	"github.com/arcp-go/arcp/internal/object"
	"github.com/arcp-go/arcp/internal/scan"
)

// AppendSet appends the message in data to dst with one top-level field set to value, and every other byte as it is. No
// Envelope is built, and nothing allocated if dst has room.
//
// A field of that name, however it is escaped, keeps its name and place; a new one goes before the closing brace. The name is
// any valid UTF-8 (xvendor.Validate says which names authors may use); a core field needs a value that [Decode] accepts there.
// The value is checked, and the white space around it left out.
//
// data is refused as by [Decode]. On an error, an [*Error], dst comes back as it was. dst must not overlap data or value.
func AppendSet(dst, data []byte, name string, value []byte) ([]byte, error) {
	return Options{}.AppendSet(dst, data, name, value)
}

// AppendSet is the function [AppendSet] with data read under these Options. They do not apply to the value or the result.
func (o Options) AppendSet(dst, data []byte, name string, value []byte) ([]byte, error) {
	if !utf8.ValidString(name) {
		return dst, &Error{Field: scan.Clip(name), Offset: -1, Reason: "the name is not valid UTF-8", Err: ErrSyntax}
	}
	value, fault := object.Checked(name, value)
	if fault != nil {
		return dst, wrap(fault)
	}
	if field := coreField(name); field != notCore {
		if err := checkCore(field, value, -1, true); err != nil {
			return dst, err
		}
	} else if o.RejectLookalikes {
		if field = lookalike(name); field != notCore {
			return dst, &Error{Field: scan.Clip(name), Offset: -1, Reason: lookalikeReason(field), Err: ErrLookalike}
		}
	}
	return o.appendEdit(dst, data, name, value)
}

// AppendDelete appends the message in data to dst without the top-level field of that name, and every other byte as it is: the
// field is gone from the comma before it through its value, the first one through the comma after it. An absent name gives the
// message as it is.
//
// data is refused as by [Decode]. On an error, an [*Error], dst comes back as it was. dst must not overlap data.
func AppendDelete(dst, data []byte, name string) ([]byte, error) {
	return Options{}.AppendDelete(dst, data, name)
}

// AppendDelete is the function [AppendDelete] with data read under these Options.
func (o Options) AppendDelete(dst, data []byte, name string) ([]byte, error) {
	return o.appendEdit(dst, data, name, nil)
}

// appendEdit sets the field to value, or deletes it where value is nil.
func (o Options) appendEdit(dst, data []byte, name string, value []byte) ([]byte, error) {
	w := walker{target: coreField(name), name: name}
	if err := w.run(data, o); err != nil {
		return dst, err
	}
	return w.edit.Append(dst, data, &w.cursor, name, value), nil
}
