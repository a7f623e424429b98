package scan_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/arcp-go/arcp/internal/scan"
)

// values are texts with one value each, valid or not, by the rule that they are about.
var values = []struct {
	rule, text string
	valid      bool
}{
	{"an object", `{"a":1,"b":[]}`, true},
	{"an array", `[1,"2",null,true,false,{}]`, true},
	{"nothing inside", `[{},[],""]`, true},
	{"white space everywhere", " \t\r\n[ 1 , { \"a\"\t:\n2 } ,\r[ ] , { } ] ", true},
	{"a comma inside of a string separates nothing", `["a,"x"b"]`, false},
	{"nor does one in an object", `{"a":"b,"x"c":1}`, false},
	{"a colon inside of a name is none behind it", `{"a:"x"b"}`, false},
	{"zero", `0`, true},
	{"minus zero", `-0`, true},
	{"the last digit alone", `9`, true},
	{"all parts of a number", `-12.034E+5`, true},
	{"an exponent in lower case", `1e-9`, true},
	{"the first and the last digit in each place", `[0.0,9.9,1.09e0,1.90E+9,-9e-0,90]`, true},
	{"a number of many digits", strings.Repeat("123", 1000) + "." + strings.Repeat("0", 1000) + "e" + strings.Repeat("9", 1000), true},
	{"a number and white space", "1 ", true},
	{"an empty string", `""`, true},
	{"every escape", `"\"\\\/\b\f\n\r\t\u00aF"`, true},
	{"half a surrogate pair", `"\ud83d"`, true},
	{"DEL and all above", "\"\x7f\u0080\u07ff\u0800\ud7ff\ue000\uffff\U00010000\U0010ffff\"", true},
	{"a string of each length up to five words", lengths(40), true},
	{"names too", `{"\u0061é\\":{"` + strings.Repeat("n", 100) + `":0}}`, true},
	{"one name twice inside", `{"a":1,"a":2}`, true},

	{"nothing", ``, false},
	{"white space", ` `, false},
	{"a minus", `-`, false},
	{"a minus and a letter", `-a`, false},
	{"a plus", `+1`, false},
	{"a leading zero", `00`, false},
	{"a leading zero behind a minus", `-01`, false},
	{"a dot in front", `.5`, false},
	{"a dot at the end", `5.`, false},
	{"an exponent without digits", `1e`, false},
	{"an exponent's sign without digits", `1e-`, false},
	{"the character before 0 behind a dot", `1./`, false},
	{"the character after 9 behind a dot", `1.:`, false},
	{"the character before 0 in an exponent", `1e/`, false},
	{"the character after 9 in an exponent", `1e:`, false},
	{"the character before 0 behind a minus", `-/`, false},
	{"the character after 9 behind a minus", `-:`, false},
	{"two dots", `1.2.3`, false},
	{"hexadecimal", `0x1`, false},
	{"Infinity", `Infinity`, false},
	{"capitals", `TRUE`, false},
	{"a literal cut off", `tru`, false},
	{"a literal and more", `nullx`, false},
	{"two values", `1 2`, false},
	{"a comma alone", `[,]`, false},
	{"a comma at the end", `[1,]`, false},
	{"a comma at the end of an object", `{"a":1,}`, false},
	{"no comma", `[1 2]`, false},
	{"no colon", `{"a" 1}`, false},
	{"an equals sign for a colon", `{"a"=1}`, false},
	{"a comma for a colon", `{"a",1}`, false},
	{"another letter for a colon", `{"a"x1}`, false},
	{"no value", `{"a":}`, false},
	{"no name", `{:1}`, false},
	{"a number for a name", `{1:1}`, false},
	{"open", `[`, false},
	{"open object", `{`, false},
	{"open after a name", `{"a"`, false},
	{"open after a colon", `{"a":`, false},
	{"open after a value", `{"a":1`, false},
	{"open after a comma", `[1,`, false},
	{"closed wrongly", `[1}`, false},
	{"closed wrongly inside", `{"a":[1}]`, false},
	{"closed too often", `[]]`, false},
	{"open string", `"a`, false},
	{"open string of a word", `"1234567`, false},
	{"open string after a backslash", `"a\`, false},
	{"open string in an escape", `"\u12`, false},
	{"an unknown escape", `"\a"`, false},
	{"an escape in capitals", `"\U0041"`, false},
	{"an escape with a bad digit", `"\u00g0"`, false},
	{"an escape with a bad digit between the ranges", `"\u00` + "`" + `0"`, false},
	{"a control character", "\"\x1f\"", false},
	{"a control character in a long string", `"` + strings.Repeat("a", 50) + "\x01" + strings.Repeat("a", 50) + `"`, false},
	{"single quotes", `'a'`, false},
	{"a byte order mark", "\ufeff1", false},
	{"invalid UTF-8", "\"\xff\"", false},
	{"invalid UTF-8 outside strings", "[1\xc2\xa0]", false},
	{"vertical tab", "[\v1]", false},
}

// lengths has a string of each length, and one of each length whose escape, and whose wide character, is the last.
func lengths(most int) string {
	var list []string
	for n := range most {
		text := strings.Repeat("x", n)
		list = append(list, `"`+text+`"`, `"`+text+`\n"`, `"`+text+`é"`, `"`+text+` !#[]~"`)
	}
	return "[" + strings.Join(list, ",") + "]"
}

// deepest counts the nesting of a text, valid as far as it goes, token by token.
func deepest(text []byte) int {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	depth, most := 0, 0
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) || err != nil {
			return most
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
			most = max(most, depth)
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
	}
}

