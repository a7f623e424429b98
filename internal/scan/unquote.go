package scan

import (
	"bytes"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// AppendUnquoted appends the text of a string, which String accepts, to dst. It gives false, and dst as it was, when the text
// cannot be represented: when an escape stands for one half of a surrogate pair.
func AppendUnquoted(dst, quoted []byte) ([]byte, bool) {
	rest := quoted[1 : len(quoted)-1]
	out := dst
	for {
		n := bytes.IndexByte(rest, '\\')
		if n < 0 {
			return append(out, rest...), true
		}
		out = append(out, rest[:n]...)
		r, size, ok := unescape(rest[n:])
		if !ok {
			return dst, false
		}
		out = utf8.AppendRune(out, r)
		rest = rest[n+size:]
	}
}

// unescape decodes the escape that text starts with, and gives its size, which is never 0. An unpaired surrogate is U+FFFD, and
// not ok.
func unescape(text []byte) (r rune, size int, ok bool) {
	switch c := text[1]; c {
	case 'u':
		r, _ = hex4(text, 2)
		if !utf16.IsSurrogate(r) {
			return r, 6, true
		}
		if len(text) >= 12 && text[6] == '\\' && text[7] == 'u' {
			low, _ := hex4(text, 8)
			if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
				return r, 12, true
			}
		}
		return utf8.RuneError, 6, false
	case 'b':
		return '\b', 2, true
	case 'f':
		return '\f', 2, true
	case 'n':
		return '\n', 2, true
	case 'r':
		return '\r', 2, true
	case 't':
		return '\t', 2, true
	default: // a quote, a backslash or a slash
		return rune(c), 2, true
	}
}

// Representable says whether a string, which String accepts, has no half of a surrogate pair in it.
func Representable(quoted []byte) bool {
	for {
		n := bytes.IndexByte(quoted, '\\')
		if n < 0 {
			return true
		}
		_, size, ok := unescape(quoted[n:])
		if !ok {
			return false
		}
		quoted = quoted[n+size:]
	}
}

// EqualText says whether the text of a string is the given text; one that is not Representable is none. It allocates nothing.
func EqualText[T []byte | string](quoted []byte, text T) bool {
	rest := quoted[1 : len(quoted)-1]
	for len(rest) > 0 {
		if rest[0] != '\\' {
			if len(text) == 0 || text[0] != rest[0] {
				return false
			}
			rest, text = rest[1:], text[1:]
			continue
		}
		r, size, ok := unescape(rest)
		var encoded [utf8.UTFMax]byte
		n := utf8.EncodeRune(encoded[:], r)
		if !ok || len(text) < n || string(text[:n]) != string(encoded[:n]) {
			return false
		}
		rest, text = rest[size:], text[n:]
	}
	return len(text) == 0
}

const hexDigits = "0123456789abcdef"

// AppendQuoted appends text, which is valid UTF-8, as a JSON string with no more escapes than RFC 8259 §7 asks for.
func AppendQuoted[T []byte | string](dst []byte, text T) []byte {
	dst = append(dst, '"')
	start := len(dst)
	dst = append(dst, text...)
	if plain(dst, start) == len(dst) {
		return append(dst, '"') // nearly always
	}
	dst = dst[:start]
	from := 0
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, text[from:i]...)
		from = i + 1
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\b':
			dst = append(dst, '\\', 'b')
		case '\f':
			dst = append(dst, '\\', 'f')
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	dst = append(dst, text[from:]...)
	return append(dst, '"')
}

// EqualQuoted says whether two strings, both Representable, are the same text. It allocates nothing.
func EqualQuoted(a, b []byte) bool {
	a, b = a[1:len(a)-1], b[1:len(b)-1]
	for len(a) > 0 && len(b) > 0 {
		x, n := character(a)
		y, m := character(b)
		if x != y {
			return false
		}
		a, b = a[n:], b[m:]
	}
	return len(a) == len(b)
}

// character decodes the first character of the inside of a string.
func character(text []byte) (rune, int) {
	if text[0] == '\\' {
		r, size, _ := unescape(text)
		return r, size
	}
	return utf8.DecodeRune(text)
}

// EachByte gives the text of a string, which is Representable, byte by byte. It allocates nothing.
func EachByte(quoted []byte, use func(c byte)) {
	rest := quoted[1 : len(quoted)-1]
	for len(rest) > 0 {
		if rest[0] != '\\' {
			use(rest[0])
			rest = rest[1:]
			continue
		}
		r, size, _ := unescape(rest)
		var encoded [utf8.UTFMax]byte
		for _, c := range encoded[:utf8.EncodeRune(encoded[:], r)] {
			use(c)
		}
		rest = rest[size:]
	}
}

// Text gives the text of a string in memory of just its size. Where the string is not Representable the text has U+FFFD.
func Text(quoted []byte) string {
	var b strings.Builder
	b.Grow(textSize(quoted))
	rest := quoted[1 : len(quoted)-1]
	for {
		n := bytes.IndexByte(rest, '\\')
		if n < 0 {
			b.Write(rest)
			return b.String()
		}
		b.Write(rest[:n])
		r, size, _ := unescape(rest[n:])
		b.WriteRune(r)
		rest = rest[n+size:]
	}
}

// textSize is the length of Text in bytes.
func textSize(quoted []byte) int {
	rest, size := quoted[1:len(quoted)-1], 0
	for {
		n := bytes.IndexByte(rest, '\\')
		if n < 0 {
			return size + len(rest)
		}
		r, escape, _ := unescape(rest[n:])
		size += n + utf8.RuneLen(r)
		rest = rest[n+escape:]
	}
}
