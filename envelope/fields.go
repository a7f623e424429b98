package envelope

import (
	"strconv"
	"strings"

	"github.com/arcp-go/arcp/internal/object"
	"github.com/arcp-go/arcp/internal/scan"
)

// The core fields in the protocol's order (ARCP §5), which is the order of encoding.
const (
	fieldARCP = iota
	fieldID
	fieldType
	fieldSessionID
	fieldTraceID
	fieldJobID
	fieldEventSeq
	fieldPayload
	fieldCount
	notCore = -1
)

// The names of the core fields. Everything that knows them uses these constants.
const (
	nameARCP      = "arcp"
	nameID        = "id"
	nameType      = "type"
	nameSessionID = "session_id"
	nameTraceID   = "trace_id"
	nameJobID     = "job_id"
	nameEventSeq  = "event_seq"
	namePayload   = "payload"
)

var coreNames = [fieldCount]string{nameARCP, nameID, nameType, nameSessionID, nameTraceID, nameJobID, nameEventSeq, namePayload}

// coreField gives the core field of that name, byte for byte, or notCore.
func coreField[T []byte | string](name T) int {
	switch string(name) {
	case nameARCP:
		return fieldARCP
	case nameID:
		return fieldID
	case nameType:
		return fieldType
	case nameSessionID:
		return fieldSessionID
	case nameTraceID:
		return fieldTraceID
	case nameJobID:
		return fieldJobID
	case nameEventSeq:
		return fieldEventSeq
	case namePayload:
		return fieldPayload
	}
	return notCore
}

// longestCore is the length of the longest name with its quotes.
const longestCore = len(nameSessionID) + 2

// coreMember is coreField for a name that may hold escapes.
func coreMember(data []byte, m *object.Member) int {
	if !m.Escaped {
		return coreField(data[m.Name+1 : m.NameEnd-1])
	}
	for i, name := range coreNames {
		if scan.EqualText(m.Quoted(data), name) {
			return i
		}
	}
	return notCore
}

// longestLookalike is how long a name that folds to a core field's may be: each of its letters may have three bytes.
const longestLookalike = 3 * len(nameSessionID)

// lookalike gives the core field that a name equals but for letter case, as a careless reader would fold it, or notCore.
func lookalike[T []byte | string](name T) int {
	if len(name) > longestLookalike {
		return notCore
	}
	for i, core := range coreNames {
		if string(name) != core && strings.EqualFold(string(name), core) {
			return i
		}
	}
	return notCore
}

func isNull(value []byte) bool { return value[0] == 'n' }

// checkCore says why a valid JSON value may not stand in a core field; nil when it may.
func checkCore(field int, value []byte, offset int, escaped bool) error {
	switch {
	case field == fieldPayload || isNull(value):
		return nil
	case field == fieldEventSeq:
		if _, ok := sequence(value); !ok {
			got := scan.Describe(value)
			if got == "a number" {
				got = "another number"
			}
			return coreError(field, offset, "want digits only, from 0 to 18446744073709551615, got "+got)
		}
	case value[0] != '"':
		return coreError(field, offset, "want a string, got "+scan.Describe(value))
	case escaped && !scan.Representable(value):
		return &Error{
			Field: coreNames[field], Offset: offset, Err: ErrSyntax,
			Reason: "the string holds half of a surrogate pair, which no text can represent",
		}
	}
	return nil
}

func coreError(field, offset int, reason string) error {
	return &Error{Field: coreNames[field], Offset: offset, Reason: reason, Err: ErrType}
}

// sequence reads an event_seq; a JSON number is no sequence number when it has a sign, a fraction or an exponent, or is larger
// than 2^64-1.
func sequence(value []byte) (uint64, bool) {
	const mostDigits = 20
	if len(value) == 0 || len(value) > mostDigits {
		return 0, false
	}
	var n uint64
	for _, c := range value {
		digit := uint64(c - '0')
		if digit > 9 || n > (1<<64-1-digit)/10 {
			return 0, false
		}
		n = n*10 + digit
	}
	return n, true
}

// shortSequence reads an event_seq that starts at i and is too short to overflow, and gives the offset after it. On anything
// else, null for one, it gives 0.
func shortSequence(data []byte, i int) (n uint64, end int) {
	const mostDigits = 19
	for end = i; end < len(data) && data[end]-'0' <= 9; end++ {
		n = n*10 + uint64(data[end]-'0')
	}
	if end == i || data[i] == '0' || end > i+mostDigits || end == len(data) || data[end] == '.' || data[end]|0x20 == 'e' {
		return 0, 0
	}
	return n, end
}

func appendSequence(dst []byte, n uint64) []byte { return strconv.AppendUint(dst, n, 10) }
