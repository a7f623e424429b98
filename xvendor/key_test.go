package xvendor_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/arcp-go/arcp/xvendor"
)

const name = "x-vendor.acme.priority"

type fields = map[string]json.RawMessage

type thumbnail struct {
	URL   string `json:"url"`
	Width int    `json:"width"`
}

// level decodes itself, null included.
type level int

func (l *level) UnmarshalJSON(data []byte) error {
	switch string(data) {
	case `"high"`, "null":
		*l = 2
		return nil
	}
	return errors.New("unknown level " + string(data))
}

func TestNewKey(t *testing.T) {
	for _, test := range badNames {
		if _, err := xvendor.NewKey[int](test.name); !errors.Is(err, test.is) {
			t.Errorf("%s: NewKey(%q) = %v, want %v", test.rule, test.name, err, test.is)
		}
	}
	for _, test := range goodNames {
		key, err := xvendor.NewKey[int](test.name)
		if err != nil || key.Name().String() != test.name {
			t.Errorf("%s: NewKey(%q) = %v, %v", test.rule, test.name, key.Name(), err)
		}
	}
	defer func() {
		if err, ok := recover().(error); !ok || !errors.Is(err, xvendor.ErrReserved) {
			t.Errorf("MustKey of a reserved name panicked with %v", err)
		}
	}()
	xvendor.MustKey[string]("x-vendor.arcp.priority")
}

// row is a value of T with its text; rows run in both directions.
func row[T any](t *testing.T, text string, value T) {
	t.Helper()
	t.Run(text, func(t *testing.T) {
		t.Helper()
		key := xvendor.MustKey[T](name)
		var ext fields
		if err := key.Set(&ext, value); err != nil {
			t.Fatal(err)
		}
		if got := string(ext[name]); got != text {
			t.Errorf("Set wrote %s, want %s", got, text)
		}
		got, ok, err := key.Get(fields{name: json.RawMessage(" " + text + "\n")})
		if diff := cmp.Diff(value, got); diff != "" || !ok || err != nil {
			t.Errorf("Get gave %v, %v and a difference (-want +got):\n%s", ok, err, diff)
		}
	})
}

func TestValuesBothWays(t *testing.T) {
	row(t, `"high"`, "high")
	row(t, `""`, "")
	row(t, `"<a href=\"x\">&amp;</a>"`, `<a href="x">&amp;</a>`)
	row(t, `"\u0000\n\\"`, "\x00\n\\")
	row(t, `"é\\u00e9 😀"`, `é\u00e9 😀`)
	row(t, "true", true)
	row(t, "false", false)
	row(t, "-9223372036854775808", int64(math.MinInt64))
	row(t, "18446744073709551615", uint64(math.MaxUint64))
	row(t, "-1", int(-1))
	row(t, "-2147483648", int32(math.MinInt32))
	row(t, "32767", int16(math.MaxInt16))
	row(t, "-128", int8(math.MinInt8))
	row(t, "7", uint(7))
	row(t, "4294967295", uint32(math.MaxUint32))
	row(t, "65535", uint16(math.MaxUint16))
	row(t, "255", uint8(math.MaxUint8))
	row(t, "0.1", 0.1)
	row(t, "0.1", float32(0.1))
	row(t, "1e+21", 1e21)
	row(t, "1e-7", 1e-7)
	row(t, "12345678901234567890.0000", json.Number("12345678901234567890.0000"))
	row(t, `{ "a" : [ 1.0, "<" ] }`, json.RawMessage(`{ "a" : [ 1.0, "<" ] }`))
	row(t, "null", json.RawMessage("null"))
	row(t, `{"url":"a?b=1&c=<2>","width":64}`, thumbnail{URL: "a?b=1&c=<2>", Width: 64})
	row(t, `[{"url":"","width":1},{"url":"","width":2}]`, []thumbnail{{Width: 1}, {Width: 2}})
	row(t, "null", (*thumbnail)(nil))
	row(t, `{"a":1}`, map[string]int{"a": 1})
	row(t, `"2026-05-13T19:42:13Z"`, time.Date(2026, 5, 13, 19, 42, 13, 0, time.UTC))
}

func TestFloatsAsEncodingJSON(t *testing.T) {
	for _, f := range []float64{0, math.Copysign(0, -1), 1, -1.5, 1e-6, 9.9e-7, 1e20, 123456789e12, 1e21, 1e-9, 5e-324, math.MaxFloat64, 1.0 / 3} {
		want, err := json.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		want32, err := json.Marshal(float32(f))
		if f != math.MaxFloat64 && err != nil {
			t.Fatal(err)
		}
		var ext fields
		if err := xvendor.MustKey[float64](name).Set(&ext, f); err != nil || !bytes.Equal(ext[name], want) {
			t.Errorf("Set(%v) wrote %s, %v, want %s", f, ext[name], err, want)
		}
		if err := xvendor.MustKey[float32](name).Set(&ext, float32(f)); want32 != nil && (err != nil || !bytes.Equal(ext[name], want32)) {
			t.Errorf("Set(float32(%v)) wrote %s, %v, want %s", f, ext[name], err, want32)
		}
	}
}

