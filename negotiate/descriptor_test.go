package negotiate_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arcp-go/arcp/negotiate"
)

// fields is what a program sees of a Descriptor.
type fields struct {
	Version, Endpoint string
	Extra             map[string]string
}

func fieldsOf(d negotiate.Descriptor) fields {
	f := fields{Version: d.Version, Endpoint: d.Endpoint}
	for name, value := range d.Extra {
		if f.Extra == nil {
			f.Extra = make(map[string]string)
		}
		f.Extra[name] = string(value)
	}
	return f
}

var descriptors = []struct {
	rule string
	text string
	want fields
}{
	{"version and endpoint", `{"version":"1","endpoint":"https://a.example/"}`, fields{Version: "1", Endpoint: "https://a.example/"}},
	{"no field", `{ }`, fields{}},
	{"other fields are kept as they stand", "{\"wrap\" : [ \"paper\",1.0 ],\t\"version\":\"2\"}", fields{Version: "2", Extra: map[string]string{"wrap": `[ "paper",1.0 ]`}}},
	{"escapes", `{"ver\u0073ion":"\u0031","x\/":"\u003c"}`, fields{Version: "1", Extra: map[string]string{"x/": `"\u003c"`}}},
	{"names in another case are other fields", `{"Version":"1","ENDPOINT":""}`, fields{Extra: map[string]string{"Version": `"1"`, "ENDPOINT": `""`}}},
	{"null is absent", `{"version":null,"endpoint":null}`, fields{}},
	{"a version that is no string", `{"version":1,"endpoint":["x"]}`, fields{}},
	{"half of a surrogate pair", `{"version":"\ud83d","endpoint":"https://\udc00/","x":"\ud83d"}`, fields{Extra: map[string]string{"x": `"\ud83d"`}}},
	{"names twice within another field", `{"version":"1","x":{"a":1,"a":2}}`, fields{Version: "1", Extra: map[string]string{"x": `{"a":1,"a":2}`}}},
	{"null for a descriptor", `null`, fields{}},
	{"a string for a descriptor", `"1"`, fields{}},
	{"a number for a descriptor", `1.0`, fields{}},
	{"an array for a descriptor", `[ {"version":"1"} ]`, fields{}},
	{"a boolean for a descriptor", `true`, fields{}},
	{"a field twice", `{"version":"1","version":"2"}`, fields{}},
	{"a field twice after unescaping", `{"x":1,"version":"1","\u0078":2}`, fields{}},
	{"half of a surrogate pair in a name", `{"version":"1","\ud83d":2}`, fields{}},
}

