package envelopetest

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/go-cmp/cmp"
)

const (
	maxShown  = 60 // bytes of one value or name in a report
	maxLines  = 60 // lines of one diff
	maxWindow = 24 // bytes on either side of a difference
)

// lost describes what became of the message sent on its way to the message
// received, as a diff of the two, one line a value. Fixtures are public, and their
// texts are shown. What came back may hold anything, a token that a proxy
// added for instance: of a string that is not from the case, only the length is
// shown.
func lost(sent, received []byte, anyOrder bool) string {
	got, err := parse(received)
	if err != nil {
		return fmt.Sprintf("what came back, %d bytes, is no message: %v", len(received), err)
	}
	want, err := parse(sent)
	if err != nil {
		return fmt.Sprintf("what was sent, %d bytes, is no message: %v", len(sent), err)
	}
	known := map[string]bool{}
	want.scalars(func(raw string) { known[unquoted(raw)] = true })
	wantLines := lines(nil, "", want, anyOrder, known)
	gotLines := lines(nil, "", got, anyOrder, known)
	if diff := cmp.Diff(wantLines, gotLines, wholeLines); diff != "" {
		return "-what was sent, +what came back:\n" + cut(diff)
	}
	return "every value is there, and is written differently or stands in other white space: " + firstDifference(sent, received)
}

// line is one value of a message: where it stands, and what it is.
type line string

// wholeLines keeps cmp.Diff from taking lines apart that differ a little.
var wholeLines = cmp.Comparer(func(a, b line) bool { return a == b })

// lines flattens a value: one line a scalar or an empty object or array.
func lines(dst []line, at string, n *node, anyOrder bool, known map[string]bool) []line {
	switch {
	case len(n.kids) == 0:
		return append(dst, line(at+" = "+show(n, known)))
	case kindOf(n) == "array":
		for i, kid := range n.kids {
			dst = lines(dst, at+"["+strconv.Itoa(i)+"]", kid, anyOrder, known)
		}
	default:
		order := byName(n)
		for i := range n.kids {
			k := i
			if anyOrder {
				k = order[i]
			}
			dst = lines(dst, member(at, n.names[k]), n.kids[k], anyOrder, known)
		}
	}
	return dst
}

// member is the path of a member: dotted where that reads well and cannot be
// mistaken.
func member(at, name string) string {
	shown := clip(name)
	if strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_-") != "" || name == "" {
		shown = strconv.QuoteToASCII(shown)
	}
	if len(at) > 4*maxShown {
		at = "…" + at[len(at)-maxShown:] // a thousand levels
	}
	if at == "" {
		return shown
	}
	return at + "." + shown
}

func show(n *node, known map[string]bool) string {
	switch kindOf(n) {
	case "object":
		return "{}"
	case "array":
		return "[]"
	case "string":
		if known[unquote(n.raw)] {
			return clip(n.raw)
		}
		s := fmt.Sprintf("a string of %d bytes that is not in the case", len(n.raw)-2)
		if strings.ContainsRune(n.raw, '\uFFFD') || strings.Contains(strings.ToLower(n.raw), `\ufffd`) {
			s += " and holds U+FFFD"
		}
		return s
	case "number":
		if !known[n.raw] && len(n.raw) > maxShown {
			return fmt.Sprintf("a number of %d bytes that is not in the case", len(n.raw))
		}
	}
	return clip(n.raw)
}

func (n *node) scalars(yield func(raw string)) {
	for _, kid := range n.kids {
		kid.scalars(yield)
	}
	if n.raw != "{" && n.raw != "[" {
		yield(n.raw)
	}
}

func unquoted(raw string) string {
	if raw[0] == '"' {
		return unquote(raw)
	}
	return raw
}

func clip(s string) string {
	if len(s) <= maxShown {
		return s
	}
	return fmt.Sprintf("%s… (%d bytes)", strings.ToValidUTF8(s[:maxShown], ""), len(s))
}

func cut(diff string) string {
	all := strings.SplitAfter(diff, "\n")
	if len(all) <= maxLines {
		return diff
	}
	return strings.Join(all[:maxLines], "") + fmt.Sprintf("… and %d lines more\n", len(all)-maxLines)
}

// firstDifference quotes the place in what was sent, which is public.
func firstDifference(sent, received []byte) string {
	i := 0
	for i < len(sent) && i < len(received) && sent[i] == received[i] {
		i++
	}
	window := sent[max(0, i-maxWindow):min(len(sent), i+maxWindow)]
	return fmt.Sprintf("%d bytes became %d, and the first difference is at byte %d, in %q",
		len(sent), len(received), i, bytes.ToValidUTF8(window, nil))
}
