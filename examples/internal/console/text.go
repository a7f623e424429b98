// Package console holds what the examples need to print text from a peer on a
// terminal: escaping, shortening, counting within bounds, and when to use colour.
package console

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"
)

// IsTerminal reports whether f is a terminal, as far as the standard library
// can tell: a character device other than the null device.
func IsTerminal(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}

// Colour reports whether to colour what goes to f: it is a terminal, TERM does
// not call it dumb, and NO_COLOR (https://no-color.org) is unset or empty.
func Colour(f *os.File) bool {
	return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && IsTerminal(f)
}

// Printable returns s in at most width runes, fit for a terminal and for one
// line: control and formatting characters, which could move the cursor or turn
// text around, are escaped as in a Go string, and so is what is not UTF-8. A
// cut ends in "…", and no escape is cut in two.
func Printable(s string, width int) string {
	var b strings.Builder
	used, cut := 0, 0 // cut: where b still has room for the mark
	for i, size := 0, 0; i < len(s); i += size {
		var r rune
		r, size = utf8.DecodeRuneInString(s[i:])
		piece := s[i : i+size]
		if !printable(r) || r == utf8.RuneError && size == 1 {
			piece = strconv.Quote(piece)
			piece = piece[1 : len(piece)-1]
		}
		if used < width {
			cut = b.Len()
		}
		used += utf8.RuneCountInString(piece)
		if used > width {
			return b.String()[:cut] + "…"
		}
		b.WriteString(piece)
	}
	return b.String()
}

// JSON returns valid JSON text with the characters that [Printable] escapes
// written as JSON escapes: the same value, on one line, safe on a terminal. Of
// white space between tokens only spaces may be left; see encoding/json.Compact.
func JSON(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case printable(r):
			b.WriteRune(r)
		case r > 0xffff:
			r -= 0x10000
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// printable leaves the two joiners alone, which Persian text and many emoji need.
func printable(r rune) bool {
	return strconv.IsPrint(r) || r == '\u200c' || r == '\u200d'
}

// Short cuts an identifier to its last seven characters, where time-ordered
// identifiers differ, and marks the cut with "…". Eight or fewer stay whole.
func Short(id string) string {
	if utf8.RuneCountInString(id) <= 8 {
		return Printable(id, 8)
	}
	start := len(id)
	for range 7 {
		_, size := utf8.DecodeLastRuneInString(id[:start])
		start -= size
	}
	return "…" + Printable(id[start:], 7)
}
