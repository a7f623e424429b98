package xvendor_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/arcp-go/arcp/xvendor"
)

var key = xvendor.MustKey[json.RawMessage](name)

// texts gives the fields as strings, for tables.
func texts(m fields) map[string]string {
	if m == nil {
		return nil
	}
	out := make(map[string]string)
	for name, value := range m {
		out[name] = string(value)
	}
	return out
}

func raws(m map[string]string) fields {
	if m == nil {
		return nil
	}
	out := make(fields)
	for name, value := range m {
		out[name] = json.RawMessage(value)
	}
	return out
}

type texted = map[string]string

func TestLookup(t *testing.T) {
	for _, test := range []struct {
		rule string
		ext  texted
		want string // empty: absent
	}{
		{"nothing", nil, ""},
		{"at top level", texted{name: `"top"`}, `"top"`},
		{"inside extensions", texted{"extensions": `{"other":{},"x-vendor.acme.priority" : "in" }`}, `"in"`},
		{"top level wins", texted{name: "1", "extensions": `{"x-vendor.acme.priority":2}`}, "1"},
		{"null at top level wins", texted{name: "null", "extensions": `{"x-vendor.acme.priority":2}`}, "null"},
		{"a name with escapes inside", texted{"extensions": `{"x-vendor.acme.priorit\u0079":3}`}, "3"},
		{"a name in another case inside", texted{"extensions": `{"X-Vendor.acme.priority":3}`}, ""},
		{"not deeper inside", texted{"extensions": `{"a":{"x-vendor.acme.priority":3}}`}, ""},
		{"not inside a look-alike of extensions", texted{"Extensions": `{"x-vendor.acme.priority":3}`}, ""},
		{"twice inside: no value can be called the field's", texted{"extensions": `{"x-vendor.acme.priority":1,"x-vendor.acme.priorit\u0079":1}`}, ""},
		{"another name twice inside", texted{"extensions": `{"a":1,"x-vendor.acme.priority":2,"a":1}`}, "2"},
		{"a name inside that no text can represent", texted{"extensions": `{"\ud83d":1,"x-vendor.acme.priority":2}`}, "2"},
		{"extensions is an array", texted{"extensions": `["x-vendor.acme.priority"]`}, ""},
		{"extensions is a string", texted{"extensions": `"{\"x-vendor.acme.priority\":1}"`}, ""},
		{"extensions is null", texted{"extensions": `null`}, ""},
		{"extensions is not JSON", texted{"extensions": `{"x-vendor.acme.priority":1`}, ""},
		{"extensions is no value", texted{"extensions": ``}, ""},
	} {
		t.Run(test.rule, func(t *testing.T) {
			got, ok := xvendor.Lookup(raws(test.ext), name)
			if string(got) != test.want || ok != (test.want != "") {
				t.Errorf("Lookup gave %s, %v, want %s", got, ok, test.want)
			}
			if cap(got) != len(got) && test.ext[name] == "" {
				t.Errorf("an append to the value could reach into the message: %d bytes of %d", len(got), cap(got))
			}
			value, there, err := key.Get(raws(test.ext))
			if twice := strings.HasPrefix(test.rule, "twice"); twice {
				if want := `vendor field "x-vendor.acme.priority": the name is there twice inside extensions`; err == nil || err.Error() != want || !there {
					t.Errorf("Get gave %v, %v, want %s", there, err, want)
				}
			} else if !bytes.Equal(value, got) || there != ok || err != nil {
				t.Errorf("Get gave %s, %v, %v, Lookup %s, %v", value, there, err, got, ok)
			}
		})
	}
}

func TestLookupAnyName(t *testing.T) {
	ext := raws(texted{"x-vendor.arcp.future": "1", "x-vendor.experimental": "2", "": "3", "extensions": `{"x-vendor.arcp.other":4,"optional":true,"":5}`})
	for name, want := range map[string]string{"x-vendor.arcp.future": "1", "x-vendor.experimental": "2", "": "3", "x-vendor.arcp.other": "4", "optional": "true"} {
		if got, ok := xvendor.Lookup(ext, name); !ok || string(got) != want {
			t.Errorf("Lookup(%q) gave %s, %v, want %s", name, got, ok, want)
		}
	}
}

