package object_test

import (
	"testing"

	"github.com/arcp-go/arcp/internal/object"
)

func TestEach(t *testing.T) {
	for _, row := range []struct {
		rule, text string
		names      string // as written, one after the other
		closing    int
		ok         bool
	}{
		{"empty", `{}`, "", 1, true},
		{"white space", " {\n} ", "", 3, true},
		{"each of two with one name", `{"a":1, "\u0061" : [2]}`, `"a""\u0061"`, 22, true},
		{"a name that no text can represent", `{"\ud800":1,"b":{"c":3}}`, `"\ud800""b"`, 23, true},
		{"no object", `[{"a":1}]`, "", 0, false},
		{"not valid", `{"a":1,}`, "", 0, false},
		{"more than one value", `{"a":1} 2`, "", 0, false},
		{"nothing", ``, "", 0, false},
	} {
		names := ""
		closing, ok := object.Each([]byte(row.text), func(m *object.Member) { names += string(m.Quoted([]byte(row.text))) })
		if names != row.names || closing != row.closing || ok != row.ok {
			t.Errorf("%s: got %s, %d, %t", row.rule, names, closing, ok)
		}
	}
}

func TestANameThatNoTextRepresentsIsNone(t *testing.T) {
	text := []byte(`{"\ud800":1}`)
	object.Each(text, func(m *object.Member) {
		for _, name := range []string{"\ufffd", "\xed\xa0\x80", "", m.Text(text)} {
			if m.Is(text, name) {
				t.Errorf("it is %q", name)
			}
		}
	})
}
