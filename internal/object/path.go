package object

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/arcp-go/arcp/internal/scan"
)

// mostPadding is how many nulls an index beyond the end of an array may add.
const mostPadding = 100_000

// SetPath gives a copy of value, one JSON value without white space around it, in which what path leads to is leaf, another
// one. Everything else keeps its bytes.
//
// The path is sjson's: names and indexes joined by dots; -1 for the place after an array's last element; a backslash before a
// character that means itself; a colon before digits that are a name, as those are that make more than 31 bits. What is missing
// on the way is made, an array where the next step is an index and else an object, and an array is filled up with null. The
// syntax of queries is an error, and so is a step into something that is neither object nor array. Errors name the field.
func SetPath(field string, value []byte, path string, leaf []byte) ([]byte, error) {
	steps, reason := parsePath(path)
	if reason != "" {
		return nil, inMemory(scan.Syntax, field, reason)
	}
	at, end := 0, len(value) // of what the steps so far lead to
	for i, s := range steps {
		spot, err := s.in(value[at:end])
		if err != nil {
			return nil, inMemory(err.Kind, field, "step "+strconv.Itoa(i+1)+" of the path: "+err.Reason)
		}
		if !spot.found {
			made, err := made(steps[i+1:], leaf)
			if err != nil {
				return nil, inMemory(err.Kind, field, err.Reason)
			}
			at += spot.start
			return slices.Concat(value[:at], spot.lead, made, value[at:]), nil
		}
		at, end = at+spot.start, at+spot.end
	}
	return slices.Concat(value[:at], leaf, value[end:]), nil
}

// step is one part of a path.
type step struct {
	name  string
	index int // in an array: appending for after the last element, notIndex where the name can be none
}

const (
	appending = -1
	notIndex  = -2
)

// parsePath gives the steps of a path, or the reason why it is none.
func parsePath(path string) (steps []step, reason string) {
	if !utf8.ValidString(path) {
		return nil, "the path is not valid UTF-8"
	}
	for more := true; more; {
		part, forced := strings.CutPrefix(path, ":")
		name, rest, reason := cutPart(part)
		if reason != "" {
			return nil, reason
		}
		s := step{name: name, index: notIndex}
		if n, err := strconv.ParseUint(name, 10, 31); err == nil && !forced {
			s.index = int(n)
		} else if name == "-1" && !forced {
			s.index = appending
		}
		steps = append(steps, s)
		path, more = strings.CutPrefix(rest, ".")
	}
	return steps, ""
}

// cutPart reads the first part of a path; rest starts with the dot after it, if there is one.
func cutPart(path string) (name, rest, reason string) {
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		switch c := path[i]; c {
		case '*', '?', '#', '|', '@':
			return "", "", "the path holds " + string(c) + ", which is for queries; a backslash before it makes it part of a name"
		case '.':
			rest = path[i:]
		case '\\':
			if i++; i == len(path) {
				return "", "", "the path ends in a backslash"
			}
		}
		if rest != "" {
			break
		}
		b.WriteByte(path[i])
	}
	if b.Len() == 0 {
		return "", "", "the path is empty, or a part of it is"
	}
	return b.String(), rest, ""
}

// spot is where a step leads to in a container: to the child that is there, or to the place for a new one.
type spot struct {
	found      bool
	start, end int
	lead       []byte // what has to stand before a new child
}

func (s step) in(container []byte) (spot, *scan.Error) {
	switch container[0] {
	case '{':
		return s.inObject(container)
	case '[':
		return s.inArray(container)
	}
	return spot{}, inMemory(scan.Type, "", "it leads into "+scan.Describe(container)+", want an object or an array")
}

func (s step) inObject(text []byte) (spot, *scan.Error) {
	members, err := Members(nil, text, Unlimited)
	if err != nil {
		return spot{}, err
	}
	if m, ok := Find(text, members, s.name); ok {
		return spot{found: true, start: m.Value, end: m.End}, nil
	}
	var lead []byte
	if len(members) > 0 {
		lead = append(lead, ',')
	}
	lead = append(scan.AppendQuoted(lead, s.name), ':')
	return spot{start: closingBrace(text, members), lead: lead}, nil
}

func (s step) inArray(text []byte) (spot, *scan.Error) {
	if s.index == notIndex {
		return spot{}, inMemory(scan.Type, "", "it leads into an array, want an index or -1")
	}
	i := scan.Space(text, 1)
	count := 0
	for text[i] != ']' {
		end, _ := scan.Value(text, i, scan.NoLimit) // it is valid
		if count == s.index {
			return spot{found: true, start: i, end: end}, nil
		}
		count++
		if i = scan.Space(text, end); text[i] == ',' {
			i = scan.Space(text, i+1)
		}
	}
	var lead []byte
	if count > 0 {
		lead = append(lead, ',')
	}
	lead, err := appendPadding(lead, s.index-count)
	return spot{start: i, lead: lead}, err
}

// appendPadding appends the nulls that fill an array up to an index; n may be below zero.
func appendPadding(dst []byte, n int) ([]byte, *scan.Error) {
	if n > mostPadding {
		return nil, inMemory(scan.TooLarge, "", "the path has an index more than "+strconv.Itoa(mostPadding)+" beyond the end of its array")
	}
	return append(dst, bytes.Repeat([]byte("null,"), max(0, n))...), nil
}

// made is the value that steps into nothing make, with leaf at their end.
func made(steps []step, leaf []byte) ([]byte, *scan.Error) {
	var text, closing []byte
	for _, s := range steps {
		if s.index == notIndex {
			text = append(scan.AppendQuoted(append(text, '{'), s.name), ':')
			closing = append(closing, '}')
			continue
		}
		var err *scan.Error
		if text, err = appendPadding(append(text, '['), s.index); err != nil {
			return nil, err
		}
		closing = append(closing, ']')
	}
	slices.Reverse(closing)
	return slices.Concat(text, leaf, closing), nil
}