var placeTests = []struct {
	rule                 string
	ext                  texted
	top, nested, deleted texted // after Set, SetIn Nested, Delete; nil nested: an error
}{
	{
		"nothing", nil,
		texted{name: "9"},
		texted{"extensions": `{"x-vendor.acme.priority":9}`},
		nil,
	},
	{
		"other fields stay", texted{"a": " 1 "},
		texted{"a": " 1 ", name: "9"},
		texted{"a": " 1 ", "extensions": `{"x-vendor.acme.priority":9}`},
		texted{"a": " 1 "},
	},
	{
		"at top level", texted{name: "1"},
		texted{name: "9"},
		texted{"extensions": `{"x-vendor.acme.priority":9}`},
		texted{},
	},
	{
		"inside, alone: an object that becomes empty stays", texted{"extensions": ` { "x-vendor.acme.priority" : 1 } `},
		texted{name: "9", "extensions": ` {  } `},
		texted{"extensions": ` { "x-vendor.acme.priority" : 9 } `},
		texted{"extensions": ` {  } `},
	},
	{
		"inside, first", texted{"extensions": `{"x-vendor.acme.priority":1, "b" :2.0}`},
		texted{name: "9", "extensions": `{ "b" :2.0}`},
		texted{"extensions": `{"x-vendor.acme.priority":9, "b" :2.0}`},
		texted{"extensions": `{ "b" :2.0}`},
	},
	{
		"inside, last, with an escape in its name", texted{"extensions": `{"a": "\u0041" , "x-vendor.acme.priorit\u0079": 1 }`},
		texted{name: "9", "extensions": `{"a": "\u0041"  }`},
		texted{"extensions": `{"a": "\u0041" , "x-vendor.acme.priorit\u0079": 9 }`},
		texted{"extensions": `{"a": "\u0041"  }`},
	},
	{
		"inside is an object without it", texted{"extensions": `{ "a":1 }`},
		texted{name: "9", "extensions": `{ "a":1 }`},
		texted{"extensions": `{ "a":1 ,"x-vendor.acme.priority":9}`},
		texted{"extensions": `{ "a":1 }`},
	},
	{
		"in both places", texted{name: "1", "extensions": `{"a":1,"x-vendor.acme.priority":2,"b":3}`},
		texted{name: "9", "extensions": `{"a":1,"b":3}`},
		texted{"extensions": `{"a":1,"x-vendor.acme.priority":9,"b":3}`},
		texted{"extensions": `{"a":1,"b":3}`},
	},
	{
		"twice inside", texted{"extensions": `{"x-vendor.acme.priority":1,"b":3,"b":4,"x-vendor.acme.priority":2}`},
		texted{name: "9", "extensions": `{"b":3,"b":4}`},
		texted{"extensions": `{"x-vendor.acme.priority":9,"b":3,"b":4}`},
		texted{"extensions": `{"b":3,"b":4}`},
	},
	{
		"twice inside and nothing else", texted{"extensions": `{"x-vendor.acme.priority":1,"x-vendor.acme.priority":2}`},
		texted{name: "9", "extensions": `{}`},
		texted{"extensions": `{"x-vendor.acme.priority":9}`},
		texted{"extensions": `{}`},
	},
	{
		"a name inside that no text can represent stays", texted{"extensions": `{"\ud83d":1}`},
		texted{name: "9", "extensions": `{"\ud83d":1}`},
		texted{"extensions": `{"\ud83d":1,"x-vendor.acme.priority":9}`},
		texted{"extensions": `{"\ud83d":1}`},
	},
	{
		"extensions is an array", texted{name: "1", "extensions": `["x-vendor.acme.priority"]`},
		texted{name: "9", "extensions": `["x-vendor.acme.priority"]`},
		nil,
		texted{"extensions": `["x-vendor.acme.priority"]`},
	},
	{
		"extensions is null", texted{"extensions": "null"},
		texted{name: "9", "extensions": "null"},
		nil,
		texted{"extensions": "null"},
	},
	{
		"extensions is not JSON", texted{"extensions": "{"},
		texted{name: "9", "extensions": "{"},
		nil,
		texted{"extensions": "{"},
	},
}

