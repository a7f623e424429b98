// Package scan checks JSON texts (RFC 8259, UTF-8) and finds where their values end. It is a set of functions over bytes: no
// state, no allocation, no recursion, one pass. It decodes nothing but strings.
//
// Offsets are in bytes from the start of data. A position beyond the end is the end.
package scan

import (
	"math"
	"math/bits"
)

// NoLimit is a depth that no text reaches.
const NoLimit = math.MaxInt

// Space gives the offset of the first byte at or after i that is not white space.
func Space(data []byte, i int) int {
	for i < len(data) {
		if c := data[i]; c != ' ' && c != '\n' && c != '\r' && c != '\t' {
			break
		}
		i++
	}
	return i
}

// Only checks that data is one JSON value with nothing but white space around it, nested at most depth deep, and says where
// the value starts and ends.
func Only(data []byte, depth int) (start, end int, err *Error) {
	start = Space(data, 0)
	end, err = Value(data, start, depth)
	if err != nil {
		return 0, 0, err
	}
	if i := Space(data, end); i < len(data) {
		return 0, 0, fail(Syntax, i, "want nothing after the value")
	}
	return start, end, nil
}

// Value gives the offset after the JSON value that starts at i, where no white space is. At most depth arrays and objects may
// be open within each other.
func Value(data []byte, i, depth int) (int, *Error) {
	if i < len(data) {
		switch c := data[i]; {
		case c == '"':
			end, _, err := String(data, i)
			return end, err
		case c == '{' || c == '[':
			return Container(data, i, depth)
		case c-'0' <= 9 || c == '-':
			return number(data, i)
		}
	}
	return literal(data, i)
}

// Container gives the offset after the array or object that starts at i.
//
// The kinds of the containers that are open make a stack of bits, 1 for an object. The innermost 64 are in kinds, the rest,
// 64 a word, in outer: enough for the default depth without an allocation, and constant in the goroutine's stack.
func Container(data []byte, i, depth int) (int, *Error) {
	var room [16]uint64
	outer := room[:0]
	var kinds uint64
	level := 0
	name := false // a name is next, not a value
	var end int   // of a string's text, or after an integer
	var err *Error

open: // A container opens at i.
	if level == depth {
		return 0, fail(TooDeep, i, "arrays and objects are nested too deep")
	}
	if level&63 == 0 && level > 0 {
		outer = append(outer, kinds)
	}
	level++
	kinds <<= 1
	if data[i] == '{' {
		kinds |= 1
	}
	i++
	if i < len(data) && data[i] <= ' ' {
		i = Space(data, i)
	}
	if i < len(data) && data[i] == closing(kinds) {
		goto closed
	}

member: // A member or an element starts at i.
	name = kinds&1 != 0

value: // A name or a value starts at i.
	if i >= len(data) || data[i] != '"' {
		goto other
	}
	end = i + 1

text: // The text of a string starts at end. As in Short: a call would cost as much as finding the end of most strings.
	for most := min(end+usual, len(data)-8); ; end += 8 {
		if end > most {
			i, _, err = stringEnd(data, end)
			break
		}
		if mask := special(Load8(data, end)); mask != 0 {
			if end += bits.TrailingZeros64(mask) / 8; data[end] == '"' {
				goto found
			}
			i, _, err = mixedEnd(data, end)
			break
		}
	}
	if err != nil {
		return 0, err
	}
	end = i - 1

found: // The closing quote is at end. Where the next string follows at once it is found from there, since each waits for the last.
	i = end + 1
	if !name {
		if end+2 < len(data) && data[end+1] == ',' && data[end+2] == '"' {
			name = kinds&1 != 0
			end += 3
			goto text
		}
		goto ended
	}
	name = false
	if end+2 < len(data) && data[end+1] == ':' && data[end+2] > ' ' {
		if data[end+2] == '"' {
			end += 3
			goto text
		}
		i++
		goto other
	}
	if i < len(data) && data[i] <= ' ' {
		i = Space(data, i)
	}
	if i >= len(data) || data[i] != ':' {
		return 0, unexpected(data, i, "':' after a field name")
	}
	i++
	if i < len(data) && data[i] <= ' ' {
		i = Space(data, i)
	}
	goto value

other: // Something starts at i that is no string.
	if name {
		return 0, unexpected(data, i, "a field name in double quotes")
	}
	if i >= len(data) {
		return 0, unexpected(data, i, "a value")
	}
	switch c := data[i]; {
	case c == '{' || c == '[':
		goto open
	case c-'0' <= 9 || c == '-':
		end = digits(data, i+1)
		if c-'1' <= 8 && end < len(data) && data[end] != '.' && data[end]|0x20 != 'e' {
			i = end // a short integer, as most numbers are
			goto ended
		}
		i, err = number(data, i)
	default:
		i, err = literal(data, i)
	}
	if err != nil {
		return 0, err
	}

ended: // A value has ended before i.
	if i+1 < len(data) && data[i] == ',' && data[i+1] == '"' {
		name = kinds&1 != 0
		end = i + 2
		goto text
	}
	if i < len(data) && data[i] <= ' ' {
		i = Space(data, i)
	}
	if i < len(data) && data[i] == ',' {
		i++
		if i < len(data) && data[i] <= ' ' {
			i = Space(data, i)
		}
		goto member
	}
	if i >= len(data) || data[i] != closing(kinds) {
		return 0, unexpected(data, i, wantAfter(kinds))
	}

closed: // A container closes at i.
	i++
	level--
	if level == 0 {
		return i, nil
	}
	kinds >>= 1
	if level&63 == 0 {
		kinds = outer[len(outer)-1]
		outer = outer[:len(outer)-1]
	}
	goto ended
}

func closing(kinds uint64) byte { return ']' + byte(kinds&1)<<5 } // '}' is 32 after ']'

func wantAfter(kinds uint64) string {
	if kinds&1 != 0 {
		return "',' or '}' after a field"
	}
	return "',' or ']' after an element"
}

func number(data []byte, i int) (int, *Error) {
	if data[i] == '-' {
		i++
	}
	if i >= len(data) || data[i]-'0' > 9 {
		return 0, unexpected(data, i, "a digit")
	}
	if data[i] != '0' {
		i = digits(data, i)
	} else if i++; i < len(data) && data[i]-'0' <= 9 {
		return 0, fail(Syntax, i, "a number may not start with 0 and go on")
	}
	if i < len(data) && data[i] == '.' {
		i++
		if i >= len(data) || data[i]-'0' > 9 {
			return 0, unexpected(data, i, "a digit after the decimal point")
		}
		i = digits(data, i)
	}
	if i < len(data) && data[i]|0x20 == 'e' {
		i++
		if i < len(data) && (data[i] == '+' || data[i] == '-') {
			i++
		}
		if i >= len(data) || data[i]-'0' > 9 {
			return 0, unexpected(data, i, "a digit in the exponent")
		}
		i = digits(data, i)
	}
	return i, nil
}

func digits(data []byte, i int) int {
	for i < len(data) && data[i]-'0' <= 9 {
		i++
	}
	return i
}

func literal(data []byte, i int) (int, *Error) {
	rest := data[min(i, len(data)):]
	switch {
	case len(rest) >= 4 && string(rest[:4]) == "true", len(rest) >= 4 && string(rest[:4]) == "null":
		return i + 4, nil
	case len(rest) >= 5 && string(rest[:5]) == "false":
		return i + 5, nil
	case len(rest) >= 3 && string(rest[:3]) == "\xEF\xBB\xBF":
		return 0, fail(Syntax, i, "want a value, found a byte order mark")
	}
	return 0, unexpected(data, i, "a value")
}
