package envelopetest

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// report returns what TestForward says about one case when the codec returns this.
func report(t *testing.T, name string, c codec, opts ...Option) string {
	t.Helper()
	var others []string
	for _, f := range Fixtures() {
		if f.Name != name {
			others = append(others, f.Name)
		}
	}
	r := &recorder{TB: t}
	TestForward(r, c, append(opts, Without(others...))...)
	// go-cmp puts no-break spaces into its output, so that nobody compares it as a whole.
	return strings.ReplaceAll(strings.Join(r.errors, "\n"), "\u00a0", " ")
}

func replacing(old, new string) codec {
	return func(data []byte) ([]byte, error) {
		return bytes.ReplaceAll(data, []byte(old), []byte(new)), nil
	}
}

// TestReports: a report names the case and the rule and shows what was lost, and
// quotes no string that did not come from the fixture.
func TestReports(t *testing.T) {
	tests := []struct {
		name  string
		on    string
		codec codec
		opts  []Option
		want  []string
		never string
	}{
		{name: "a number", on: "number-one-point-zero", codec: replacing("1.0", "1"),
			want: []string{"number-one-point-zero: a number keeps its text (RFC 8259 §6)", "-what was sent, +what came back", "- \t\"payload.n = 1.0\",", "+ \t\"payload.n = 1\","}},
		{name: "a number, as JSON", on: "number-1e400", codec: replacing("1e400", "1E400"), opts: []Option{EqualAsJSON()},
			want: []string{"- \t\"payload.n = 1e400\",", "+ \t\"payload.n = 1E400\","}},
		{name: "a lost field", on: "form-top-level", codec: replacing(`,"x-vendor.acme.priority":"high"`, ""),
			want: []string{"- \t`\"x-vendor.acme.priority\" = \"high\"`,"}},
		{name: "a field that was added", on: "form-plain", codec: replacing(`{"arcp"`, `{"authorization":"Bearer s3cr3t","arcp"`),
			want: []string{`authorization = a string of 13 bytes that is not in the case`}, never: "s3cr3t"},
		{name: "a number that was added", on: "form-plain", codec: replacing(`{"arcp"`, `{"n":`+strings.Repeat("9", 70)+`,"arcp"`),
			want: []string{"n = a number of 70 bytes that is not in the case"}, never: "999"},
		{name: "a replaced surrogate", on: "surrogate-high-in-payload", codec: replacing(`\ud83d`, "\uFFFD"),
			want: []string{`payload.text = "cut \ud83d"`, "payload.text = a string of 7 bytes that is not in the case and holds U+FFFD"}},
		{name: "other escapes", on: "string-unneeded-escapes", codec: replacing(`\u0041\u0062\u0020`, "Ab "),
			want: []string{`s = "\u0041\u0062\u0020"`, `s = "Ab "`}},
		{name: "white space", on: "space-everywhere", codec: replacing(` : [ 1 ,`, `:[ 1 ,`),
			want: []string{"every value is there", "bytes became", "the first difference is at byte"}},
		{name: "no JSON", on: "form-plain", codec: replacing(`{"arcp"`, `{`),
			want: []string{"what came back, 88 bytes, is no message: invalid character ':'"}},
		{name: "invalid UTF-8", on: "form-plain", codec: replacing("echo", "\xff"),
			want: []string{"is no message: invalid UTF-8"}},
		{name: "nothing", on: "form-plain", codec: func([]byte) ([]byte, error) { return nil, nil },
			want: []string{"what came back, 0 bytes, is no message"}},
		{name: "refused", on: "seq-zero", codec: func([]byte) ([]byte, error) { return nil, errors.New("no such number") },
			want: []string{"seq-zero: event_seq is", "a message of", "was refused: no such number"}},
		{name: "passed on", on: "duplicate-type", codec: replacing("x", "y"),
			want: []string{"duplicate-type: a name may stand only once", "a message of 55 bytes was to be refused, and 55 bytes were passed on"}},
		{name: "a panic", on: "payload-number", codec: func([]byte) ([]byte, error) { panic("index out of range") },
			want: []string{"it panicked: index out of range", "report_test.go"}},
		{name: "a thousand fields", on: "members-1024", codec: func([]byte) ([]byte, error) { return []byte("{}"), nil },
			want: []string{"m0 = 0", "lines more"}},
		{name: "a long value", on: "size-long-core-string", codec: replacing("iiii", "i"),
			want: []string{"… (5002 bytes)", "id = a string of 1250 bytes that is not in the case"}},
		{name: "a deep value", on: "depth-1000-objects", codec: replacing("{}}", "1}"),
			want: []string{"…", ".a = {}", ".a = 1"}},
		{name: "a strange name", on: "name-any-newline", codec: replacing(`"v"`, `null`),
			want: []string{`"\n" = "v"`, `"\n" = null`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := report(t, tt.on, tt.codec, tt.opts...)
			for _, want := range tt.want {
				if !strings.Contains(got, want) {
					t.Errorf("the report lacks %q", want)
				}
			}
			if tt.never != "" && strings.Contains(got, tt.never) {
				t.Errorf("the report holds %q", tt.never)
			}
			if t.Failed() {
				t.Log(got)
			}
		})
	}
}