// check compares Only with encoding/json, utf8.Valid and deepest.
func check(t *testing.T, text []byte, depth int) {
	t.Helper()
	nesting := deepest(text)
	valid := json.Valid(text) && utf8.Valid(text) && nesting <= depth
	start, end, err := scan.Only(text, depth)
	if (err == nil) != valid {
		t.Fatalf("Only(%q, %d): %v; its depth is %d, json.Valid says %v, utf8.Valid says %v", text, depth, err, nesting, json.Valid(text), utf8.Valid(text))
	}
	if err != nil {
		checkError(t, text, depth, err)
		return
	}
	if got, want := string(text[start:end]), strings.Trim(string(text), " \t\r\n"); got != want {
		t.Fatalf("Only(%q) finds %q", text, got)
	}
	if after, err := scan.Value(append(text[:end:end], "]}:x"...), start, depth); err != nil || after != end {
		t.Fatalf("Value(%q) with something after it: %d, %v, want %d", text, after, err, end)
	}
}

// checkError checks that everything before the offset can go on to be valid: that is where the fault is.
func checkError(t *testing.T, text []byte, depth int, err *scan.Error) {
	t.Helper()
	if err.Offset < 0 || err.Offset > len(text) || err.Reason == "" || err.Kind != scan.Syntax && err.Kind != scan.TooDeep {
		t.Fatalf("Only(%q): %#v", text, err)
	}
	if _, _, again := scan.Only(text[:err.Offset], depth); again != nil && again.Offset != err.Offset {
		t.Fatalf("Only(%q) says byte %d, but its part up to there is at fault at byte %d", text, err.Offset, again.Offset)
	}
}

func TestOnly(t *testing.T) {
	for _, row := range values {
		t.Run(row.rule, func(t *testing.T) {
			_, _, err := scan.Only([]byte(row.text), 10)
			if (err == nil) != row.valid {
				t.Errorf("Only(%q): %v", row.text, err)
			}
			check(t, []byte(row.text), 10)
			for _, around := range []string{`[%s]`, `{"a":%s}`, ` [[%s],%s]`, `{"a":{"b":[%s,{}]}}`} {
				check(t, []byte(strings.ReplaceAll(around, "%s", row.text)), 10)
			}
			for i := range min(len(row.text), 300) {
				check(t, []byte(row.text[:i]), 10)
			}
		})
	}
}

