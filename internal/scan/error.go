package scan

import (
	"fmt"
	"strconv"
)

// Kind says which rule a text breaks.
type Kind uint8

const (
	// Syntax is text that is no JSON in UTF-8 (RFC 8259), or a string that cannot be represented.
	Syntax Kind = iota + 1
	// Type is a value of another JSON type than the field has.
	Type
	// Duplicate is an object with one name twice.
	Duplicate
	// TooLarge is text longer than the limit.
	TooLarge
	// TooDeep is nesting beyond the limit.
	TooDeep
	// TooMany is an object with more members than the limit.
	TooMany
)

// Error is a text that breaks a rule. It quotes no value, since a value may be a secret.
type Error struct {
	Kind   Kind
	Name   string // the member at fault, cut by Clip; empty where none is known
	Offset int    // in bytes; -1 when the text has no place, being built in memory
	Reason string // what was wanted, and found
}

// Error tells the member, the place and the reason, in the same words every time.
func (e *Error) Error() string {
	text := e.Reason
	if e.Offset >= 0 {
		text = "byte " + strconv.Itoa(e.Offset) + ": " + text
	}
	if e.Name != "" {
		text = "field " + strconv.QuoteToASCII(e.Name) + ": " + text
	}
	return text
}

// fail stays out of line so that the scanning loops stay small.
//
//go:noinline
func fail(kind Kind, offset int, reason string) *Error {
	return &Error{Kind: kind, Offset: offset, Reason: reason}
}

// unexpected is the error for data[i], which does not fit what is wanted there.
//
//go:noinline
func unexpected(data []byte, i int, want string) *Error {
	if i >= len(data) {
		return fail(Syntax, len(data), "unexpected end of input, want "+want)
	}
	return fail(Syntax, i, "want "+want)
}

// NameLimit is the number of bytes of a name that an error shows.
const NameLimit = 64

// Clip copies a name for an error or a log, cut to a sane length on a rune boundary.
func Clip[T []byte | string](name T) string {
	if len(name) <= NameLimit {
		return string(name)
	}
	n := NameLimit
	for n > 0 && name[n]&0xC0 == 0x80 {
		n--
	}
	return fmt.Sprintf("%s… (%d bytes)", string(name[:n]), len(name))
}

// Describe names the JSON type of a value by its first byte, for an error.
func Describe(value []byte) string {
	if len(value) == 0 {
		return "nothing"
	}
	switch value[0] {
	case '"':
		return "a string"
	case '{':
		return "an object"
	case '[':
		return "an array"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}