// refused checks that a value is there and undecodable, that the error tells key, wanted type and what was found, and that it
// quotes nothing of the value.
func refused[T any](t *testing.T, text, want, found string) {
	t.Helper()
	t.Run(want+" "+text, func(t *testing.T) {
		t.Helper()
		got, ok, err := xvendor.MustKey[T](name).Get(fields{name: json.RawMessage(text)})
		var zero T
		if diff := cmp.Diff(zero, got); diff != "" || !ok {
			t.Errorf("Get gave %v, present %v, want the zero value and present", got, ok)
		}
		var fault *xvendor.ValueError
		if !errors.As(err, &fault) || fault.Name != name {
			t.Fatalf("Get gave the error %v, want a *ValueError for %s", err, name)
		}
		if text := "vendor field " + strconv.Quote(name) + ": want " + want + ", got " + found; err.Error() != text {
			t.Errorf("error is  %q\nwant      %q", err, text)
		}
	})
}

func TestGetRefuses(t *testing.T) {
	refused[string](t, "7391", "string", "a number")
	refused[string](t, "null", "string", "null")
	refused[string](t, `["secret"]`, "string", "an array")
	refused[string](t, `"a\ud83d"`, "string", "a string with half of a surrogate pair, which no text can represent")
	refused[bool](t, `"true"`, "bool", "a string")
	refused[bool](t, "null", "bool", "null")
	refused[bool](t, "1", "bool", "a number")
	refused[int](t, `"7391"`, "int", "a string")
	refused[int](t, "null", "int", "null")
	refused[int](t, "1.0", "int", "a number with a fraction or an exponent")
	refused[int](t, "1e3", "int", "a number with a fraction or an exponent")
	refused[int](t, "9223372036854775808", "int", "a number out of range")
	refused[int64](t, "-9223372036854775809", "int64", "a number out of range")
	refused[int8](t, "128", "int8", "a number out of range")
	refused[uint8](t, "256", "uint8", "a number out of range")
	refused[uint](t, "-1", "uint", "a number out of range")
	refused[uint64](t, "true", "uint64", "a boolean")
	refused[uint64](t, "18446744073709551616", "uint64", "a number out of range")
	refused[float64](t, "1e400", "float64", "a number out of range")
	refused[float64](t, `{"secret":1}`, "float64", "an object")
	refused[float32](t, "1e39", "float32", "a number out of range")
	refused[json.Number](t, `"12"`, "json.Number", "a string")
	refused[thumbnail](t, `{"width":73911111111111111111}`, "xvendor_test.thumbnail", "an object that it cannot hold")
	refused[thumbnail](t, `"secret"`, "xvendor_test.thumbnail", "a string that it cannot hold")
	refused[thumbnail](t, "null", "xvendor_test.thumbnail", "null")
	refused[level](t, `"secret"`, "xvendor_test.level", "a string that it cannot hold")
	refused[time.Time](t, `"secret"`, "time.Time", "a string that it cannot hold")
	refused[time.Duration](t, "null", "time.Duration", "null")
}

func TestGetTakesNull(t *testing.T) {
	ext := fields{name: json.RawMessage("null")}
	if got, ok, err := xvendor.MustKey[level](name).Get(ext); got != 2 || !ok || err != nil {
		t.Errorf("a type that decodes itself: %v, %v, %v", got, ok, err)
	}
	if got, ok, err := xvendor.MustKey[any](name).Get(ext); got != nil || !ok || err != nil {
		t.Errorf("any: %v, %v, %v", got, ok, err)
	}
	if got, ok, err := xvendor.MustKey[[]int](name).Get(ext); got != nil || !ok || err != nil {
		t.Errorf("a slice: %v, %v, %v", got, ok, err)
	}
}

func TestGetCauseIsReachable(t *testing.T) {
	_, _, err := xvendor.MustKey[thumbnail](name).Get(fields{name: json.RawMessage(`{"url":7391}`)})
	var cause *json.UnmarshalTypeError
	if !errors.As(err, &cause) {
		t.Errorf("the cause of %v is not reachable", err)
	}
}

func TestGetInvalidJSON(t *testing.T) {
	for _, test := range []struct{ rule, value, reason string }{
		{"an empty value", "", "the value is empty, want a JSON value"},
		{"white space only", "  ", "byte 2 of the value: unexpected end of input, want a value"},
		{"two values", "1 2", "byte 2 of the value: want nothing after the value"},
	} {
		t.Run(test.rule, func(t *testing.T) {
			_, ok, err := xvendor.MustKey[json.RawMessage](name).Get(fields{name: json.RawMessage(test.value)})
			var fault *xvendor.ValueError
			if !errors.As(err, &fault) || fault.Reason != test.reason || !ok {
				t.Errorf("Get gave %v, %v, want the reason %q", ok, err, test.reason)
			}
		})
	}
}

