// Package conformance runs the fixtures of package envelopetest through this
// module's codec and through its peers, and says what became of each: carried,
// refused, or what was lost. Its test makes docs/conformance.md.
package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/arcp-go/arcp/envelopetest"
)

// Outcome is what a codec did with one message. An outcome other than these
// constants begins with "lost: " and names what.
type Outcome string

// The outcomes in which nothing was lost, and those without a message at the
// end.
const (
	Carried   Outcome = "carried"      // byte for byte
	Rewritten Outcome = "rewritten"    // the same JSON value in other bytes: order, white space or escapes
	Refused   Outcome = "refused"      // an error
	PassedOn  Outcome = "passed on"    // what should have been refused came out again
	Panicked  Outcome = "panic"        // no error, no message
	Broken    Outcome = "invalid JSON" // a message came out that is none
)

// Good reports whether the outcome is what the verdict asks for. A rewritten
// message counts as carried here, as a receiver cannot tell the difference.
func (o Outcome) Good(v envelopetest.Verdict) bool {
	if v == envelopetest.Refuse {
		return o == Refused
	}
	return o == Carried || o == Rewritten
}

// A message may be carried by chance: a library that writes fields in the
// order of a Go map writes two of them the wrong way round only one time in
// eight. So what came out unchanged is forwarded again so many times, or until
// so many bytes have been.
const (
	attempts     = 200
	attemptBytes = 4 << 20
)

// Of runs one message through forward and judges the result.
func Of(verdict envelopetest.Verdict, message []byte, forward func([]byte) ([]byte, error)) Outcome {
	outcome := once(verdict, message, forward)
	for range min(attempts, attemptBytes/(len(message)+1)) {
		if outcome != Carried {
			break
		}
		outcome = once(verdict, message, forward)
	}
	return outcome
}

func once(verdict envelopetest.Verdict, message []byte, forward func([]byte) ([]byte, error)) Outcome {
	out, err, panicked := call(forward, bytes.Clone(message))
	switch {
	case panicked:
		return Panicked
	case err != nil:
		return Refused
	case verdict == envelopetest.Refuse:
		return PassedOn
	case bytes.Equal(out, message):
		return Carried
	}
	lost, err := losses(message, out)
	switch {
	case err != nil:
		return Broken
	case len(lost) == 0:
		return Rewritten
	}
	return Outcome("lost: " + strings.Join(lost, ", "))
}

// call forwards, and tells a panic of the library from its errors.
func call(forward func([]byte) ([]byte, error), message []byte) (out []byte, err error, panicked bool) {
	defer func() {
		if recover() != nil {
			panicked = true
		}
	}()
	out, err = forward(message)
	return out, err, false
}

// The losses, gravest first.
var gravity = []string{"core values", "core fields", "extensions", "values", "numbers", "surrogates", "null fields", "empty fields"}

// member is one field of an object, with the bytes of its name and value.
type member struct {
	name         string
	nameText     []byte // quoted and escaped, as it stands there
	nameEnd      int    // offset behind nameText
	value        json.RawMessage
	valueEnd     int
	beforeMember int // offset where white space and comma before the name begin
}

// members splits an object, as far as it is well formed; the error says that
// it was not, or that something follows it. The last field then may have a name
// alone. It stands on encoding/json, which
// is slow enough to be trusted.
func members(text []byte) (found []member, err error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return nil, fmt.Errorf("not an object: %v", err)
	}
	for dec.More() {
		m := member{beforeMember: int(dec.InputOffset())}
		token, err := dec.Token()
		if err != nil {
			return found, err
		}
		name, ok := token.(string)
		if !ok {
			return found, fmt.Errorf("a field without a name")
		}
		m.name, m.nameEnd = name, int(dec.InputOffset())
		m.nameText = bytes.TrimLeft(text[m.beforeMember:m.nameEnd], ", \t\r\n")
		if err := dec.Decode(&m.value); err != nil {
			return append(found, m), err
		}
		m.valueEnd = int(dec.InputOffset())
		found = append(found, m)
	}
	if _, err := dec.Token(); err != nil {
		return found, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return found, fmt.Errorf("something follows the object")
	}
	return found, nil
}

// losses names what of the message from is not in to any more.
func losses(from, to []byte) ([]string, error) {
	was, err := members(from)
	if err != nil {
		return nil, err
	}
	is, err := members(to)
	if err != nil {
		return nil, err
	}
	now := make(map[string]json.RawMessage, len(is))
	for _, m := range is {
		now[m.name] = m.value
	}
	found := make(map[string]bool)
	for _, m := range was {
		value, kept := now[m.name]
		core := coreField(m.name)
		if kept {
			found[valueLoss(core, m.value, value)] = true
			continue
		}
		switch text := string(m.value); {
		case core && text == "null":
			found["null fields"] = true
		case core && (text == `""`):
			found["empty fields"] = true
		case core:
			found["core fields"] = true
		default:
			found["extensions"] = true
		}
	}
	for _, m := range is {
		if !slices.ContainsFunc(was, func(w member) bool { return w.name == m.name }) {
			found["core values"] = true // a core field that the message does not have
		}
	}
	var lost []string
	for _, l := range gravity {
		if found[l] {
			lost = append(lost, l)
		}
	}
	return lost, nil
}

// valueLoss compares two texts of one value token by token; "" means that
// they are the same value.
func valueLoss(core bool, was, is []byte) string {
	if bytes.Equal(was, is) {
		return ""
	}
	if !slices.Equal(loneSurrogates(was), loneSurrogates(is)) {
		return "surrogates"
	}
	other := "values"
	if core {
		other = "core values"
	}
	a, b := json.NewDecoder(bytes.NewReader(was)), json.NewDecoder(bytes.NewReader(is))
	a.UseNumber()
	b.UseNumber()
	for {
		s, errA := a.Token()
		t, errB := b.Token()
		_, number := s.(json.Number)
		_, stillNumber := t.(json.Number)
		switch {
		case errA == io.EOF && errB == io.EOF:
			return ""
		case errA != nil || errB != nil:
			return other
		case s == t:
		case number && stillNumber:
			return "numbers"
		default:
			return other
		}
	}
}

// loneSurrogates lists the escaped surrogates of a text that have no partner:
// encoding/json reads all of them as U+FFFD, so that they need a look of
// their own.
func loneSurrogates(text []byte) []uint64 {
	var lone []uint64
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		unit, ok := escapedUnit(text[i:])
		if !ok {
			i++ // the escaped character
			continue
		}
		i += 5
		if unit < 0xD800 || unit > 0xDFFF {
			continue
		}
		if low, ok := escapedUnit(text[i+1:]); ok && unit < 0xDC00 && low >= 0xDC00 && low <= 0xDFFF {
			i += 6
			continue
		}
		lone = append(lone, unit)
	}
	return lone
}

// escapedUnit reads one \uXXXX at the beginning of text.
func escapedUnit(text []byte) (unit uint64, ok bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	unit, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	return unit, err == nil
}