func TestWithout(t *testing.T) {
	r := &recorder{TB: t}
	TestForward(r, lossless, Without("seq-zero", "seq-nought"), Without(large()...))
	if len(r.errors) != 1 || !strings.Contains(r.errors[0], `no case "seq-nought"`) {
		t.Errorf("an unknown name: %q", r.errors)
	}
	if len(r.logs) != 1 || !strings.Contains(r.logs[0], "cases left out: seq-zero seq-nought size-") {
		t.Errorf("the log: %q", r.logs)
	}
}

// TestCanonical pins what EqualAsJSON takes to be the same.
func TestCanonical(t *testing.T) {
	tests := []struct {
		name, a, b string
		same       bool
	}{
		{"white space", `{"a":[1,2]}`, " {\n\"a\" : [ 1 , 2 ] } ", true},
		{"order of an object", `{"a":1,"b":2}`, `{"b":2,"a":1}`, true},
		{"order of an array", `[1,2]`, `[2,1]`, false},
		{"order of equal names", `{"a":1,"a":2}`, `{"a":2,"a":1}`, false},
		{"equal names among others", `{"b":0,"a":1,"a":2}`, `{"a":1,"b":0,"a":2}`, true},
		{"a name once", `{"a":1,"a":1}`, `{"a":1}`, false},
		{"escapes", `"\u00e9\/\u003c"`, `"é/<"`, true},
		{"escaped name", `{"\u0061":1}`, `{"a":1}`, true},
		{"escaped pair", `"\ud83d\ude00"`, `"😀"`, true},
		{"hexadecimal case", `"\uD83D"`, `"\ud83d"`, true},
		{"surrogate and replacement", `"\ud83d"`, `"\ufffd"`, false},
		{"two surrogates", `"\ud83d"`, `"\ud83e"`, false},
		{"surrogates reversed", `"\ude00\ud83d"`, `"\ud83d\ude00"`, false},
		{"fraction", `1.0`, `1`, false},
		{"exponent", `1E+2`, `1e2`, false},
		{"sign of zero", `-0`, `0`, false},
		{"string and number", `"1"`, `1`, false},
		{"string and literal", `"null"`, `null`, false},
		{"null and absent", `{"a":null}`, `{}`, false},
		{"empty object and array", `{}`, `[]`, false},
		{"name and value", `{"a":"b"}`, `["a","b"]`, false},
		{"quotes in a string", `["a\",\"b"]`, `["a","b"]`, false},
	}
	for _, tt := range tests {
		a, errA := parse([]byte(tt.a))
		b, errB := parse([]byte(tt.b))
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		if got := canonical(a) == canonical(b); got != tt.same {
			t.Errorf("%s: %s and %s: same is %t", tt.name, tt.a, tt.b, got)
		}
	}
}
