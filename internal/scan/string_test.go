package scan_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/arcp-go/arcp/internal/scan"
)

// TestUTF8 puts every sequence of up to four bytes that can make a difference to a decoder at places near the ends of words.
func TestUTF8(t *testing.T) {
	// The bytes at the edges of the ranges that RFC 3629 tells apart.
	edges := []byte{0x00, 0x22, 0x41, 0x5c, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xf7, 0xf8, 0xff}
	var sequences [][]byte
	for _, a := range edges[5:] {
		for _, b := range edges {
			sequences = append(sequences, []byte{a, b})
			for _, c := range edges {
				sequences = append(sequences, []byte{a, b, c}, []byte{a, b, c, 0x80}, []byte{a, b, c, 0xbf}, []byte{a, b, c, 0xc0}, []byte{a, b, c, 0x7f})
			}
		}
	}
	for _, sequence := range sequences {
		text := harmless(string(sequence))
		for _, lead := range []string{"", "é", "1234567", strings.Repeat("x", 29)} {
			for _, trail := range []string{"", "abc", strings.Repeat("€", 12)} {
				inside := lead + text + trail
				end, escaped, err := scan.String([]byte(`"`+inside+`"`), 0)
				if valid := utf8.ValidString(inside); (err == nil) != valid || err == nil && (end != len(inside)+2 || escaped) {
					t.Fatalf("%q: %d, %v, want valid %v", inside, end, err, valid)
				}
				if err != nil && (err.Offset < 1+len(lead) || err.Offset > 1+len(lead)+len(text)) {
					t.Fatalf("%q: %v", inside, err)
				}
			}
		}
	}
}

func FuzzUTF8(f *testing.F) {
	for _, text := range []string{"é", "€€€", "😀", "aé€😀z", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe0\x80\x80", "\xc1\xbf", "€\xe2\x82"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = harmless(text)
		end, escaped, err := scan.String([]byte(`"`+text+`"`), 0)
		if (err == nil) != utf8.ValidString(text) || err == nil && (end != len(text)+2 || escaped) {
			t.Fatalf("%q: %d, %v", text, end, err)
		}
	})
}

// harmless puts a space in the place of every byte that a string cannot hold as it is, UTF-8 or not.
func harmless(text string) string {
	bytes := []byte(text)
	for i, c := range bytes {
		if c < ' ' || c == '"' || c == '\\' {
			bytes[i] = ' '
		}
	}
	return string(bytes)
}

// strings as written, with their text; ok is false where no text can represent them.
var quotedStrings = []struct {
	quoted, text string
	ok           bool
}{
	{`""`, "", true},
	{`"plain"`, "plain", true},
	{`"é😀"`, "é😀", true},
	{`"\"\\\/\b\f\n\r\t"`, "\"\\/\b\f\n\r\t", true},
	{`"\u0000\u00e9\u20AC\uFFFF"`, "\x00é€\uffff", true},
	{`"a\ud83d\ude00b"`, "a😀b", true},
	{`"\ud800\udc00\uDBFF\uDFFF"`, "\U00010000\U0010ffff", true},
	{`"\\ud83d"`, `\ud83d`, true},
	{`"\ud7ff\ue000"`, "\ud7ff\ue000", true},
	{`"\ud83d"`, "", false},
	{`"\ude00"`, "", false},
	{`"\ude00\ud83d"`, "", false},
	{`"\ud83d\ud83d\ude00"`, "", false},
	{`"\ud83d\u0041"`, "", false},
	{`"\ud83d\n"`, "", false},
	{`"\ud83dx\ude00"`, "", false},
	{`"\ud83d\\ude00"`, "", false},
	{`"\n\ud83d"`, "", false},
}

func TestStrings(t *testing.T) {
	for _, row := range quotedStrings {
		checkString(t, row.quoted)
		got, ok := scan.AppendUnquoted([]byte("dst"), []byte(row.quoted))
		if ok != row.ok || string(got) != "dst"+row.text {
			t.Errorf("AppendUnquoted(%s) gives %q, %v", row.quoted, got, ok)
		}
	}
}

