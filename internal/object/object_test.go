package object_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/arcp-go/arcp/internal/object"
	"github.com/arcp-go/arcp/internal/scan"
)

func TestMembers(t *testing.T) {
	text := []byte(" { \"a\" : 1 , \"\\u0062\\n\":\"\\n\",\"\": [ {} ] } ")
	members, err := object.Members(nil, text, object.Unlimited)
	if err != nil {
		t.Fatal(err)
	}
	want := []struct {
		quoted, text, raw   string
		nameEscaped, escape bool
	}{
		{`"a"`, "a", `1`, false, false},
		{`"\u0062\n"`, "b\n", `"\n"`, true, true},
		{`""`, "", `[ {} ]`, false, false},
	}
	if len(members) != len(want) {
		t.Fatalf("%d members", len(members))
	}
	for i, w := range want {
		m := members[i]
		raw := m.Raw(text)
		if string(m.Quoted(text)) != w.quoted || m.Text(text) != w.text || string(raw) != w.raw || cap(raw) != len(raw) || m.Escaped != w.nameEscaped || m.ValueEscaped != w.escape {
			t.Errorf("member %d: %s, %q, %s, %v, %v", i, m.Quoted(text), m.Text(text), raw, m.Escaped, m.ValueEscaped)
		}
		if !m.Is(text, w.text) || m.Is(text, w.text+"x") || m.Is(text, "x"+w.text) {
			t.Errorf("member %d: Is", i)
		}
		found, ok := object.Find(text, members, w.text)
		if !ok || found.Name != m.Name {
			t.Errorf("Find(%q): %v, %v", w.text, found, ok)
		}
	}
	if _, ok := object.Find(text, members, "absent"); ok {
		t.Error("an absent name is found")
	}
}

