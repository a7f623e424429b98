package object_test

import (
	"strings"
	"testing"

	"github.com/arcp-go/arcp/internal/object"
)

func TestSetPath(t *testing.T) {
	rows := []struct{ rule, value, path, want string }{
		{"a name", `{ "a" : 1 , "b":2}`, "b", `{ "a" : 1 , "b":7}`},
		{"a name with an escape in the text", `{"\u0061":1}`, "a", `{"\u0061":7}`},
		{"a new name", `{"a":1 }`, "b", `{"a":1 ,"b":7}`},
		{"a new name in nothing", `{ }`, "b", `{ "b":7}`},
		{"a dot, a star and a backslash in a name", `{}`, `a\.b\*\\`, `{"a.b*\\":7}`},
		{"an index", `[1, 2 ]`, "1", `[1, 7 ]`},
		{"an index at the end", `[1 ]`, "1", `[1 ,7]`},
		{"an index beyond the end", `[]`, "2", `[null,null,7]`},
		{"-1", `[ 1]`, "-1", `[ 1,7]`},
		{"digits as a name of an object", `{"0":1}`, "0", `{"0":7}`},
		{"a colon before digits makes a name", `{}`, "a.:1", `{"a":{"1":7}}`},
		{"missing steps", `{}`, "a.1.b.-1", `{"a":[null,{"b":[7]}]}`},
		{"steps that are there", `{"a":[{"b":[1]}]}`, "a.0.b.0", `{"a":[{"b":[7]}]}`},
	}
	for _, row := range rows {
		was := []byte(row.value)
		got, err := object.SetPath("f", was, row.path, []byte(`7`))
		if err != nil || string(got) != row.want || string(was) != row.value {
			t.Errorf("%s: %s, %v, want %s", row.rule, got, err, row.want)
		}
	}
}

func TestSetPathRefuses(t *testing.T) {
	rows := []struct{ value, path, want string }{
		{`{}`, "", "the path is empty, or a part of it is"},
		{`{}`, "a..b", "the path is empty, or a part of it is"},
		{`{}`, `a\`, "the path ends in a backslash"},
		{`{}`, "\xff", "the path is not valid UTF-8"},
		{`{}`, "a.#", "the path holds #, which is for queries; a backslash before it makes it part of a name"},
		{`{}`, "a.*", "the path holds *, which is for queries; a backslash before it makes it part of a name"},
		{`{}`, "a.?", "the path holds ?, which is for queries; a backslash before it makes it part of a name"},
		{`{}`, "a.|", "the path holds |, which is for queries; a backslash before it makes it part of a name"},
		{`{}`, "a.@", "the path holds @, which is for queries; a backslash before it makes it part of a name"},
		{`{"a":[5]}`, "a.0.b", "step 3 of the path: it leads into a number, want an object or an array"},
		{`[1]`, "a", "step 1 of the path: it leads into an array, want an index or -1"},
		{`{"a":1,"a":2}`, "b", "step 1 of the path: the name is there twice"},
		{`[]`, "100001", "step 1 of the path: the path has an index more than 100000 beyond the end of its array"},
		{`{}`, "a.100001", "the path has an index more than 100000 beyond the end of its array"},
	}
	for _, row := range rows {
		got, err := object.SetPath("f\n", []byte(row.value), row.path, []byte(`7`))
		if err == nil || got != nil || err.Error() != `field "f\n": `+row.want {
			t.Errorf("%s in %s: %s, %v", row.path, row.value, got, err)
		}
	}
	if _, err := object.SetPath("f", []byte(`[]`), "100000", []byte(`7`)); err != nil {
		t.Errorf("exactly the limit: %v", err)
	}
	deep := strings.Repeat("[", 5000) + strings.Repeat("]", 5000)
	if got, err := object.SetPath("f", []byte(deep), "-1", []byte(`7`)); err != nil || string(got) != deep[:len(deep)-1]+",7]" {
		t.Errorf("deep nesting: %v", err)
	}
}
