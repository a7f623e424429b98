package event

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf8"

	"github.com/arcp-go/arcp/internal/object"
	"github.com/arcp-go/arcp/internal/scan"
)

// value is a field's value in its Go type.
type value interface {
	// read takes a valid JSON value over, or gives the reason why the type cannot hold it. Null is absence, but for raw values.
	read(text []byte) (reason string)
	// same says whether the value is what text reads as; nil text is an absent field.
	same(text []byte) bool
	// absent says whether a required field has no value. Where a zero value may well be meant, as in the last chunk of a
	// result, only a source that lacks the field tells.
	absent(hasSource bool, text []byte) bool
	// fault gives the reason why the value has no JSON text, if so.
	fault() (reason string)
	// write gives the JSON text of a value without a fault, or nil for one that is left out because it is zero.
	write(required bool) []byte
}

type (
	// token is a string that programs compare: text that cannot be represented is refused, lest two be confused.
	token string
	// prose is a string for people: what cannot be represented is read as U+FFFD, as encoding/json does.
	prose string
	// content is a token that may be empty, also when it was not read from anywhere.
	content string
	// number is a JSON number with its own text, empty when absent.
	number json.Number
	// raw is any value.
	raw json.RawMessage
	// index is a whole number of at least zero.
	index uint64
	// flag is a boolean.
	flag bool
)

func isNull(text []byte) bool { return len(text) == 0 || text[0] == 'n' }

func isNumber(text []byte) bool { return text[0] == '-' || text[0]-'0' <= 9 }

func want(what string, text []byte) string { return "want " + what + ", got " + scan.Describe(text) }

func (v *token) read(text []byte) (reason string) {
	switch {
	case isNull(text):
		return ""
	case text[0] != '"':
		return want("a string", text)
	}
	s, ok := scan.AppendUnquoted(nil, text)
	if !ok {
		return "the string holds half of a surrogate pair, which no text can represent"
	}
	*v = token(s)
	return ""
}

func (v *token) same(text []byte) bool {
	return isNull(text) && *v == "" || !isNull(text) && scan.EqualText(text, string(*v))
}

func (v *token) absent(bool, []byte) bool { return *v == "" }

func (v *token) fault() string { return stringFault(string(*v)) }

func (v *token) write(required bool) []byte { return writeString(string(*v), required) }

func stringFault(s string) (reason string) {
	if !utf8.ValidString(s) {
		return "the string is not valid UTF-8"
	}
	return ""
}

func writeString(s string, required bool) []byte {
	if s == "" && !required {
		return nil
	}
	return scan.AppendQuoted(nil, s)
}

func (v *content) read(text []byte) (reason string) { return (*token)(v).read(text) }

func (v *content) same(text []byte) bool { return (*token)(v).same(text) }

func (v *content) absent(hasSource bool, text []byte) bool {
	return *v == "" && hasSource && isNull(text)
}

func (v *content) fault() string { return stringFault(string(*v)) }

func (v *content) write(required bool) []byte { return writeString(string(*v), required) }

func (v *prose) read(text []byte) (reason string) {
	switch {
	case isNull(text):
		return ""
	case text[0] != '"':
		return want("a string", text)
	}
	*v = readProse(text)
	return ""
}

func readProse(text []byte) (v prose) {
	if s, ok := scan.AppendUnquoted(nil, text); ok {
		return prose(s)
	}
	_ = json.Unmarshal(text, (*string)(&v)) // cannot fail: text is a string
	return v
}

func (v *prose) same(text []byte) bool {
	return isNull(text) && *v == "" || !isNull(text) && readProse(text) == *v
}

func (v *prose) absent(_ bool, text []byte) bool { return *v == "" && isNull(text) }

func (v *prose) fault() string { return stringFault(string(*v)) }

func (v *prose) write(required bool) []byte { return writeString(string(*v), required) }

func (v *number) read(text []byte) (reason string) {
	switch {
	case isNull(text):
		return ""
	case !isNumber(text):
		return want("a number", text)
	}
	*v = number(text)
	return ""
}

func (v *number) same(text []byte) bool {
	return isNull(text) && *v == "" || string(*v) == string(text)
}

func (v *number) absent(bool, []byte) bool { return *v == "" }

func (v *number) fault() string {
	text := []byte(*v)
	if *v == "" {
		return ""
	}
	if end, err := scan.Value(text, 0, 0); err != nil || end != len(text) || !isNumber(text) {
		return "the text is not a JSON number"
	}
	return ""
}

func (v *number) write(bool) []byte {
	if *v == "" {
		return nil
	}
	return []byte(*v)
}

func (v *raw) read(text []byte) (reason string) {
	*v = text
	return ""
}

func (v *raw) same(text []byte) bool { return (*v == nil) == (text == nil) && bytes.Equal(*v, text) }

func (v *raw) absent(bool, []byte) bool { return *v == nil }

func (v *raw) fault() string {
	if *v == nil {
		return ""
	}
	if _, err := object.Checked("", *v); err != nil {
		return err.Reason
	}
	return ""
}

func (v *raw) write(bool) []byte { return bytes.Trim(*v, " \t\r\n") }

func (v *index) read(text []byte) (reason string) {
	switch {
	case isNull(text):
		return ""
	case !isNumber(text):
		return want("a number", text)
	}
	n, err := strconv.ParseUint(string(text), 10, 64)
	if err != nil {
		return "want digits only, from 0 to 18446744073709551615, got another number"
	}
	*v = index(n)
	return ""
}

func (v *index) same(text []byte) bool {
	if isNull(text) {
		return *v == 0
	}
	var n index
	return n.read(text) == "" && n == *v
}

func (v *index) absent(hasSource bool, text []byte) bool { return *v == 0 && hasSource && isNull(text) }

func (v *index) fault() string { return "" }

func (v *index) write(bool) []byte { return strconv.AppendUint(nil, uint64(*v), 10) }

func (v *flag) read(text []byte) (reason string) {
	switch {
	case isNull(text):
		return ""
	case text[0] != 't' && text[0] != 'f':
		return want("a boolean", text)
	}
	*v = text[0] == 't'
	return ""
}

func (v *flag) same(text []byte) bool {
	return isNull(text) && !bool(*v) || !isNull(text) && (text[0] == 't') == bool(*v)
}

func (v *flag) absent(hasSource bool, text []byte) bool {
	return !bool(*v) && hasSource && isNull(text)
}

func (v *flag) fault() string { return "" }

func (v *flag) write(bool) []byte { return strconv.AppendBool(nil, bool(*v)) }