func TestSetAndDelete(t *testing.T) {
	for _, test := range placeTests {
		t.Run(test.rule, func(t *testing.T) {
			check := func(call string, want texted, fails bool, do func(*fields) error) {
				t.Helper()
				held := raws(test.ext) // by someone else
				ext := held
				err := do(&ext)
				var fault *xvendor.ValueError
				if fails {
					want = test.ext
					if !errors.As(err, &fault) || fault.Reason != "the field extensions is not an object to write into" {
						t.Errorf("%s gave %v", call, err)
					}
				} else if err != nil {
					t.Errorf("%s gave %v", call, err)
				}
				if diff := cmp.Diff(want, texts(ext)); diff != "" {
					t.Errorf("%s differs (-want +got):\n%s", call, diff)
				}
				if diff := cmp.Diff(test.ext, texts(held)); diff != "" {
					t.Errorf("%s wrote into a map or value that was not its own (-want +got):\n%s", call, diff)
				}
			}
			check("Set", test.top, false, func(m *fields) error { return key.Set(m, json.RawMessage("9")) })
			check("SetIn TopLevel", test.top, false, func(m *fields) error { return key.SetIn(m, xvendor.TopLevel, json.RawMessage("9")) })
			check("SetIn Nested", test.nested, test.nested == nil, func(m *fields) error { return key.SetIn(m, xvendor.Nested, json.RawMessage("9")) })
			check("Delete", test.deleted, false, func(m *fields) error { key.Delete(m); return nil })
		})
	}
}

// oracle reads "extensions" by encoding/json, slowly: the names in order with the values' texts, or false for no object.
func oracle(text []byte) (names, values []string, ok bool) {
	if !utf8.Valid(text) || !json.Valid(text) { // the Decoder takes both for less than they are
		return nil, nil, false
	}
	d := json.NewDecoder(bytes.NewReader(text))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, nil, false
	}
	for d.More() {
		name, err := d.Token()
		var value json.RawMessage
		if err != nil || d.Decode(&value) != nil {
			return nil, nil, false
		}
		names, values = append(names, name.(string)), append(values, string(value))
	}
	return names, values, true
}

func FuzzPlaces(f *testing.F) {
	for _, test := range placeTests {
		_, top := test.ext[name]
		f.Add(top, []byte(test.ext["extensions"]))
	}
	f.Fuzz(func(t *testing.T, top bool, nested []byte) {
		ext := fields{"extensions": nested, "a": json.RawMessage("0")}
		if top {
			ext[name] = json.RawMessage("1")
		}
		before := texts(ext)
		names, values, isObject := oracle(nested)

		value, ok := xvendor.Lookup(ext, name)
		first := slices.Index(names, name)
		unique := first >= 0 && !slices.Contains(names[first+1:], name)
		switch {
		case top:
			if !ok || string(value) != "1" {
				t.Fatalf("Lookup gave %s, %v, want the one at top level", value, ok)
			}
		case ok != (isObject && unique) || ok && string(value) != values[first]:
			t.Fatalf("Lookup in %q gave %s, %v", nested, value, ok)
		}

		after := maps.Clone(ext)
		if err := key.SetIn(&after, xvendor.Nested, json.RawMessage("9")); (err == nil) != isObject {
			t.Fatalf("SetIn Nested of %q gave %v", nested, err)
		} else if isObject {
			if first < 0 {
				names, values = append(names, name), append(values, "")
				first = len(names) - 1
			}
			checkMembers(t, after["extensions"], names, values, first)
			if _, still := after[name]; still {
				t.Fatal("the value at top level is still there")
			}
		}
		if err := key.Set(&after, json.RawMessage("9")); err != nil {
			t.Fatal(err)
		}
		checkMembers(t, after["extensions"], names, values, -1)
		after = maps.Clone(ext)
		key.Delete(&after)
		checkMembers(t, after["extensions"], names, values, -1)
		if _, ok, _ := key.Get(after); ok {
			t.Fatal("Delete left a value")
		}
		if diff := cmp.Diff(before, texts(ext)); diff != "" {
			t.Fatalf("somebody else's map or value was written into:\n%s", diff)
		}
	})
}

// checkMembers checks that an object has the names and values, but the field at the place set with the value 9, and nowhere
// else; set is -1 where it is to be in no place.
func checkMembers(t *testing.T, text []byte, names, values []string, set int) {
	t.Helper()
	var wantNames, wantValues []string
	for i := range names {
		switch {
		case i == set:
			wantNames, wantValues = append(wantNames, name), append(wantValues, "9")
		case names[i] != name:
			wantNames, wantValues = append(wantNames, names[i]), append(wantValues, values[i])
		}
	}
	gotNames, gotValues, _ := oracle(text)
	if !slices.Equal(gotNames, wantNames) || !slices.Equal(gotValues, wantValues) {
		t.Fatalf("the object is %q with the names %q and values %q, want %q and %q", text, gotNames, gotValues, wantNames, wantValues)
	}
}