func TestGetAbsent(t *testing.T) {
	for _, test := range []struct {
		rule string
		ext  fields
	}{
		{"a nil map", nil},
		{"other names", fields{"x-vendor.acme.other": json.RawMessage("1")}},
		{"the same name in another case", fields{"x-vendor.acme.Priority": json.RawMessage("1")}},
	} {
		t.Run(test.rule, func(t *testing.T) {
			if got, ok, err := xvendor.MustKey[string](name).Get(test.ext); got != "" || ok || err != nil {
				t.Errorf("Get gave %q, %v, %v", got, ok, err)
			}
		})
	}
}

func TestSetRefuses(t *testing.T) {
	for _, test := range []struct {
		rule   string
		set    func(*fields) error
		reason string
	}{
		{"a string that is not UTF-8", func(m *fields) error { return xvendor.MustKey[string](name).Set(m, "a\xff") }, "the string is not valid UTF-8"},
		{"a number that JSON has not", func(m *fields) error { return xvendor.MustKey[float64](name).Set(m, math.NaN()) }, "the value cannot be encoded as JSON"},
		{"infinity", func(m *fields) error { return xvendor.MustKey[float32](name).Set(m, float32(math.Inf(1))) }, "the value cannot be encoded as JSON"},
		{"a type that JSON has not", func(m *fields) error { return xvendor.MustKey[chan int](name).Set(m, nil) }, "the value cannot be encoded as JSON"},
		{"a raw value that is not JSON", func(m *fields) error {
			return xvendor.MustKey[json.RawMessage](name).Set(m, json.RawMessage("{secret"))
		}, "byte 1 of the value: want a field name in double quotes"},
		{"no raw value", func(m *fields) error { return xvendor.MustKey[json.RawMessage](name).Set(m, nil) }, "the value is empty, want a JSON value"},
	} {
		t.Run(test.rule, func(t *testing.T) {
			ext := fields{name: json.RawMessage("1")}
			err := test.set(&ext)
			var fault *xvendor.ValueError
			if !errors.As(err, &fault) || fault.Reason != test.reason {
				t.Errorf("Set gave %v, want the reason %q", err, test.reason)
			}
			if diff := cmp.Diff(fields{name: json.RawMessage("1")}, ext); diff != "" {
				t.Errorf("a failed Set changed the map (-want +got):\n%s", diff)
			}
		})
	}
}

func TestZeroKey(t *testing.T) {
	var key xvendor.Key[string]
	ext := fields{"": json.RawMessage(`"a field with the empty name"`)}
	if _, ok, err := key.Get(ext); ok || err != nil {
		t.Errorf("the zero Key found something: %v, %v", ok, err)
	}
	key.Delete(&ext)
	if err := key.Set(&ext, "x"); !errors.Is(err, xvendor.ErrMalformed) {
		t.Errorf("setting the zero Key gave %v", err)
	}
	if len(ext) != 1 || string(ext[""]) != `"a field with the empty name"` {
		t.Errorf("the zero Key changed the map: %v", ext)
	}
}

func TestRawValueIsTheCallersOwn(t *testing.T) {
	value := json.RawMessage(` {"a":1} `)
	var ext fields
	if err := xvendor.MustKey[json.RawMessage](name).Set(&ext, value); err != nil {
		t.Fatal(err)
	}
	copy(value, "overwritten")
	if got := string(ext[name]); got != `{"a":1}` {
		t.Errorf("the map holds %s", got)
	}
}

// The basic types cost what copying them costs.
func TestBasicTypesAreCheap(t *testing.T) {
	ext := fields{
		"x-vendor.acme.s": json.RawMessage(`"` + strings.Repeat("a", 100) + `"`),
		"x-vendor.acme.b": json.RawMessage("true"),
		"x-vendor.acme.n": json.RawMessage("1234567"),
		"x-vendor.acme.r": json.RawMessage(`{"a":[1,2,3]}`),
	}
	s, b, n, r := xvendor.MustKey[string]("x-vendor.acme.s"), xvendor.MustKey[bool]("x-vendor.acme.b"), xvendor.MustKey[int]("x-vendor.acme.n"), xvendor.MustKey[json.RawMessage]("x-vendor.acme.r")
	for _, test := range []struct {
		rule string
		most float64
		get  func() (bool, error)
	}{
		{"string", 3, func() (bool, error) { _, ok, err := s.Get(ext); return ok, err }},
		{"bool", 1, func() (bool, error) { _, ok, err := b.Get(ext); return ok, err }},
		{"int", 1, func() (bool, error) { _, ok, err := n.Get(ext); return ok, err }},
		{"json.RawMessage", 1, func() (bool, error) { _, ok, err := r.Get(ext); return ok, err }},
	} {
		t.Run(test.rule, func(t *testing.T) {
			got := testing.AllocsPerRun(100, func() {
				if ok, err := test.get(); !ok || err != nil {
					t.Fatal(ok, err)
				}
			})
			if got > test.most {
				t.Errorf("Get makes %v allocations, want at most %v", got, test.most)
			}
		})
	}
}
