package scan_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/arcp-go/arcp/internal/scan"
)

// TestStringAtEveryPlace puts everything that a string scanner has to see at every place of words and strides, with a quote at
// every distance after it, and compares with looking at one byte after the other.
func TestStringAtEveryPlace(t *testing.T) {
	items := []string{`\"`, `\\`, `\/`, `\u0041`, `\u00`, `\x`, "é", "€", "😀", "\xe2\x82", "\x00", "\x1f", " ", "!", "#", "[", "]", "\x7f", ""}
	const longest = 3*32 + 9
	for lead := range longest {
		for _, item := range items {
			for _, gap := range []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 15, 16, 17, 30} {
				text := "x\"" + strings.Repeat("p", lead) + item + strings.Repeat("q", gap) + `"`
				for _, after := range []string{"", `"`, `\`, `,"nnnnnnn":"\n`, strings.Repeat("z", 40), strings.Repeat(`"`, 40), strings.Repeat("\x01", 70)} {
					data := []byte(text + after)
					wantEnd, wantEscaped, valid := slowString(data, 1)
					end, escaped, err := scan.String(data, 1)
					if (err == nil) != valid || err == nil && (end != wantEnd || escaped != wantEscaped) {
						t.Fatalf("String(%q): %d, %v, %v, want %d, %v, valid %v", data, end, escaped, err, wantEnd, wantEscaped, valid)
					}
					if short := scan.Short(data, 1); short != 0 && (!valid || short != wantEnd || wantEscaped) {
						t.Fatalf("Short(%q): %d, want %d, escaped %v, valid %v", data, short, wantEnd, wantEscaped, valid)
					}
					// Inside of an array the scanner has a way of its own.
					data[0] = '['
					inside, err := scan.Value(append(data[:max(wantEnd, len(text))], ']'), 0, 1)
					if (err == nil) != valid || err == nil && inside != wantEnd+1 {
						t.Fatalf("Value(%q): %d, %v, want %d, valid %v", data, inside, err, wantEnd+1, valid)
					}
				}
			}
		}
	}
}

// slowString is scan.String byte by byte.
func slowString(data []byte, i int) (end int, escaped, ok bool) {
	for i++; i < len(data); {
		switch c := data[i]; {
		case c == '"':
			return i + 1, escaped, true
		case c < ' ':
			return 0, false, false
		case c != '\\':
			r, size := utf8.DecodeRune(data[i:])
			if r == utf8.RuneError && size == 1 {
				return 0, false, false
			}
			i += size
			continue
		}
		escaped = true
		switch rest := string(data[i+1:]); {
		case rest != "" && strings.Contains(`"\/bfnrt`, rest[:1]):
			i += 2
		case len(rest) >= 5 && rest[0] == 'u' && strings.Trim(rest[1:5], "0123456789abcdefABCDEF") == "":
			i += 6
		default:
			return 0, false, false
		}
	}
	return 0, false, false
}

// TestShortFindsUsualStrings: it must not leave all the work to others.
func TestShortFindsUsualStrings(t *testing.T) {
	for n := range 2 * 32 {
		data := []byte(`"` + strings.Repeat("x", n) + `"` + strings.Repeat(" ", 32))
		if end := scan.Short(data, 0); end != n+2 {
			t.Errorf("a string of %d: %d", n, end)
		}
	}
}
