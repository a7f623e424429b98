package envelope_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/tidwall/sjson"

	"github.com/arcp-go/arcp/envelope"
)

// FuzzEditExtension: where EditExtension succeeds, its result means what sjson's does, and every byte around the edit is the one
// that was there; where it fails, nothing has changed.
func FuzzEditExtension(f *testing.F) {
	for _, row := range pathEdits {
		f.Add([]byte(row.value), row.path, []byte(`"new"`), "")
	}
	for _, text := range append(seedChoices, "\x01\x02\x03\x04\x05\x06\x07\x08", "\x02\x05\x01\x02\x01\x00\x03\x00\x04\x02\x01\x00\x00\x05") {
		f.Add([]byte{}, "", []byte(`1`), text+"\x01")
	}
	f.Fuzz(func(t *testing.T, value []byte, path string, leaf []byte, generate string) {
		if generate != "" {
			c := choices{generate}
			value, path = []byte(c.tree(4)), c.path()
		}
		if len(path) > 1000 {
			return
		}
		e := &envelope.Envelope{Extensions: map[string]json.RawMessage{"x": value}}
		before := bytes.Clone(value)
		err := e.EditExtension("x", path, json.RawMessage(leaf))
		if !bytes.Equal(value, before) {
			t.Fatalf("EditExtension wrote into the value: %q", value)
		}
		if err != nil {
			if string(e.Extensions["x"]) != string(before) || strings.Contains(err.Error(), "\n") {
				t.Fatalf("after %v the extension is %q", err, e.Extensions["x"])
			}
			fault(t, err)
			return
		}
		got := e.Extensions["x"]
		trimmed, newLeaf := bytes.Trim(before, " \t\r\n"), bytes.Trim(leaf, " \t\r\n")
		checkBytes(t, trimmed, got, newLeaf, path)
		checkSjson(t, trimmed, got, newLeaf, path)
	})
}

// checkBytes compares with an oracle that knows paths of plain names and indexes.
func checkBytes(t *testing.T, was, got, leaf []byte, path string) {
	t.Helper()
	if !json.Valid(got) {
		t.Fatalf("EditExtension(%q, %q) gives %q", was, path, got)
	}
	if strings.ContainsAny(path, `\\:`) {
		return
	}
	if want := edited(string(was), strings.Split(path, "."), string(leaf)); string(got) != want {
		t.Fatalf("EditExtension(%q, %q, %q)\n got %s\nwant %s", was, path, leaf, got, want)
	}
}

// edited is the oracle: every byte but those of the one value, or of what is put in, comes from was.
func edited(was string, path []string, leaf string) string {
	if len(path) == 0 {
		return leaf
	}
	list := children(was)
	for i, m := range list {
		if index, err := strconv.ParseInt(path[0], 10, 32); was[0] == '{' && m.name == path[0] || was[0] == '[' && err == nil && int(index) == i {
			return was[:m.start] + edited(was[m.start:m.end], path[1:], leaf) + was[m.end:]
		}
	}
	closing, added := len(was)-1, missing(path[1:], leaf)
	if was[0] == '{' {
		name, _ := strings.CutSuffix(splice([]byte("{}"), nil, path[0], []byte(added)), "}")
		added = name[1:]
	} else if index, _ := strconv.Atoi(path[0]); index > len(list) {
		added = strings.Repeat("null,", index-len(list)) + added
	}
	if len(list) > 0 {
		added = "," + added
	}
	return was[:closing] + added + was[closing:]
}

// missing is the value that a path makes where nothing is.
func missing(path []string, leaf string) string {
	if len(path) == 0 {
		return leaf
	}
	if index, err := strconv.ParseInt(path[0], 10, 32); err == nil && index >= -1 && path[0][0] != '+' && path[0] != "-0" {
		return edited("[]", path, leaf)
	}
	return edited("{}", path, leaf)
}

// children gives the members or elements of a container, with offsets in its text.
func children(text string) []member {
	decoder := json.NewDecoder(strings.NewReader(text))
	if _, err := decoder.Token(); err != nil {
		panic(err)
	}
	var list []member
	for decoder.More() {
		var m member
		if text[0] == '{' {
			token, _ := decoder.Token()
			m.name, _ = token.(string)
		}
		if err := decoder.Decode(&m.value); err != nil {
			panic(err)
		}
		m.end = int(decoder.InputOffset())
		m.start = m.end - len(m.value)
		list = append(list, m)
	}
	return list
}

// checkSjson compares with sjson where sjson's result is well-defined: it compares bytes, not text, so that a name on the way
// with an escape is another to it, it takes [, {, ! and @ for what gjson's paths may hold, and it guesses at much that is an
// error here.
func checkSjson(t *testing.T, was, got, leaf []byte, path string) {
	t.Helper()
	if bytes.ContainsRune(was, '\\') || strings.ContainsAny(path, "\\:\"<>&\u2028\u2029[{!@") || !printable(path) {
		return
	}
	for _, part := range strings.Split(path, ".") {
		if len(part) > 9 && strings.Trim(part, "0123456789") == "" {
			return // sjson would make as many nulls
		}
	}
	want, err := sjson.SetRawBytes(bytes.Clone(was), path, leaf)
	if err != nil {
		return
	}
	var a, b any
	if json.Unmarshal(got, &a) != nil || json.Unmarshal(want, &b) != nil {
		return // a number that float64 does not hold, or sjson's own damage
	}
	if !reflect.DeepEqual(a, b) {
		t.Fatalf("EditExtension(%q, %q, %q)\n  gives %s\nsjson's %s", was, path, leaf, got, want)
	}
}

func printable(path string) bool {
	for _, r := range path {
		if !strconv.IsPrint(r) {
			return false
		}
	}
	return true
}

// tree makes a value of objects and arrays whose names are those of path.
func (c *choices) tree(depth int) string {
	if depth == 0 || c.n(5) == 4 {
		return c.of(values[:5])
	}
	var b strings.Builder
	members := c.n(4)
	object := c.n(2) == 0
	b.WriteString(map[bool]string{true: "{", false: "["}[object] + c.space())
	for i := range members {
		if i > 0 {
			b.WriteString(c.space() + "," + c.space())
		}
		if object {
			b.WriteString(strconv.Quote(pathNames[(i+c.n(2)*4)%len(pathNames)]) + c.space() + ":" + c.space())
		}
		b.WriteString(c.tree(depth - 1))
	}
	b.WriteString(c.space() + map[bool]string{true: "}", false: "]"}[object])
	return b.String()
}

var pathNames = []string{"a", "b", "0", "1", "2", "-1", "a b", "é"}

func (c *choices) path() string {
	parts := []string{c.of(pathNames)}
	for range c.n(4) {
		parts = append(parts, c.of(pathNames))
	}
	return strings.Join(parts, ".")
}
