package scan

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// Every byte of a word set to 1, to the high bit, and to what ends a run of plain text.
const (
	ones        = 0x0101010101010101
	highs       = 0x80 * ones
	controls    = 0x20 * ones
	quotes      = '"' * ones
	backslashes = '\\' * ones
)

// special marks, by its high bit, the first byte of word that is not plain text of a string: a quote, a backslash, a control
// character or a byte outside ASCII. A borrow may mark a byte after the first one wrongly, never one before it.
func special(word uint64) uint64 {
	return (word | ((word ^ quotes) - ones) | ((word ^ backslashes) - ones) | (word - controls)) & highs
}

// String gives the offset after the string whose opening quote is at i, and whether it holds an escape.
func String(data []byte, i int) (end int, escaped bool, err *Error) {
	i++
	for {
		for i+8 <= len(data) {
			if mask := special(binary.LittleEndian.Uint64(data[i:])); mask != 0 {
				i += bits.TrailingZeros64(mask) / 8
				break
			}
			i += 8
		}
		if i >= len(data) {
			return 0, false, fail(Syntax, len(data), "unexpected end of input in a string")
		}
		switch c := data[i]; {
		case c == '"':
			return i + 1, escaped, nil
		case c == '\\':
			escaped = true
			if i, err = escape(data, i); err != nil {
				return 0, false, err
			}
		case c < ' ':
			return 0, false, fail(Syntax, i, "a control character in a string must be escaped")
		case c < utf8.RuneSelf:
			i++ // plain, among the last seven bytes of data
		default:
			if i, err = multibyte(data, i); err != nil {
				return 0, false, err
			}
		}
	}
}

// escape gives the offset after the escape that starts at i.
func escape(data []byte, i int) (int, *Error) {
	if i+1 < len(data) {
		switch data[i+1] {
		case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			return i + 2, nil
		case 'u':
			if _, ok := hex4(data, i+2); !ok {
				return 0, fail(Syntax, i, `want four hexadecimal digits after \u`)
			}
			return i + 6, nil
		}
		return 0, fail(Syntax, i, "unknown escape in a string")
	}
	return 0, fail(Syntax, len(data), "unexpected end of input in a string")
}

func hex4(data []byte, i int) (rune, bool) {
	if i+4 > len(data) {
		return 0, false
	}
	var r rune
	for _, c := range data[i : i+4] {
		switch {
		case c-'0' <= 9:
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c|0x20 - 'a' + 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// multibyte gives the offset after the run of characters outside ASCII that starts at i.
//
// Most text of this kind comes in runs of one width, so each width has its loop, on four bytes at once: the mask picks the bits
// that are the same in all sequences of the width, and a second test refuses what RFC 3629 forbids.
func multibyte(data []byte, i int) (int, *Error) {
	for i+4 <= len(data) {
		switch x := binary.LittleEndian.Uint32(data[i:]); {
		case x&0x80 == 0:
			return i, nil
		case x&0x00C0C0F0 == 0x008080E0 && x&0x200F != 0 && x&0x200F != 0x200D: // no overlong form, no surrogate
			i += 3
		case x&0x0000C0E0 == 0x000080C0 && x&0x1E != 0: // no overlong form
			i += 2
		case x&0xC0C0C0F8 == 0x808080F0 && x&0x3007 != 0 && (x&0x04 == 0 || x&0x3003 == 0): // no overlong form, none over U+10FFFF
			i += 4
		default:
			return 0, fail(Syntax, i, "invalid UTF-8 in a string")
		}
	}
	for i < len(data) && data[i] >= utf8.RuneSelf {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			return 0, fail(Syntax, i, "invalid UTF-8 in a string")
		}
		i += size
	}
	return i, nil
}
