package object

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/arcp-go/arcp/internal/scan"
)

// Encode gives the JSON text of a value that a caller handed over for a field: a json.RawMessage as it is, checked and without
// the white space around it, anything else by encoding/json without HTML escaping. The result is the caller's own.
//
// encoding/json replaces invalid UTF-8; where it is seen, in a string, it is an error instead.
func Encode(name string, v any) (json.RawMessage, error) {
	switch v := v.(type) {
	case json.RawMessage:
		value, err := Checked(name, v)
		if err != nil {
			return nil, err
		}
		return bytes.Clone(value), nil
	case string:
		if !utf8.ValidString(v) {
			return nil, inMemory(scan.Syntax, name, "the string is not valid UTF-8")
		}
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, &encodingError{text: fmt.Sprintf("field %+q: encoding/json does not encode this %T", scan.Clip(name), v), cause: err}
	}
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'}), nil
}

// encodingError keeps what encoding/json says for errors.As and out of the text, since that may quote the value.
type encodingError struct {
	text  string
	cause error
}

func (e *encodingError) Error() string { return e.text }

func (e *encodingError) Unwrap() error { return e.cause }
