package xvendor

import (
	"encoding/json"
	"math"
	"reflect"
	"strconv"

	"github.com/arcp-go/arcp/internal/object"
	"github.com/arcp-go/arcp/internal/scan"
)

// decodeBasic reads a JSON value into *target if that is of a basic type, without reflection. A reason tells what was found
// instead of such a value.
func decodeBasic(raw []byte, target any) (known bool, reason string) {
	switch p := target.(type) {
	case *json.RawMessage:
		*p = raw
	case *string:
		return true, decodeString(raw, p)
	case *bool:
		if raw[0] != 't' && raw[0] != 'f' {
			return true, scan.Describe(raw)
		}
		*p = raw[0] == 't'
	case *json.Number:
		if !isNumber(raw) {
			return true, scan.Describe(raw)
		}
		*p = json.Number(raw)
	case *int:
		return true, decodeInt(raw, p)
	case *int64:
		return true, decodeInt(raw, p)
	case *int32:
		return true, decodeInt(raw, p)
	case *int16:
		return true, decodeInt(raw, p)
	case *int8:
		return true, decodeInt(raw, p)
	case *uint:
		return true, decodeUint(raw, p)
	case *uint64:
		return true, decodeUint(raw, p)
	case *uint32:
		return true, decodeUint(raw, p)
	case *uint16:
		return true, decodeUint(raw, p)
	case *uint8:
		return true, decodeUint(raw, p)
	case *float64:
		return true, decodeFloat(raw, 64, func(f float64) { *p = f })
	case *float32:
		return true, decodeFloat(raw, 32, func(f float64) { *p = float32(f) })
	default:
		return false, ""
	}
	return true, ""
}

func isNumber(raw []byte) bool { return raw[0] == '-' || raw[0]-'0' <= 9 }

func decodeString(raw []byte, p *string) (reason string) {
	if raw[0] != '"' {
		return scan.Describe(raw)
	}
	text, ok := scan.AppendUnquoted(nil, raw)
	if !ok {
		return "a string with half of a surrogate pair, which no text can represent"
	}
	*p = string(text)
	return ""
}

func decodeInt[I int | int64 | int32 | int16 | int8](raw []byte, p *I) (reason string) {
	if !isNumber(raw) {
		return scan.Describe(raw)
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil || int64(I(n)) != n {
		return otherNumber(raw)
	}
	*p = I(n)
	return ""
}

func decodeUint[U uint | uint64 | uint32 | uint16 | uint8](raw []byte, p *U) (reason string) {
	if !isNumber(raw) {
		return scan.Describe(raw)
	}
	n, err := strconv.ParseUint(string(raw), 10, 64)
	if err != nil || uint64(U(n)) != n {
		return otherNumber(raw)
	}
	*p = U(n)
	return ""
}

// otherNumber says why a number is not an integer of some type.
func otherNumber(raw []byte) string {
	for _, c := range raw {
		if c != '-' && c-'0' > 9 {
			return "a number with a fraction or an exponent"
		}
	}
	return "a number out of range"
}

func decodeFloat(raw []byte, bits int, set func(float64)) (reason string) {
	if !isNumber(raw) {
		return scan.Describe(raw)
	}
	f, err := strconv.ParseFloat(string(raw), bits)
	if err != nil {
		return "a number out of range"
	}
	set(f)
	return ""
}

// decode reads a JSON value into *target by encoding/json. The cause may quote the value, the reason does not.
func decode[T any](raw []byte, target *T) (reason string, cause error) {
	if raw[0] == 'n' && !takesNull(target) {
		return scan.Describe(raw), nil
	}
	if err := json.Unmarshal(raw, target); err != nil {
		return scan.Describe(raw) + " that it cannot hold", err
	}
	return "", nil
}

// takesNull says whether null is a value of the type. For other types encoding/json would take it for a zero value.
func takesNull[T any](target *T) bool {
	switch reflect.TypeFor[T]().Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice, reflect.Interface:
		return true
	}
	_, ok := any(target).(json.Unmarshaler)
	return ok
}

// encode writes a value as object.Encode does, without reflection for the basic types.
func encode(name string, v any) (json.RawMessage, error) {
	switch v := v.(type) {
	case bool:
		return strconv.AppendBool(nil, v), nil
	case int:
		return strconv.AppendInt(nil, int64(v), 10), nil
	case int64:
		return strconv.AppendInt(nil, v, 10), nil
	case int32:
		return strconv.AppendInt(nil, int64(v), 10), nil
	case int16:
		return strconv.AppendInt(nil, int64(v), 10), nil
	case int8:
		return strconv.AppendInt(nil, int64(v), 10), nil
	case uint:
		return strconv.AppendUint(nil, uint64(v), 10), nil
	case uint64:
		return strconv.AppendUint(nil, v, 10), nil
	case uint32:
		return strconv.AppendUint(nil, uint64(v), 10), nil
	case uint16:
		return strconv.AppendUint(nil, uint64(v), 10), nil
	case uint8:
		return strconv.AppendUint(nil, uint64(v), 10), nil
	case float64:
		if text, ok := encodeFloat(v, 64); ok {
			return text, nil
		}
	case float32:
		if text, ok := encodeFloat(float64(v), 32); ok {
			return text, nil
		}
	}
	return object.Encode(name, v) // strings and RawMessages too
}

// encodeFloat writes a number as encoding/json does where that needs no exponent, and gives false for all others.
func encodeFloat(f float64, bits int) (json.RawMessage, bool) {
	const least, most = 1e-6, 1e21
	if abs := math.Abs(f); f != 0 && !(abs > least && abs < most) {
		return nil, false
	}
	return strconv.AppendFloat(nil, f, 'f', -1, bits), true
}
