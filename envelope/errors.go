package envelope

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/arcp-go/arcp/internal/scan"
)

// The rules that a message can break. Every error of this package that is about a message is an [*Error] that wraps one of
// them.
var (
	ErrSyntax        = errors.New("arcp: not one JSON object in UTF-8")                       // RFC 8259
	ErrDuplicate     = errors.New("arcp: a field is there twice")                             // two readers could see two messages
	ErrType          = errors.New("arcp: a core field has a value of the wrong type")         // a core string, event_seq
	ErrTooLarge      = errors.New("arcp: message longer than the limit")                      // Options.MaxBytes
	ErrTooDeep       = errors.New("arcp: message nested deeper than the limit")               // Options.MaxDepth
	ErrTooManyFields = errors.New("arcp: message with more fields than the limit")            // Options.MaxMembers
	ErrLookalike     = errors.New("arcp: a field name is a core field's but for letter case") // Options.RejectLookalikes, Validate
	ErrInvalid       = errors.New("arcp: message breaks a rule of the protocol")              // Validate
)

// errInvalidLookalike is a look-alike as Validate reports it.
var errInvalidLookalike = errors.Join(ErrInvalid, ErrLookalike)

// Error is one reason why a message is refused, or why an Envelope cannot be encoded.
//
// It never holds payload or extension values, which may be secrets, and its text is the same every time.
type Error struct {
	// Field is the top-level field at fault, cut to a sane length; empty where it is none, or not known.
	Field string
	// Offset is the place in the message in bytes from its start; -1 when there is none, as with an Envelope built in memory
	// or a field that is missing.
	Offset int
	// Line is the line of a stream, counted from 1; 0 unless a [Reader] read the message.
	Line int
	// Reason says what is wrong, for people.
	Reason string
	// Err is the rule: one of the Err values of this package.
	Err error
}

// Error tells line, field, place and reason, as far as they are known.
func (e *Error) Error() string {
	text := "arcp: "
	if e.Line > 0 {
		text += "line " + strconv.Itoa(e.Line) + ": "
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
func wrap(err *scan.Error) *Error {
	return &Error{Field: err.Name, Offset: err.Offset, Reason: err.Reason, Err: ruleOf(err.Kind)}
}

func ruleOf(kind scan.Kind) error {
	switch kind {
	case scan.Duplicate:
		return ErrDuplicate
	case scan.Type:
		return ErrType
	case scan.TooLarge:
		return ErrTooLarge
	case scan.TooDeep:
		return ErrTooDeep
	case scan.TooMany:
		return ErrTooManyFields
	}
	return ErrSyntax
}

// wrapAny is wrap for an error that may be nil, or another one.
func wrapAny(err error) error {
	if fault, ok := errors.AsType[*scan.Error](err); ok {
		return wrap(fault)
	}
	if err != nil {
		return fmt.Errorf("arcp: %w", err)
	}
	return nil
}
