package event

import (
	"strconv"

	"github.com/arcp-go/arcp/envelope"
	"github.com/arcp-go/arcp/internal/scan"
)

// Error is one reason why an event, or its body, cannot be read or written, or why it is not valid. It never holds values of
// the body, which may be secrets, and its text is the same every time.
type Error struct {
	// Kind is the kind of event whose body is at fault, cut to a sane length; empty where it is the event around the body.
	Kind string
	// Field is the field at fault, of the body or the event, cut to a sane length; empty where it is none, or not known.
	Field string
	// Offset is the place in bytes from the start of the body or the event; -1 when there is none.
	Offset int
	// Reason says what is wrong, for people.
	Reason string
	// Err is the rule: one of the Err values of package envelope. Where encoding/json failed it matches that error as well, whose
	// text, unlike this one's, may quote the body.
	Err error
}

// Error tells kind, field, place and reason, as far as they are known.
func (e *Error) Error() string {
	text := "arcp: event: "
	if e.Kind != "" {
		text = "arcp: event body of kind " + strconv.QuoteToASCII(e.Kind) + ": "
	}
	if e.Field != "" {
		text += "field " + strconv.QuoteToASCII(e.Field) + ": "
	}
	if e.Offset >= 0 {
		text += "byte " + strconv.Itoa(e.Offset) + ": "
	}
	return text + e.Reason
}

// Unwrap gives the rule, for [errors.Is].
func (e *Error) Unwrap() error { return e.Err }

// Code gives the protocol's error code (ARCP §12) to answer the sender with: always INVALID_REQUEST.
func (e *Error) Code() string { return "INVALID_REQUEST" }

// wrap turns an error of the scanner, which is not nil, into one of this package.
func wrap(kind string, err *scan.Error) *Error {
	rule := envelope.ErrSyntax
	switch err.Kind {
	case scan.Type:
		rule = envelope.ErrType
	case scan.Duplicate:
		rule = envelope.ErrDuplicate
	}
	return &Error{Kind: scan.Clip(kind), Field: err.Name, Offset: err.Offset, Reason: err.Reason, Err: rule}
}

func invalid(kind, field, reason string) *Error {
	return &Error{Kind: scan.Clip(kind), Field: field, Offset: -1, Reason: reason, Err: envelope.ErrInvalid}
}
