package envelopetest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// node is one JSON value with nothing of its text lost. It is built by
// encoding/json's token stream: slow and plain, and no code of the codec under
// test.
type node struct {
	raw   string   // a scalar as it is written; "{" or "[" otherwise
	names []string // of an object's members, after unquote, in order
	kids  []*node  // an object's values or an array's elements
}

// parse reads one JSON text. It refuses what RFC 8259 refuses, invalid UTF-8
// included, and nothing else: neither duplicates nor depth nor lone surrogates.
func parse(data []byte) (*node, error) {
	if !utf8.Valid(data) {
		return nil, errors.New("invalid UTF-8")
	}
	// The token stream of encoding/json is laxer about commas than the grammar.
	var whole json.RawMessage
	if err := json.Unmarshal(data, &whole); err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	root := &node{raw: "["}
	stack := []*node{root}
	for {
		start := dec.InputOffset()
		tok, err := dec.Token()
		if err == io.EOF {
			return root.kids[0], nil
		}
		if err != nil {
			return nil, err
		}
		raw := strings.TrimLeft(string(data[start:dec.InputOffset()]), " \t\r\n,:")
		top := stack[len(stack)-1]
		switch {
		case tok == json.Delim('}') || tok == json.Delim(']'):
			stack = stack[:len(stack)-1]
		case top.raw == "{" && len(top.names) == len(top.kids):
			top.names = append(top.names, unquote(raw))
		default:
			n := &node{raw: raw}
			top.kids = append(top.kids, n)
			if raw == "{" || raw == "[" {
				stack = append(stack, n)
			}
		}
	}
}

// unquote returns the characters of a valid JSON string. A lone surrogate
// becomes the three bytes that UTF-8 would use if it could, which no valid text
// holds, so that it is equal only to itself.
func unquote(raw string) string {
	raw = raw[1 : len(raw)-1]
	var b []byte
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			b = append(b, raw[i])
			continue
		}
		i++
		if k := strings.IndexByte("bfnrt", raw[i]); k >= 0 {
			b = append(b, "\b\f\n\r\t"[k])
			continue
		}
		if raw[i] != 'u' {
			b = append(b, raw[i])
			continue
		}
		r := hex4(raw[i+1:])
		i += 4
		if utf16.IsSurrogate(r) && strings.HasPrefix(raw[i+1:], `\u`) {
			if pair := utf16.DecodeRune(r, hex4(raw[i+3:])); pair != utf8.RuneError {
				r = pair
				i += 6
			}
		}
		if utf16.IsSurrogate(r) {
			b = append(b, 0xE0|byte(r>>12), 0x80|byte(r>>6)&0x3F, 0x80|byte(r)&0x3F)
			continue
		}
		b = utf8.AppendRune(b, r)
	}
	return string(b)
}

func hex4(s string) rune {
	n, _ := strconv.ParseUint(s[:4], 16, 16)
	return rune(n)
}

// canonical is the same text for the same value, and only for it: objects
// without regard to order (members of the same name keep theirs), strings after
// unquote, numbers as they are written.
func canonical(n *node) string {
	var b strings.Builder
	n.canonical(&b)
	return b.String()
}

func (n *node) canonical(b *strings.Builder) {
	switch kindOf(n) {
	case "string":
		b.WriteString(strconv.Quote(unquote(n.raw)))
	case "object":
		b.WriteByte('{')
		for _, i := range byName(n) {
			b.WriteString(strconv.Quote(n.names[i]))
			n.kids[i].canonical(b)
			b.WriteByte(',')
		}
		b.WriteByte('}')
	case "array":
		b.WriteByte('[')
		for _, kid := range n.kids {
			kid.canonical(b)
			b.WriteByte(',')
		}
		b.WriteByte(']')
	default:
		b.WriteString(n.raw)
	}
}

// byName returns the indexes of an object's members sorted by name.
func byName(n *node) []int {
	order := make([]int, len(n.names))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return strings.Compare(n.names[i], n.names[j]) })
	return order
}

func kindOf(n *node) string {
	switch n.raw[0] {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f', 'n':
		return "literal"
	default:
		return "number"
	}
}
