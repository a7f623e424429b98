package scan

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// Every byte of a word set to one value.
const (
	ones        = 0x0101010101010101
	highs       = 0x80 * ones
	backslashes = '\\' * ones
	flips       = 0x02 * ones
	controls    = 0x21 * ones
)

// special marks, by its high bit, the first byte of word that is not plain text of a string: a quote, a backslash, a control
// character or a byte outside ASCII. A borrow may mark a byte after the first one wrongly, never one before it.
//
// Flipping one bit makes the quote 0x20, next to the control characters, which stay among themselves, and moves the space away:
// one subtraction finds both.
func special(word uint64) uint64 { return marks(word) & highs }

// marks is special with more bits than the high ones.
func marks(word uint64) uint64 {
	return word | ((word ^ flips) - controls) | ((word ^ backslashes) - ones)
}

// Load8 gives the eight bytes of data from i on as a little-endian word.
//
// Slicing to an end that is known to be not empty spares the processor six instructions on its way from one string to the next.
func Load8(data []byte, i int) uint64 { return binary.LittleEndian.Uint64(data[i : i+8]) }

// usual is how long most strings are at most, in bytes.
const usual = 64

// stride is how many bytes of a string are looked at without a check of the bounds in between.
const stride = 32

// String gives the offset after the string whose opening quote is at i, and whether it holds an escape.
func String(data []byte, i int) (end int, escaped bool, err *Error) {
	if end = Short(data, i); end > 0 {
		return end, false, nil
	}
	return stringEnd(data, i+1)
}

// Short gives the offset after the string whose opening quote is at i if it is one of the usual ones: not long, nothing but
// plain text in it, and not at the very end of data. Otherwise it gives 0, and String has the answer. It is apart from String
// because a function that calls no other costs much less, and most strings need no more.
func Short(data []byte, i int) int {
	end := i + 1
	for most := min(i+usual, len(data)-8); end <= most; end += 8 {
		if mask := special(Load8(data, end)); mask != 0 {
			if end += bits.TrailingZeros64(mask) / 8; data[end] == '"' {
				return end + 1
			}
			break
		}
	}
	return 0
}

// stringEnd is String from the offset i inside of the string on, where plain text is likely.
func stringEnd(data []byte, i int) (end int, escaped bool, err *Error) {
	if i = plain(data, i); i < len(data) && data[i] == '"' {
		return i + 1, false, nil
	}
	return mixedEnd(data, i)
}

// mixedEnd is String from the offset i inside of the string on, where something else than plain text is.
func mixedEnd(data []byte, i int) (end int, escaped bool, err *Error) {
	for {
		var found bool
		if i, found, err = mixed(data, i); err != nil {
			return 0, false, err
		}
		escaped = escaped || found
		if i < len(data) && data[i] != '"' {
			i = plain(data, i)
		}
		if i < len(data) && data[i] == '"' {
			return i + 1, escaped, nil
		}
	}
}

// mixed goes on character by character over text with escapes and characters outside ASCII, which come in flocks, to the
// closing quote or into a run of plain text. It says whether it found an escape.
func mixed(data []byte, i int) (next int, escaped bool, err *Error) {
	for {
		if i >= len(data) {
			return 0, false, fail(Syntax, len(data), "unexpected end of input in a string")
		}
		switch c := data[i]; {
		case c == '"':
			return i, escaped, nil
		case c == '\\':
			escaped = true
			i, err = escape(data, i)
		case c < ' ':
			return 0, false, fail(Syntax, i, "a control character in a string must be escaped")
		case c < utf8.RuneSelf:
			i++
			continue
		case c >= 0xC2 && c < 0xE0 && i+1 < len(data) && data[i+1]&0xC0 == 0x80:
			i += 2 // the most usual width among ASCII
		default:
			i, err = multibyte(data, i)
		}
		if err != nil {
			return 0, false, err
		}
		if i+8 <= len(data) && special(Load8(data, i)) == 0 {
			return i + 8, escaped, nil
		}
	}
}

// plain gives the offset of the first byte at or after i that special marks, or the end of data.
func plain(data []byte, i int) int {
	if i+8 <= len(data) { // most runs end soon
		if mask := special(Load8(data, i)); mask != 0 {
			return i + bits.TrailingZeros64(mask)/8
		}
		i += 8
	}
	for ; i+stride <= len(data); i += stride {
		block := (*[stride]byte)(data[i : i+stride])
		w0, w1 := Load8(block[:], 0), Load8(block[:], 8)
		w2, w3 := Load8(block[:], 16), Load8(block[:], 24)
		if (marks(w0)|marks(w1)|marks(w2)|marks(w3))&highs != 0 {
			break
		}
	}
	for ; i+8 <= len(data); i += 8 {
		if mask := special(Load8(data, i)); mask != 0 {
			return i + bits.TrailingZeros64(mask)/8
		}
	}
	if last := len(data) - 8; last >= 0 {
		// The word at the end, moved down so that it starts at i. The zeros that come in at its top are special.
		return i + bits.TrailingZeros64(special(Load8(data, last)>>(8*(i-last))))/8
	}
	for i < len(data) && data[i] >= ' ' && data[i] < utf8.RuneSelf && data[i] != '"' && data[i] != '\\' {
		i++
	}
	return i
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
			c = c | 0x20 - 'a' + 10
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
