package xvendor

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/arcp-go/arcp/internal/scan"
)

// Prefix is what every vendor name starts with, in exactly these lower-case letters.
const Prefix = "x-vendor."

// reserved is the start of the names that belong to the protocol itself.
const reserved = Prefix + "arcp."

// A Name is a valid vendor name that is free to use: x-vendor.<company>.<key>. Two names are equal (==) when their texts are.
// The zero Name is no name; its String, Company and Key are empty.
type Name struct {
	text    string
	company int // where the company ends
}

// Parse checks name against the grammar for authors: [Prefix], a company of the characters a-z, 0-9, "_" and "-", a dot, and a
// key of one or more parts of the same characters, joined by dots.
//
// The error is a [*NameError], which matches [ErrMalformed], or [ErrReserved] for a well-formed name of the company arcp, whose
// names the protocol keeps for itself. What a peer sent is not to be refused for either reason; Parse is for names that this
// program is about to use.
func Parse(name string) (Name, error) {
	if !strings.HasPrefix(name, Prefix) {
		return Name{}, malformed(name, "prefix", firstDifference(name, Prefix), "want "+Prefix+" in lower case")
	}
	company := partEnd(name, len(Prefix))
	switch {
	case company < len(name) && name[company] != '.':
		return Name{}, badCharacter(name, "company", company)
	case company == len(Prefix):
		return Name{}, malformed(name, "company", company, "is empty")
	case company == len(name):
		return Name{}, malformed(name, "key", company, "is missing, want a dot and a key after the company")
	}
	for dot := company; dot < len(name); {
		end := partEnd(name, dot+1)
		switch {
		case end < len(name) && name[end] != '.':
			return Name{}, badCharacter(name, "key", end)
		case end == dot+1:
			return Name{}, malformed(name, "key", end, "has an empty part")
		}
		dot = end
	}
	if strings.HasPrefix(name, reserved) {
		return Name{}, &NameError{Name: scan.Clip(name), Part: "company", Offset: len(Prefix),
			Reason: "arcp is reserved for the protocol", cause: ErrReserved}
	}
	return Name{text: name, company: company}, nil
}

// MustParse is [Parse] for names that stand in the program. It panics on an error.
func MustParse(name string) Name {
	n, err := Parse(name)
	if err != nil {
		panic(err)
	}
	return n
}

// Validate says what [Parse] says about name.
func Validate(name string) error {
	_, err := Parse(name)
	return err
}

// IsVendor reports whether name is a vendor's, of an extension field or of an event kind: [Prefix], in that case, and something
// after it. It holds for reserved names, and for many that Parse refuses: receivers are not to judge.
func IsVendor(name string) bool {
	return len(name) > len(Prefix) && strings.HasPrefix(name, Prefix)
}

// IsReserved reports whether name lies under x-vendor.arcp., where the protocol alone may add names. A peer with a newer version
// of the protocol may well send one.
func IsReserved(name string) bool { return strings.HasPrefix(name, reserved) }

// Company gives the part between [Prefix] and the next dot.
func (n Name) Company() string {
	if n.text == "" {
		return ""
	}
	return n.text[len(Prefix):n.company]
}

// Key gives all that follows the company and its dot; it may hold dots itself.
func (n Name) Key() string {
	if n.text == "" {
		return ""
	}
	return n.text[n.company+1:]
}

// String gives the whole name as it stands on the wire.
func (n Name) String() string { return n.text }

// Errors that a [*NameError] matches under [errors.Is].
var (
	// ErrMalformed is a name outside the grammar.
	ErrMalformed = errors.New("malformed vendor name")
	// ErrReserved is a name that only the protocol may use.
	ErrReserved = errors.New("reserved vendor name")
)

// NameError is a name that an author may not use.
type NameError struct {
	Name   string // as given, cut to a sane length
	Part   string // what is wrong: "prefix", "company" or "key"
	Offset int    // of the first wrong byte, or of where something is missing, in bytes from the start of the name
	Reason string // what is wrong with the part

	cause error
}

// Error tells the name, the part, the place and the reason.
func (e *NameError) Error() string {
	return fmt.Sprintf("%v %s: %s at byte %d: %s", e.cause, strconv.QuoteToASCII(e.Name), e.Part, e.Offset, e.Reason)
}

// Unwrap gives [ErrMalformed] or [ErrReserved].
func (e *NameError) Unwrap() error { return e.cause }

func malformed(name, part string, offset int, reason string) error {
	return &NameError{Name: scan.Clip(name), Part: part, Offset: offset, Reason: reason, cause: ErrMalformed}
}

func badCharacter(name, part string, offset int) error {
	return malformed(name, part, offset, `may hold only a-z, 0-9, "_" and "-"`)
}

// partEnd gives the end of the run of part characters that starts at i.
func partEnd(name string, i int) int {
	for i < len(name) && isPart(name[i]) {
		i++
	}
	return i
}

func isPart(c byte) bool {
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '_' || c == '-'
}

func firstDifference(a, b string) int {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	return i
}