func TestDescriptorReadAndWritten(t *testing.T) {
	for _, row := range descriptors {
		t.Run(row.rule, func(t *testing.T) {
			buffer := []byte(" \t" + row.text + "\n")
			var d negotiate.Descriptor
			if err := d.UnmarshalJSON(buffer); err != nil {
				t.Fatal(err)
			}
			for i := range buffer {
				buffer[i] = '#' // the buffer is the caller's again
			}
			if diff := cmp.Diff(row.want, fieldsOf(d)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			got, err := d.AppendJSON([]byte("before"))
			if err != nil || string(got) != "before"+row.text {
				t.Errorf("written again: %s, %v", got, err)
			}
			if got, err := d.MarshalJSON(); err != nil || string(got) != row.text {
				t.Errorf("MarshalJSON: %s, %v", got, err)
			}
		})
	}
}

func TestDescriptorThatIsNoJSON(t *testing.T) {
	for _, text := range []string{"", " ", "{", `{"version":"1"}x`, `{"version":01}`, "{\"version\":\"\xff\"}", "{'version':1}"} {
		var d negotiate.Descriptor
		if err := d.UnmarshalJSON([]byte(`{"version":"7","x":1}`)); err != nil {
			t.Fatal(err)
		}
		if err := d.UnmarshalJSON([]byte(text)); !errors.Is(err, negotiate.ErrMalformed) {
			t.Errorf("%q: error %v", text, err)
		}
		if got, _ := d.AppendJSON(nil); string(got) != `{"version":"7","x":1}` {
			t.Errorf("%q left %s behind", text, got)
		}
	}
}

func TestDescriptorChanged(t *testing.T) {
	const text = `{ "wrap" : ["paper"] , "version":"1", "endpoint" :"https://a.example/" }`
	for _, row := range []struct {
		rule   string
		text   string
		change func(*negotiate.Descriptor)
		want   string
	}{
		{"a changed field changes in place", text, func(d *negotiate.Descriptor) { d.Version = "1.1" },
			`{ "wrap" : ["paper"] , "version":"1.1", "endpoint" :"https://a.example/" }`},
		{"an emptied field goes", text, func(d *negotiate.Descriptor) { d.Endpoint = "" },
			`{ "wrap" : ["paper"] , "version":"1" }`},
		{"another field goes", text, func(d *negotiate.Descriptor) { d.Extra = nil },
			`{  "version":"1", "endpoint" :"https://a.example/" }`},
		{"new fields come last", text, func(d *negotiate.Descriptor) {
			d.Extra["b"], d.Extra["a"] = json.RawMessage("2"), json.RawMessage(" 1 ")
		},
			`{ "wrap" : ["paper"] , "version":"1", "endpoint" :"https://a.example/" ,"a":1,"b":2}`},
		{"a version for one that was no string", `{"version": 1}`, func(d *negotiate.Descriptor) { d.Version = "1" }, `{"version": "1"}`},
		{"an escaped name stays", `{"\u0076ersion":"1"}`, func(d *negotiate.Descriptor) { d.Version = "<2>" }, `{"\u0076ersion":"<2>"}`},
		{"built in memory", "", func(d *negotiate.Descriptor) {
			*d = negotiate.Descriptor{Version: "1", Endpoint: "https://a.example/?a&b", Extra: map[string]json.RawMessage{"x": json.RawMessage("[]")}}
		}, `{"version":"1","endpoint":"https://a.example/?a&b","x":[]}`},
		{"the zero value", "", func(*negotiate.Descriptor) {}, `{}`},
		{"a new one for one that was no object", `null`, func(d *negotiate.Descriptor) { *d = negotiate.Descriptor{Version: "1"} }, `{"version":"1"}`},
	} {
		t.Run(row.rule, func(t *testing.T) {
			var d negotiate.Descriptor
			if row.text != "" {
				if err := d.UnmarshalJSON([]byte(row.text)); err != nil {
					t.Fatal(err)
				}
			}
			row.change(&d)
			if got, err := d.AppendJSON(nil); err != nil || string(got) != row.want {
				t.Errorf("got  %s, %v\nwant %s", got, err, row.want)
			}
		})
	}
}

func TestDescriptorThatCannotBeWritten(t *testing.T) {
	for _, row := range []struct {
		rule string
		text string
		set  negotiate.Descriptor
	}{
		{"a field twice, then changed", `{"version":"1","version":"2"}`, negotiate.Descriptor{Version: "3"}},
		{"no object, then given an endpoint", `[]`, negotiate.Descriptor{Endpoint: "https://a.example/"}},
		{"no object, then changed", `null`, negotiate.Descriptor{Extra: map[string]json.RawMessage{"x": json.RawMessage("1")}}},
		{"a version that is no UTF-8", `{}`, negotiate.Descriptor{Version: "\xff"}},
		{"an endpoint that is no UTF-8", `{}`, negotiate.Descriptor{Endpoint: "\xff"}},
		{"a value that is no JSON", `{}`, negotiate.Descriptor{Extra: map[string]json.RawMessage{"x": json.RawMessage("{")}}},
		{"a nil value", `{}`, negotiate.Descriptor{Extra: map[string]json.RawMessage{"x": nil}}},
		{"a name that is a field of its own", `{}`, negotiate.Descriptor{Extra: map[string]json.RawMessage{"version": json.RawMessage(`"1"`)}}},
	} {
		t.Run(row.rule, func(t *testing.T) {
			var d negotiate.Descriptor
			if err := d.UnmarshalJSON([]byte(row.text)); err != nil {
				t.Fatal(err)
			}
			d.Version, d.Endpoint, d.Extra = row.set.Version, row.set.Endpoint, row.set.Extra
			if got, err := d.AppendJSON([]byte("before")); !errors.Is(err, negotiate.ErrMalformed) || string(got) != "before" {
				t.Errorf("got %s, %v", got, err)
			}
		})
	}
}

func TestDescriptors(t *testing.T) {
	for _, row := range []struct {
		rule string
		doc  string
		want map[string]string
	}{
		{"by name", ` {"issuer":"x","extensions":{"operations":{"version":"1"}, "example.com/x" : { }}} `,
			map[string]string{"operations": `{"version":"1"}`, "example.com/x": `{ }`}},
		{"no extensions object", `{"issuer":"x"}`, nil},
		{"an empty one", `{"extensions":{ }}`, nil},
		{"an empty document", `{}`, nil},
		{"escaped names", `{"\u0065xtensions":{"oper\u0061tions":{}}}`, map[string]string{"operations": `{}`}},
		{"only at top level", `{"x":{"extensions":{"operations":{}}}}`, nil},
		{"in this case only", `{"Extensions":{"operations":{}}}`, nil},
		{"malformed descriptors and names are not judged", `{"extensions":{"a":null,"b":[],"":{"version":1},"c":{"d":1,"d":2}}}`,
			map[string]string{"a": `null`, "b": `[]`, "": `{"version":1}`, "c": `{"d":1,"d":2}`}},
		{"duplicates elsewhere are not judged", `{"x":{"a":1,"a":2},"extensions":{"a":{"x":{"y":1,"y":2}}}}`, map[string]string{"a": `{"x":{"y":1,"y":2}}`}},
	} {
		t.Run(row.rule, func(t *testing.T) {
			doc := []byte(row.doc)
			found, err := negotiate.Descriptors(doc)
			if err != nil {
				t.Fatal(err)
			}
			again, err := negotiate.AppendDescriptors(nil, doc, found)
			if err != nil || string(again) != row.doc {
				t.Errorf("written again: %s, %v", again, err)
			}
			for i := range doc {
				doc[i] = '#' // doc is the caller's again
			}
			var got map[string]string
			for name, d := range found {
				text, err := d.AppendJSON(nil)
				if err != nil {
					t.Fatal(err)
				}
				if got == nil {
					got = make(map[string]string)
				}
				got[name] = string(text)
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			if (found == nil) != (row.want == nil) {
				t.Errorf("nil is %v", found == nil)
			}
		})
	}
}

func TestDescriptorsErrors(t *testing.T) {
	for _, row := range []struct {
		rule string
		doc  string
		want string
	}{
		{"no JSON", `{"extensions":{`, "byte 15"},
		{"empty", ``, "unexpected end of input"},
		{"byte order mark", "\ufeff{}", "byte order mark"},
		{"null", `null`, "want a JSON object"},
		{"array", `[]`, "want a JSON object"},
		{"two documents", `{}{}`, "nothing after the object"},
		{"invalid UTF-8", "{\"x\":\"\xff\"}", "UTF-8"},
		{"extensions null", `{"extensions":null}`, "want an object, found null"},
		{"extensions an array", `{"extensions":["operations"]}`, "want an object, found an array"},
		{"extensions a string", `{"extensions":"secret"}`, "want an object, found a string"},
		{"extensions a number", `{"extensions":7}`, "want an object, found a number"},
		{"a field of the document twice", `{"x":1,"x":2}`, `field "x": byte 7: the name is there twice`},
		{"extensions twice", `{"extensions":{},"extensions":{}}`, `field "extensions": byte 17: the name is there twice`},
		{"extensions twice after unescaping", `{"extensions":{},"\u0065xtensions":{}}`, `field "extensions": byte 17: the name is there twice`},
		{"an extension twice", `{"extensions":{"a":{},"a":{}}}`, `byte 22: the name is there twice`},
		{"an extension twice after unescaping", `{"extensions":{"a":{},"\u0061":{}}}`, `field "a": byte 22: the name is there twice`},
		{"half of a surrogate pair in a name", `{"extensions":{"\ud83d":{}}}`, "surrogate"},
	} {
		t.Run(row.rule, func(t *testing.T) {
			got, err := negotiate.Descriptors([]byte(row.doc))
			if !errors.Is(err, negotiate.ErrMalformed) || got != nil {
				t.Fatalf("got %v, %v", got, err)
			}
			if text := err.Error(); !strings.Contains(text, row.want) || strings.Contains(text, "secret") {
				t.Errorf("error %q, want one that says %q", text, row.want)
			}
			if row.doc == "" {
				return // counts as {} when written
			}
			if out, err := negotiate.AppendDescriptors([]byte("before"), []byte(row.doc), nil); !errors.Is(err, negotiate.ErrMalformed) || string(out) != "before" {
				t.Errorf("written: %s, %v", out, err)
			}
		})
	}
}

func TestAppendDescriptors(t *testing.T) {
	read := func(text string) (d negotiate.Descriptor) {
		if err := d.UnmarshalJSON([]byte(text)); err != nil {
			t.Fatal(err)
		}
		return d
	}
	for _, row := range []struct {
		rule        string
		doc         string
		descriptors map[string]negotiate.Descriptor
		want        string
	}{
		{"a document that has none", `{ "issuer":"x" }`, map[string]negotiate.Descriptor{"operations": {Version: "1"}},
			`{ "issuer":"x" ,"extensions":{"operations":{"version":"1"}}}`},
		{"no document", ``, map[string]negotiate.Descriptor{"b": {}, "a": {}}, `{"extensions":{"a":{},"b":{}}}`},
		{"one more", `{"extensions":{ "x" :{ "version":"1"}}, "issuer":"x"}`,
			map[string]negotiate.Descriptor{"x": read(`{ "version":"1"}`), "y": {Version: "2"}},
			`{"extensions":{ "x" :{ "version":"1"},"y":{"version":"2"}}, "issuer":"x"}`},
		{"one less", `{"extensions":{"x":{},"y":{}},"issuer":1.0}`, map[string]negotiate.Descriptor{"y": read(`{}`)}, `{"extensions":{"y":{}},"issuer":1.0}`},
		{"none left", `{"extensions":{"x":{}}}`, nil, `{"extensions":{}}`},
		{"none there", `{"issuer":1}`, nil, `{"issuer":1}`},
	} {
		t.Run(row.rule, func(t *testing.T) {
			got, err := negotiate.AppendDescriptors(nil, []byte(row.doc), row.descriptors)
			if err != nil || string(got) != row.want {
				t.Errorf("got  %s, %v\nwant %s", got, err, row.want)
			}
		})
	}
	for _, row := range []struct {
		rule        string
		descriptors map[string]negotiate.Descriptor
	}{
		{"a descriptor that cannot be written", map[string]negotiate.Descriptor{"x": {Version: "\xff"}}},
		{"a name that is no UTF-8", map[string]negotiate.Descriptor{"\xff": {}}},
	} {
		t.Run(row.rule, func(t *testing.T) {
			got, err := negotiate.AppendDescriptors([]byte("before"), []byte(`{}`), row.descriptors)
			if !errors.Is(err, negotiate.ErrMalformed) || string(got) != "before" {
				t.Errorf("got %s, %v", got, err)
			}
		})
	}
}

// FuzzDescriptors compares with encoding/json, and holds the law that a document read and written again is the same.
func FuzzDescriptors(f *testing.F) {
	f.Add([]byte(`{"issuer":"x","extensions":{"operations":{"version":"1","endpoint":"https://a.example/"},"b":null}} `))
	for _, row := range descriptors {
		f.Add([]byte(`{"extensions":{"x":` + row.text + `}}`))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		before := slices.Clone(doc)
		found, err := negotiate.Descriptors(doc)
		if err != nil {
			if !errors.Is(err, negotiate.ErrMalformed) {
				t.Fatal(err)
			}
			return
		}
		again, err := negotiate.AppendDescriptors(nil, doc, found)
		if err != nil || string(again) != string(before) {
			t.Fatalf("got %q, %v", again, err)
		}
		var top map[string]json.RawMessage
		if err := json.Unmarshal(doc, &top); err != nil {
			return // encoding/json has a limit on depth; there is nothing to compare with
		}
		var want map[string]json.RawMessage
		if raw, ok := top["extensions"]; ok {
			if err := json.Unmarshal(raw, &want); err != nil {
				t.Fatal(err)
			}
		}
		if len(want) != len(found) {
			t.Fatalf("got %d descriptors, want %d", len(found), len(want))
		}
		for name, raw := range want {
			d, ok := found[name]
			if got, err := d.AppendJSON(nil); !ok || err != nil || string(got) != string(raw) {
				t.Fatalf("%q: got %q, %v, want %q", name, got, err, raw)
			}
		}
	})
}