// checkString compares everything that is said about a valid string with encoding/json.
func checkString(t *testing.T, quoted string) {
	t.Helper()
	end, escaped, err := scan.String([]byte(quoted+`"`), 0)
	if err != nil || end != len(quoted) || escaped != strings.Contains(quoted, `\`) {
		t.Fatalf("String(%s): %d, %v, %v", quoted, end, escaped, err)
	}
	var want string
	if err := json.Unmarshal([]byte(quoted), &want); err != nil {
		t.Fatal(err)
	}
	// encoding/json puts U+FFFD for what cannot be represented, so there is one more than the source has.
	replaced := strings.Count(want, "\ufffd") != strings.Count(quoted, "\ufffd")+strings.Count(strings.ToLower(strings.ReplaceAll(quoted, `\\`, ``)), `\ufffd`)
	got, ok := scan.AppendUnquoted(nil, []byte(quoted))
	if ok == replaced || ok != scan.Representable([]byte(quoted)) {
		t.Fatalf("AppendUnquoted(%s) says %v, Representable %v", quoted, ok, scan.Representable([]byte(quoted)))
	}
	if !ok {
		if len(got) != 0 {
			t.Fatalf("AppendUnquoted(%s) leaves %q behind", quoted, got)
		}
		return
	}
	var text []byte
	scan.EachByte([]byte(quoted), func(c byte) { text = append(text, c) })
	if string(got) != want || string(text) != want || scan.Text([]byte(quoted)) != want {
		t.Fatalf("%s: AppendUnquoted gives %q, EachByte %q, Text %q, want %q", quoted, got, text, scan.Text([]byte(quoted)), want)
	}
	again := scan.AppendQuoted([]byte("dst"), want)
	if string(scan.AppendQuoted([]byte("dst"), []byte(want))) != string(again) {
		t.Fatalf("AppendQuoted of a string and of bytes differ")
	}
	again = again[3:]
	if !scan.EqualText([]byte(quoted), want) || !scan.EqualText([]byte(quoted), []byte(want)) || !scan.EqualQuoted([]byte(quoted), again) || !scan.EqualQuoted(again, []byte(quoted)) {
		t.Fatalf("%s is not equal to its text", quoted)
	}
	var back string
	if err := json.Unmarshal(again, &back); err != nil || back != want || !utf8.Valid(again) {
		t.Fatalf("AppendQuoted(%q) gives %s: %v", want, again, err)
	}
	for _, other := range []string{want + "x", "x" + want, want + "\x00", strings.TrimSuffix(want, "b"), strings.Replace(want, "é", "e", 1)} {
		if other == want {
			continue
		}
		if scan.EqualText([]byte(quoted), other) || scan.EqualQuoted([]byte(quoted), scan.AppendQuoted(nil, other)) || scan.EqualQuoted(scan.AppendQuoted(nil, other), []byte(quoted)) {
			t.Fatalf("%s equals %q", quoted, other)
		}
	}
}

func TestAppendQuotedEscapesNoMoreThanItMust(t *testing.T) {
	for r := range rune(0x3000) {
		if r >= 0xd800 {
			break
		}
		got := string(scan.AppendQuoted(nil, string(r)))
		want := `"` + string(r) + `"`
		switch {
		case r == '"' || r == '\\':
			want = `"\` + string(r) + `"`
		case r < ' ':
			want = map[rune]string{'\b': `"\b"`, '\f': `"\f"`, '\n': `"\n"`, '\r': `"\r"`, '\t': `"\t"`}[r]
			if want == "" {
				want = fmt.Sprintf(`"\u%04x"`, r)
			}
		}
		if got != want {
			t.Fatalf("AppendQuoted(%U) gives %s, want %s", r, got, want)
		}
	}
}

func FuzzString(f *testing.F) {
	for _, row := range quotedStrings {
		f.Add(row.quoted[1:len(row.quoted)-1], "b")
	}
	f.Fuzz(func(t *testing.T, inside, other string) {
		quoted := `"` + inside + `"`
		var text string
		if json.Unmarshal([]byte(quoted), &text) != nil || !utf8.ValidString(inside) {
			return
		}
		checkString(t, quoted)
		if !utf8.ValidString(other) || !scan.Representable([]byte(quoted)) {
			return
		}
		written := scan.AppendQuoted(nil, other)
		checkString(t, string(written))
		if scan.EqualText([]byte(quoted), other) != (text == other) || scan.EqualQuoted([]byte(quoted), written) != (text == other) {
			t.Fatalf("%s and %q: EqualText %v, EqualQuoted %v", quoted, other, scan.EqualText([]byte(quoted), other), scan.EqualQuoted([]byte(quoted), written))
		}
	})
}

func TestClip(t *testing.T) {
	rows := []struct{ name, want string }{
		{"", ""},
		{strings.Repeat("a", scan.NameLimit), strings.Repeat("a", scan.NameLimit)},
		{strings.Repeat("a", 65), strings.Repeat("a", 64) + "… (65 bytes)"},
		{strings.Repeat("a", 63) + "é", strings.Repeat("a", 63) + "… (65 bytes)"},
		{strings.Repeat("a", 62) + "😀", strings.Repeat("a", 62) + "… (66 bytes)"},
		{strings.Repeat("\x80", 70), "… (70 bytes)"},
	}
	for _, row := range rows {
		if got := scan.Clip(row.name); got != row.want {
			t.Errorf("Clip(%q) gives %q, want %q", row.name, got, row.want)
		}
		if got := scan.Clip([]byte(row.name)); got != row.want {
			t.Errorf("Clip of bytes gives %q, want %q", got, row.want)
		}
	}
}

func TestDescribe(t *testing.T) {
	for value, want := range map[string]string{"": "nothing", `""`: "a string", `{}`: "an object", `[]`: "an array", `true`: "a boolean",
		`false`: "a boolean", `null`: "null", `-1`: "a number", `0`: "a number"} {
		if got := scan.Describe([]byte(value)); got != want {
			t.Errorf("Describe(%s) gives %s, want %s", value, got, want)
		}
	}
}

func TestSpace(t *testing.T) {
	const text = " \t\r\n\f "
	for i, want := range map[int]int{0: 4, 3: 4, 4: 4, 5: 6, 6: 6} {
		if got := scan.Space([]byte(text), i); got != want {
			t.Errorf("Space from %d gives %d, want %d", i, got, want)
		}
	}
}

func TestScanningAllocatesNothing(t *testing.T) {
	text := []byte(`{"a":[1,"two",{"é\n":"` + strings.Repeat("x", 500) + `"}],"b":` + strings.Repeat("[", 900) + strings.Repeat("]", 900) + `}`)
	n := testing.AllocsPerRun(20, func() {
		if _, _, err := scan.Only(text, 1000); err != nil {
			t.Fatal(err)
		}
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}