func TestErrorsTellThePlace(t *testing.T) {
	rows := []struct {
		text, want string
	}{
		{`[1,x]`, `byte 3: want a value`},
		{`[1`, `byte 2: unexpected end of input, want ',' or ']' after an element`},
		{`["a"`, `byte 4: unexpected end of input, want ',' or ']' after an element`},
		{`["a",`, `byte 5: unexpected end of input, want a value`},
		{`["a long string"`, `byte 16: unexpected end of input, want ',' or ']' after an element`},
		{`{"a":"b"`, `byte 8: unexpected end of input, want ',' or '}' after a field`},
		{`{"a":"b",`, `byte 9: unexpected end of input, want a field name in double quotes`},
		{`{"a":`, `byte 5: unexpected end of input, want a value`},
		{`["a",x]`, `byte 5: want a value`},
		{`{"a":"b",x}`, `byte 9: want a field name in double quotes`},
		{`{"a":"b","c";`, `byte 12: want ':' after a field name`},
		{"\"\ufffd", `byte 4: unexpected end of input in a string`},
		{`{"a":1;`, `byte 6: want ',' or '}' after a field`},
		{"[\"\n\"]", `byte 2: a control character in a string must be escaped`},
		{`["\q"]`, `byte 2: unknown escape in a string`},
		{`[[[]]]`, `byte 2: arrays and objects are nested too deep`},
		{`[] x`, `byte 3: want nothing after the value`},
		{"\ufeff{}", `byte 0: want a value, found a byte order mark`},
		{"\ufeff", `byte 0: want a value, found a byte order mark`},
		{`{"a" 1}`, `byte 5: want ':' after a field name`},
		{`{"a"`, `byte 4: unexpected end of input, want ':' after a field name`},
		{`{a":1}`, `byte 1: want a field name in double quotes`},
		{`01`, `byte 1: a number may not start with 0 and go on`},
		{`-`, `byte 1: unexpected end of input, want a digit`},
		{`1.x`, `byte 2: want a digit after the decimal point`},
		{`1e+`, `byte 3: unexpected end of input, want a digit in the exponent`},
	}
	for _, row := range rows {
		if _, _, err := scan.Only([]byte(row.text), 2); err == nil || err.Error() != row.want {
			t.Errorf("%q: %v, want %s", row.text, err, row.want)
		}
	}
	err := &scan.Error{Kind: scan.Type, Name: "a\n", Offset: -1, Reason: "r"}
	if got := err.Error(); got != `field "a\n": r` {
		t.Errorf("without a place: %s", got)
	}
}

func TestDepth(t *testing.T) {
	for _, n := range []int{1, 2, 63, 64, 65, 66, 127, 128, 129, 1000, 1023, 1024, 1025, 1100, 5000} {
		for _, kinds := range []string{"[", "{", "[{", "{[[", "[[[{{{{"} {
			var open, closing strings.Builder
			for i := range n {
				if kinds[i%len(kinds)] == '{' {
					open.WriteString(`{"":`)
				} else {
					open.WriteString(`[`)
				}
			}
			for i := n - 1; i >= 0; i-- {
				closing.WriteByte(kinds[i%len(kinds)] + 2)
			}
			text := []byte(open.String() + "0" + closing.String())
			if _, _, err := scan.Only(text, n); err != nil {
				t.Errorf("%s to depth %d, as allowed: %v", kinds, n, err)
			}
			if _, _, err := scan.Only(text, n-1); err == nil || err.Kind != scan.TooDeep {
				t.Errorf("%s to depth %d, one too deep: %v", kinds, n, err)
			}
			wrong := bytes.Clone(text)
			wrong[len(wrong)-1] ^= ']' ^ '}'
			if _, _, err := scan.Only(wrong, n); err == nil || err.Offset != len(text)-1 {
				t.Errorf("%s to depth %d, the last bracket wrong: %v", kinds, n, err)
			}
		}
	}
	if _, _, err := scan.Only([]byte(`[]`), 0); err == nil || err.Kind != scan.TooDeep {
		t.Errorf("depth 0: %v", err)
	}
	if _, _, err := scan.Only([]byte(`"a"`), 0); err != nil {
		t.Errorf("depth 0 without nesting: %v", err)
	}
}

func FuzzOnly(f *testing.F) {
	for _, row := range values {
		f.Add([]byte(row.text), uint8(5))
	}
	f.Fuzz(func(t *testing.T, text []byte, depth uint8) {
		check(t, text, int(depth))
	})
}

func ExampleOnly() {
	text := []byte(` {"a":[1,2]} `)
	start, end, _ := scan.Only(text, 2)
	fmt.Printf("%s\n", text[start:end])
	_, _, err := scan.Only(text, 1)
	fmt.Println(err)
	// Output:
	// {"a":[1,2]}
	// byte 6: arrays and objects are nested too deep
}