func TestErrorsSayWhatIsWanted(t *testing.T) {
	for text, want := range map[string]string{
		``:          "unexpected end of input, want a JSON object",
		`[]`:        "want a JSON object",
		"\ufeff{}":  "want a JSON object, found a byte order mark",
		`{`:         "unexpected end of input, want a field name in double quotes",
		`{1`:        "want a field name in double quotes",
		`{"a"`:      "unexpected end of input, want ':' after a field name",
		`{"a"=1}`:   "want ':' after a field name",
		`{"a":1`:    "unexpected end of input, want ',' or '}' after a field",
		`{"a":1;`:   "want ',' or '}' after a field",
		`{"a":1}{}`: "want nothing after the object",
	} {
		if _, err := object.Members(nil, []byte(text), object.Unlimited); err == nil || err.Reason != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// TestSkip goes over the names by itself, as a caller does that knows them.
func TestSkip(t *testing.T) {
	text := []byte(`{"a":1,"b":2,"c":3}`)
	c := object.Cursor{Limits: object.Limits{Depth: 1, Members: 2}}
	if err := c.Open(text); err != nil || c.First() != 0 {
		t.Fatalf("Open: %v, First: %d", err, c.First())
	}
	if first, second, third := c.Skip(), c.Skip(), c.Skip(); !first || !second || third || c.Count != 2 {
		t.Errorf("Skip: %v, %v, %v, and %d members", first, second, third, c.Count)
	}
	if _, more, err := c.Advance(text, 12); more || err == nil || err.Kind != scan.TooMany || err.Offset != 13 {
		t.Errorf("Advance: %v, %v, want %v", more, err, scan.TooMany)
	}
}

// TestDuplicateAmongMany has every kind of list and table that names are noted in, names of all lengths, and the second one
// with and without an escape.
func TestDuplicateAmongMany(t *testing.T) {
	for _, n := range []int{1, 2, 16, 17, 40, 600, 3000} {
		names := make([]string, n)
		text := []byte{'{'}
		for i := range names {
			names[i] = strings.Repeat("n", i%25) + strconv.Itoa(i)
			text = fmt.Appendf(text, `"%s":%d,`, names[i], i)
		}
		if _, err := object.Members(nil, fmt.Append(text[:len(text)-1:len(text)-1], "}"), object.Unlimited); err != nil {
			t.Fatalf("%d names: %v", n, err)
		}
		for i := 0; i < n; i += max(1, n/200) {
			escaped := fmt.Sprintf(`\u%04x`, names[i][0]) + names[i][1:]
			for _, again := range []string{names[i], escaped} {
				twice := fmt.Appendf(text[:len(text):len(text)], `"%s":0}`, again)
				_, err := object.Members(nil, twice, object.Unlimited)
				if err == nil || err.Kind != scan.Duplicate || err.Offset != len(text) {
					t.Fatalf("%s again after %d names: %v", again, n, err)
				}
			}
		}
	}
}

// TestDuplicateOfTwo has names enough for every bit of the filter before the list.
func TestDuplicateOfTwo(t *testing.T) {
	for i := range 3000 {
		text := fmt.Appendf(nil, `{"%[1]s":1,"%[1]s":2}`, strings.Repeat("x", i%25)+strconv.Itoa(i))
		if _, err := object.Members(nil, text, object.Unlimited); err == nil || err.Kind != scan.Duplicate {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestMembersAreAppended(t *testing.T) {
	first, err := object.Members(nil, []byte(`{"a":1}`), object.Unlimited)
	if err != nil {
		t.Fatal(err)
	}
	both, err := object.Members(first, []byte(`{"b":1}`), object.Unlimited)
	if err != nil || len(both) != 2 {
		t.Errorf("%v, %v", both, err)
	}
	if again, err := object.Members(first, []byte(`[]`), object.Unlimited); err == nil || len(again) != 1 || err.Kind != scan.Syntax {
		t.Errorf("%v, %v", again, err)
	}
}

func TestMembersRefuses(t *testing.T) {
	deep := object.Limits{Depth: 2, Members: 2}
	rows := []struct {
		rule, text string
		limits     object.Limits
		kind       scan.Kind
		name       string
		offset     int
	}{
		{"nothing", ``, object.Unlimited, scan.Syntax, "", 0},
		{"an array", `[]`, object.Unlimited, scan.Syntax, "", 0},
		{"white space", ` `, object.Unlimited, scan.Syntax, "", 1},
		{"open", `{`, object.Unlimited, scan.Syntax, "", 1},
		{"open and white space", `{ `, object.Unlimited, scan.Syntax, "", 2},
		{"no name", `{1:1}`, object.Unlimited, scan.Syntax, "", 1},
		{"open after a name", `{"a"`, object.Unlimited, scan.Syntax, "a", 4},
		{"open after a name and white space", `{"a" `, object.Unlimited, scan.Syntax, "a", 5},
		{"no colon", `{"a"=1}`, object.Unlimited, scan.Syntax, "a", 4},
		{"open after a colon", `{"a":`, object.Unlimited, scan.Syntax, "a", 5},
		{"open after a value", `{"a":1`, object.Unlimited, scan.Syntax, "", 6},
		{"open after a comma", `{"a":1,`, object.Unlimited, scan.Syntax, "", 7},
		{"no comma", `{"a":1 "b":1}`, object.Unlimited, scan.Syntax, "", 7},
		{"a comma at the end", `{"a":1,}`, object.Unlimited, scan.Syntax, "", 7},
		{"data after it", `{} 1`, object.Unlimited, scan.Syntax, "", 3},
		{"a value that is none", `{"a":x}`, object.Unlimited, scan.Syntax, "a", 5},
		{"a string that is none", `{"a":"x}`, object.Unlimited, scan.Syntax, "a", 8},
		{"a name twice", `{"a":1,"\u0061":1}`, object.Unlimited, scan.Duplicate, "a", 7},
		{"half a surrogate pair in a name", `{"\ud83d":1}`, object.Unlimited, scan.Syntax, "", 1},
		{"too deep", `{"a":[[]]}`, deep, scan.TooDeep, "a", 6},
		{"too deep from the start", `{}`, object.Limits{Depth: 0, Members: 1}, scan.TooDeep, "", 0},
		{"too many", `{"a":1,"b":2,"c":3}`, deep, scan.TooMany, "", 13},
	}
	for _, row := range rows {
		_, err := object.Members(nil, []byte(row.text), row.limits)
		if err == nil || err.Kind != row.kind || err.Name != row.name || err.Offset != row.offset {
			t.Errorf("%s: %v", row.rule, err)
		}
		dst := []byte("dst")
		if out, again := object.Set(dst, []byte(row.text), row.limits, "a", []byte(`1`)); again == nil || *again != *err || string(out) != "dst" {
			t.Errorf("%s: Set gives %q, %v", row.rule, out, again)
		}
		if out, again := object.Delete(dst, []byte(row.text), row.limits, "a"); again == nil || *again != *err || string(out) != "dst" {
			t.Errorf("%s: Delete gives %q, %v", row.rule, out, again)
		}
	}
}

// TestDuplicates finds one name twice wherever the two are, however many names there are and however they are written.
func TestDuplicates(t *testing.T) {
	escaped := func(name string) string { return fmt.Sprintf(`\u%04x%s`, name[0], name[1:]) }
	plain := func(name string) string { return name }
	spellings := map[string][2]func(string) string{
		"plain": {plain, plain}, "first escaped": {escaped, plain}, "second escaped": {plain, escaped}, "both escaped": {escaped, escaped},
	}
	for _, n := range []int{2, 3, 15, 16, 17, 18, 33, 64, 65, 200, 1024, 1025, 3000} {
		for spelling, write := range spellings {
			for _, pair := range [][2]int{{0, 1}, {0, n - 1}, {n - 2, n - 1}, {n / 2, n - 1}, {n / 3, n / 2}} {
				if pair[0] == pair[1] {
					continue
				}
				var names []string
				for i := range n {
					names = append(names, fmt.Sprintf("name%d", i))
				}
				distinct := `{"` + strings.Join(names, `":0,"`) + `":0}`
				if members, err := object.Members(nil, []byte(distinct), object.Unlimited); err != nil || len(members) != n {
					t.Fatalf("%d distinct names: %d, %v", n, len(members), err)
				}
				twice := names[pair[0]]
				names[pair[0]], names[pair[1]] = write[0](twice), write[1](twice)
				text := `{"` + strings.Join(names, `":0,"`) + `":0}`
				_, err := object.Members(nil, []byte(text), object.Unlimited)
				if err == nil || err.Kind != scan.Duplicate || err.Name != twice {
					t.Fatalf("%d names, %v the same, %s: %v", n, pair, spelling, err)
				}
			}
		}
	}
}

// TestNamesThatAreNearlyTheSame has names that differ in one place only, so that no filter or hash may take one for the other.
func TestNamesThatAreNearlyTheSame(t *testing.T) {
	for _, length := range []int{1, 2, 3, 7, 8, 9, 31, 32, 33, 64, 100} {
		var names []string
		for i := range length {
			for _, c := range "abc" {
				name := []byte(strings.Repeat("x", length))
				name[i] = byte(c)
				names = append(names, string(name))
			}
		}
		text := []byte(`{"` + strings.Join(names, `":0,"`) + `":0}`)
		members, err := object.Members(nil, text, object.Unlimited)
		if err != nil || len(members) != len(names) {
			t.Errorf("names of %d: %v", length, err)
		}
		for _, name := range names {
			if m, ok := object.Find(text, members, name); !ok || m.Text(text) != name {
				t.Errorf("%s is not found", name)
			}
		}
	}
}

func TestSetAndDelete(t *testing.T) {
	rows := []struct{ rule, text, name, value, set, deleted string }{
		{"in the middle", `{"a":1 , "b" : 2 , "c":3}`, "b", `[]`, `{"a":1 , "b" : [] , "c":3}`, `{"a":1  , "c":3}`},
		{"first", `{ "a":1 , "b":2}`, "a", `[]`, `{ "a":[] , "b":2}`, `{  "b":2}`},
		{"the only one", ` { "a":1 } `, "a", `[]`, ` { "a":[] } `, ` {  } `},
		{"escaped", `{"\u0061":1}`, "a", `[]`, `{"\u0061":[]}`, `{}`},
		{"absent", `{"a":1 }`, "b", `[]`, `{"a":1 ,"b":[]}`, `{"a":1 }`},
		{"absent from nothing", `{}`, "b", `[]`, `{"b":[]}`, `{}`},
	}
	for _, row := range rows {
		set, err := object.Set([]byte("dst"), []byte(row.text), object.Unlimited, row.name, []byte(row.value))
		if err != nil || string(set) != "dst"+row.set {
			t.Errorf("%s: Set gives %s, %v", row.rule, set, err)
		}
		deleted, err := object.Delete([]byte("dst"), []byte(row.text), object.Unlimited, row.name)
		if err != nil || string(deleted) != "dst"+row.deleted {
			t.Errorf("%s: Delete gives %s, %v", row.rule, deleted, err)
		}
	}
}

func TestSync(t *testing.T) {
	const source = ` { "a" : 1 , "x" : "X" , "b" : 2 } `
	members, err := object.Members(nil, []byte(source), object.Unlimited)
	if err != nil {
		t.Fatal(err)
	}
	keep, absent := object.Field{Keep: true}, object.Field{}
	value := func(text string) object.Field { return object.Field{Value: []byte(text)} }
	extra := func(pairs ...string) map[string]json.RawMessage {
		m := map[string]json.RawMessage{}
		for i := 0; i < len(pairs); i += 2 {
			m[pairs[i]] = json.RawMessage(pairs[i+1])
		}
		return m
	}
	rows := []struct {
		rule    string
		a, b, c object.Field
		extra   map[string]json.RawMessage
		want    string
	}{
		{"all kept", keep, keep, keep, extra("x", `"X"`), source},
		{"one changed", value(`9`), keep, keep, extra("x", `"X"`), ` { "a" : 9 , "x" : "X" , "b" : 2 } `},
		{"one removed", absent, keep, keep, extra("x", `"X"`), ` {  "x" : "X" , "b" : 2 } `},
		{"one new", keep, keep, value(`9`), extra("x", `"X"`), ` { "a" : 1 , "x" : "X" , "b" : 2 ,"c":9} `},
		{"extra removed", keep, keep, keep, nil, ` { "a" : 1  , "b" : 2 } `},
		{"extra changed and trimmed", keep, keep, keep, extra("x", " [] "), ` { "a" : 1 , "x" : [] , "b" : 2 } `},
		{"extra new, sorted, after the fields", keep, keep, value(`9`), extra("z", `1`, "x", `"X"`, "y", `2`), ` { "a" : 1 , "x" : "X" , "b" : 2 ,"c":9,"y":2,"z":1} `},
		{"all gone", absent, absent, absent, nil, ` {    } `},
	}
	for _, row := range rows {
		row.a.Name, row.b.Name, row.c.Name = "a", "b", "c"
		out, err := object.Sync([]byte("dst"), []byte(source), members, []object.Field{row.a, row.b, row.c}, row.extra)
		if err != nil || string(out) != "dst"+row.want {
			t.Errorf("%s: %s, %v", row.rule, out, err)
		}
	}
	built, err := object.Sync(nil, nil, nil, []object.Field{{Name: "b", Value: []byte(`1`)}, {Name: "a"}}, extra("z", ` 2 `))
	if err != nil || string(built) != `{"b":1,"z":2}` {
		t.Errorf("built: %s, %v", built, err)
	}
	for rule, bad := range map[string]map[string]json.RawMessage{
		"a known name": extra("a", `1`), "not JSON": extra("x", `x`), "new, not JSON": extra("y", `x`), "not UTF-8": extra("\xff", `1`), "empty": extra("x", ``),
	} {
		out, err := object.Sync([]byte("dst"), []byte(source), members, []object.Field{{Name: "a", Keep: true}, {Name: "b", Keep: true}}, bad)
		if err == nil || string(out) != "dst" || err.Offset != -1 || err.Name == "" {
			t.Errorf("%s: %s, %v", rule, out, err)
		}
	}
}

func TestEncode(t *testing.T) {
	value := json.RawMessage(" [ 1 ] ")
	got, err := object.Encode("n", value)
	if err != nil || string(got) != `[ 1 ]` {
		t.Errorf("%s, %v", got, err)
	}
	value[1] = 'x'
	if string(got) != `[ 1 ]` {
		t.Error("the result is not the caller's own")
	}
	if got, err := object.Encode("n", map[string]string{"k": "<"}); err != nil || string(got) != `{"k":"<"}` {
		t.Errorf("%s, %v", got, err)
	}
	if got, err := object.Encode("n", "\xff"); err == nil {
		t.Errorf("a string that is not UTF-8 becomes %s", got)
	}
	_, err = object.Encode("n", func() {})
	if _, ok := errors.AsType[*json.UnsupportedTypeError](err); !ok || !strings.Contains(err.Error(), `"n"`) {
		t.Errorf("got %v", err)
	}
}

// FuzzObject: Members, Set and Delete agree with encoding/json on what an object has, before and after.
func FuzzObject(f *testing.F) {
	for _, text := range []string{`{}`, ` { "a" : 1 , "\u0062" : [ ] } `, `{"a":{"a":1},"":"}"}`, `{"a":1,"a":2}`, `[1]`, `{"\ud83d":1}`, `{"é":"\ud83d","b":2}`} {
		f.Add([]byte(text), "a", []byte(`{"v":1}`))
		f.Add([]byte(text), "é\n\"", []byte(`null`))
	}
	f.Fuzz(func(t *testing.T, text []byte, name string, value []byte) {
		members, err := object.Members(nil, text, object.Limits{Depth: 100, Members: 100})
		if err != nil {
			return
		}
		was := asMap(t, text)
		if len(was) != len(members) {
			t.Fatalf("%q has %d members, encoding/json finds %d", text, len(members), len(was))
		}
		for _, m := range members {
			if got, ok := was[m.Text(text)]; !ok || !bytes.Equal(got, m.Raw(text)) {
				t.Fatalf("%q: %s is %q, encoding/json says %q", text, m.Quoted(text), m.Raw(text), got)
			}
		}
		trimmed, err := object.Checked("v", value)
		if err != nil || !utf8.ValidString(name) {
			return
		}
		set, err := object.Set(nil, text, object.Unlimited, name, trimmed)
		if err != nil {
			t.Fatal(err)
		}
		deleted, err := object.Delete(nil, set, object.Unlimited, name)
		if err != nil {
			t.Fatal(err)
		}
		without := asMap(t, deleted)
		if _, ok := without[name]; ok {
			t.Fatalf("%q is still in %q", name, deleted)
		}
		_, there := was[name]
		if !there && !bytes.Equal(deleted, text) {
			t.Fatalf("%q set and deleted makes %q of %q", name, deleted, text)
		}
		delete(was, name)
		compare(t, was, without)
		was[name] = json.RawMessage(trimmed)
		compare(t, was, asMap(t, set))
	})
}

func asMap(t *testing.T, text []byte) map[string]json.RawMessage {
	t.Helper()
	var m map[string]json.RawMessage
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return m
}

func compare(t *testing.T, want, got map[string]json.RawMessage) {
	t.Helper()
	if len(want) != len(got) {
		t.Fatalf("got %s, want %s", got, want)
	}
	for name, value := range want {
		if !bytes.Equal(got[name], value) {
			t.Fatalf("%q is %s, want %s", name, got[name], value)
		}
	}
}
