package envelope_test

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/arcp-go/arcp/envelope"
	"github.com/arcp-go/arcp/xvendor"
)

func TestExtension(t *testing.T) {
	e := decode(t, `{"id":"i","x-vendor.acme.budget":{"currency":"USD","limit":12.5,"a.b":[1,{"c":"d"}]},"x-vendor":{"acme":{"budget":"wrong"}},"null":null,"":"empty","text":"\u0061"}`)
	if got := e.Extension("x-vendor.acme.budget").Get("currency").String(); got != "USD" {
		t.Errorf("a name full of dots: %q", got)
	}
	if got := e.Extension("x-vendor.acme.budget").Get(`a\.b.1.c`).String(); got != "d" {
		t.Errorf("a path into it: %q", got)
	}
	if got := e.Extension("x-vendor.acme.budget").Get("limit").Float(); got != 12.5 {
		t.Errorf("a number: %v", got)
	}
	if got := e.Extension("text").String(); got != "a" {
		t.Errorf("a string: %q", got)
	}
	if got := e.Extension("").String(); got != "empty" {
		t.Errorf("the empty name: %q", got)
	}
	if !e.Extension("null").Exists() {
		t.Error("null does not exist")
	}
	for _, name := range []string{"absent", "x-vendor.acme", "id", "x-vendor.acme.budget.currency", "*", "@this"} {
		if r := e.Extension(name); r.Exists() {
			t.Errorf("%s exists: %v", name, r)
		}
	}
	if r := new(envelope.Envelope).Extension("x"); r.Exists() {
		t.Errorf("without extensions: %v", r)
	}
}

type priced struct {
	Note string          `json:"note"`
	Raw  json.RawMessage `json:"raw"`
}

func TestSetExtension(t *testing.T) {
	const name = "x-vendor.acme.k"
	rows := []struct {
		rule  string
		value any
		want  string
	}{
		{"nil", nil, `null`},
		{"a string, without HTML escaping", "<a & b>", `"<a & b>"`},
		{"a string, as encoding/json escapes it", "\u2028\x00\b\x7fé", `"\u2028\u0000\b` + "\x7f" + `é"`},
		{"a number", 1.5, `1.5`},
		{"a large number", uint64(math.MaxUint64), `18446744073709551615`},
		{"a json.Number", json.Number("1e400"), `1e400`},
		{"a struct, without HTML escaping", priced{"<", raw(`{"a":">"}`)}, `{"note":"<","raw":{"a":">"}}`},
		{"a map, sorted", map[string]any{"b": 1, "a": []int{}}, `{"a":[],"b":1}`},
		{"a nil pointer", (*priced)(nil), `null`},
		{"raw, verbatim", raw(`{"a" : 1.0, "a":"\ud83d\u003c"}`), `{"a" : 1.0, "a":"\ud83d\u003c"}`},
		{"raw, white space around it trimmed", raw(" \n[ 1 ]\t"), `[ 1 ]`},
	}
	for _, row := range rows {
		t.Run(row.rule, func(t *testing.T) {
			e := decode(t, plain)
			if err := e.SetExtension(name, row.value); err != nil {
				t.Fatal(err)
			}
			if got := string(e.Extensions[name]); got != row.want {
				t.Errorf("got %s, want %s", got, row.want)
			}
			if got, want := encode(t, e), strings.TrimSuffix(plain, "}")+`,"`+name+`":`+row.want+`}`; got != want {
				t.Errorf("encoded: %s", got)
			}
		})
	}
	built := new(envelope.Envelope)
	if err := built.SetExtension(name, 1); err != nil || encode(t, built) != `{"x-vendor.acme.k":1}` {
		t.Errorf("on the zero value: %v, %v", built, err)
	}
}

func TestSetExtensionKeepsTheCallersBytesApart(t *testing.T) {
	value := raw(`"mine"`)
	e := new(envelope.Envelope)
	if err := e.SetExtension("x-vendor.acme.k", value); err != nil {
		t.Fatal(err)
	}
	copy(value, `"xxxx"`)
	if got := string(e.Extensions["x-vendor.acme.k"]); got != `"mine"` {
		t.Errorf("got %s", got)
	}
}

func TestSetExtensionRefuses(t *testing.T) {
	names := []struct {
		name string
		err  error
	}{
		{"x-vendor.arcp.k", xvendor.ErrReserved},
		{"x-vendor.acme", xvendor.ErrMalformed},
		{"x-vendor.acme.", xvendor.ErrMalformed},
		{"x-vendor.Acme.k", xvendor.ErrMalformed},
		{"X-Vendor.acme.k", xvendor.ErrMalformed},
		{"timestamp", xvendor.ErrMalformed},
		{"type", xvendor.ErrMalformed},
		{"", xvendor.ErrMalformed},
	}
	for _, row := range names {
		e := decode(t, `{"type":"t"}`)
		if err := e.SetExtension(row.name, 1); !errors.Is(err, row.err) {
			t.Errorf("SetExtension(%q): %v, want %v", row.name, err, row.err)
		}
		if err := e.EditExtension(row.name, "a", 1); !errors.Is(err, row.err) {
			t.Errorf("EditExtension(%q): %v, want %v", row.name, err, row.err)
		}
		if encode(t, e) != `{"type":"t"}` {
			t.Errorf("%q: the Envelope has changed", row.name)
		}
	}
	values := []struct {
		rule  string
		value any
		err   error // nil: any
	}{
		{"a nil json.RawMessage", json.RawMessage(nil), envelope.ErrSyntax},
		{"an invalid json.RawMessage", raw(`{"secret"}`), envelope.ErrSyntax},
		{"a json.RawMessage of two values", raw(`1 2`), envelope.ErrSyntax},
		{"a string that is not UTF-8", "secret\xff", envelope.ErrSyntax},
		{"a channel", make(chan int), nil},
		{"not a number", math.NaN(), nil},
		{"a json.Number that is none", json.Number("secret"), nil},
		{"a value that does not marshal", unmarshalable{}, nil},
	}
	for _, row := range values {
		e := decode(t, plain)
		err := e.SetExtension("x-vendor.acme.k", row.value)
		if err == nil || row.err != nil && !errors.Is(err, row.err) {
			t.Fatalf("%s: %v", row.rule, err)
		}
		if !strings.Contains(err.Error(), "x-vendor.acme.k") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: the error must name the field and quote no value: %v", row.rule, err)
		}
		if e.EditExtension("x-vendor.acme.priority2", "a", row.value) == nil {
			t.Errorf("%s: EditExtension takes it", row.rule)
		}
		if encode(t, e) != plain {
			t.Errorf("%s: the Envelope has changed", row.rule)
		}
	}
}

// unmarshalable is a value whose own error quotes it.
type unmarshalable struct{}

var errOwn = errors.New("cannot write secret")

func (unmarshalable) MarshalJSON() ([]byte, error) { return nil, errOwn }

func TestEncodingErrorsKeepTheirCause(t *testing.T) {
	if _, err := envelope.New("t", unmarshalable{}); !errors.Is(err, errOwn) || strings.Contains(err.Error(), "secret") {
		t.Errorf("got %v", err)
	}
}

func TestDeleteExtension(t *testing.T) {
	e := decode(t, `{"type":"t","TYPE":1,"x-vendor.arcp.k":2,"x":3}`)
	for _, name := range []string{"absent", "type", "TYPE", "x-vendor.arcp.k"} {
		e.DeleteExtension(name)
	}
	if got := encode(t, e); got != `{"type":"t","x":3}` {
		t.Errorf("got %s", got)
	}
	e.DeleteExtension("x")
	if got := encode(t, e); got != `{"type":"t"}` || len(e.Extensions) > 0 {
		t.Errorf("got %s", got)
	}
	new(envelope.Envelope).DeleteExtension("x")
}

// pathEdit is one row of EditExtension: what path does to the value of an extension.
type pathEdit struct {
	rule, value, path string
	to                any
	want              string
}

var pathEdits = []pathEdit{
	{"a key", `{"a":1}`, "a", 2, `{"a":2}`},
	{"a key, everything else keeps its bytes", "{ \"x\" : 1.0e5 ,\n\t\"\\u0061\" : [ 1 ] , \"y\":\"\\ud83d<\" }", "a", "b", "{ \"x\" : 1.0e5 ,\n\t\"\\u0061\" : \"b\" , \"y\":\"\\ud83d<\" }"},
	{"a new key, after the white space before the brace", `{"a":1 }`, "b", 2, `{"a":1 ,"b":2}`},
	{"a new key in an empty object", `{ }`, "b", 2, `{ "b":2}`},
	{"a key deep inside", `{"a":[{"b":{"c":1}}]}`, "a.0.b.c", 2, `{"a":[{"b":{"c":2}}]}`},
	{"a key that holds a dot", `{"a.b":1,"a":{"b":2}}`, `a\.b`, 3, `{"a.b":3,"a":{"b":2}}`},
	{"a key that holds a query character", `{"@type":1}`, `\@type`, 2, `{"@type":2}`},
	{"digits that are too many for an index are a key", `{}`, "a.171177171171", 2, `{"a":{"171177171171":2}}`},
	{"a key that starts as a multipath of gjson does", `{"":8}`, "{!", "new", `{"":8,"{!":"new"}`},
	{"a key that holds a backslash", `{"a\\b":1}`, `a\\b`, 2, `{"a\\b":2}`},
	{"a new key is escaped minimally", `{}`, "\"<\u2028\n", 1, "{\"\\\"<\u2028\\n\":1}"},
	{"a number as a key of an object", `{"0":1}`, "0", 2, `{"0":2}`},
	{"a number made a key by a colon", `{}`, ":0", 2, `{"0":2}`},
	{"-1 as a key of an object", `{"a":1}`, "-1", 2, `{"a":1,"-1":2}`},
	{"an index", `[1, 2 ,3]`, "1", "x", `[1, "x" ,3]`},
	{"an index behind brackets and quotes", `["],[\"",[0,[1]],{"a":[]},2]`, "3", 3, `["],[\"",[0,[1]],{"a":[]},3]`},
	{"-1 appends", `[1, 2 ]`, "-1", 3, `[1, 2 ,3]`},
	{"-1 appends to an empty array", `[ ]`, "-1", 3, `[ 3]`},
	{"-1 and on", `{"a":[]}`, "a.-1.b", 3, `{"a":[{"b":3}]}`},
	{"an index at the end appends", `[1]`, "1", 2, `[1,2]`},
	{"an index beyond the end pads with null", `[1]`, "3", 2, `[1,null,null,2]`},
	{"what is missing is made", `{}`, "a.b", 1, `{"a":{"b":1}}`},
	{"what is missing is made, an array for an index", `{}`, "a.1.b", 1, `{"a":[null,{"b":1}]}`},
	{"what is missing is made, an array for -1", `{}`, "a.-1", 1, `{"a":[1]}`},
	{"raw, verbatim and trimmed", `{"a":1}`, "a", raw(" { \"<\" : 1.0 }\n"), `{"a":{ "<" : 1.0 }}`},
	{"null over a value", `{"a":{"b":1}}`, "a", nil, `{"a":null}`},
	{"a value over null", `{"a":null}`, "a", 1, `{"a":1}`},
}

func TestEditExtension(t *testing.T) {
	for _, row := range pathEdits {
		t.Run(row.rule, func(t *testing.T) {
			source := `{"id":"i", "any.name" : ` + row.value + ` ,"payload":{}}`
			e := decode(t, source)
			if err := e.EditExtension("any.name", row.path, row.to); err != nil {
				t.Fatal(err)
			}
			if got := string(e.Extensions["any.name"]); got != row.want {
				t.Errorf("\n got %s\nwant %s", got, row.want)
			}
			if got, want := encode(t, e), strings.Replace(source, row.value, row.want, 1); got != want {
				t.Errorf("encoded\n got %s\nwant %s", got, want)
			}
		})
	}
}

func TestEditExtensionThatIsAbsent(t *testing.T) {
	for _, source := range []string{`{}`, `{"other":1}`} {
		e := decode(t, source)
		if err := e.EditExtension("x-vendor.acme.k", "a.b", true); err != nil {
			t.Fatal(err)
		}
		if got := string(e.Extensions["x-vendor.acme.k"]); got != `{"a":{"b":true}}` {
			t.Errorf("got %s", got)
		}
	}
}

func TestEditExtensionOfAnyNameThatIsThere(t *testing.T) {
	for _, name := range []string{"x-vendor.arcp.k", "x-vendor.experimental", "extensions", "TYPE", "", "a.b|#"} {
		e := &envelope.Envelope{Extensions: map[string]json.RawMessage{name: raw(` {"a":1} `)}}
		if err := e.EditExtension(name, "a", 2); err != nil || string(e.Extensions[name]) != `{"a":2}` {
			t.Errorf("%q: %s, %v", name, e.Extensions[name], err)
		}
	}
}

func TestEditExtensionRefuses(t *testing.T) {
	rows := []struct {
		rule, value, path string
		err               error
	}{
		{"an empty path", `{}`, "", envelope.ErrSyntax},
		{"an empty part", `{}`, "a..b", envelope.ErrSyntax},
		{"an empty first part", `{}`, ".a", envelope.ErrSyntax},
		{"an empty last part", `{}`, "a.", envelope.ErrSyntax},
		{"nothing after a colon", `{}`, ":", envelope.ErrSyntax},
		{"a backslash at the end", `{}`, `a\`, envelope.ErrSyntax},
		{"a path that is not UTF-8", `{}`, "a\xff", envelope.ErrSyntax},
		{"*", `{"a":1}`, "*", envelope.ErrSyntax},
		{"?", `{"a":1}`, "?", envelope.ErrSyntax},
		{"#", `[1]`, "#", envelope.ErrSyntax},
		{"|", `{"a":{"b":1}}`, "a|b", envelope.ErrSyntax},
		{"@", `{}`, "@this", envelope.ErrSyntax},
		{"a query", `[{"a":1}]`, `#(a==1).b`, envelope.ErrSyntax},
		{"into a string", `{"a":"secret"}`, "a.b", envelope.ErrType},
		{"into a number", `5`, "a", envelope.ErrType},
		{"into null", `{"a":null}`, "a.b", envelope.ErrType},
		{"into true", `[true]`, "0.0", envelope.ErrType},
		{"a key into an array", `[1]`, "a", envelope.ErrType},
		{"-2 into an array", `[1]`, "-2", envelope.ErrType},
		{"a number with a sign into an array", `[1]`, "+0", envelope.ErrType},
		{"a colon into an array", `[1]`, ":0", envelope.ErrType},
		{"an index far beyond the end", `[]`, "2000000000", envelope.ErrTooLarge},
		{"an index far beyond the end of what is made", `{}`, "a.2000000000", envelope.ErrTooLarge},
		{"an index beyond 2^64", `[]`, "99999999999999999999", envelope.ErrType},
		{"a name twice on the way", `{"a":1,"\u0061":2}`, "a", envelope.ErrDuplicate},
		{"a value that is not JSON", `{"secret":}`, "a", envelope.ErrSyntax},
	}
	for _, row := range rows {
		t.Run(row.rule, func(t *testing.T) {
			e := &envelope.Envelope{Extensions: map[string]json.RawMessage{"any.name": raw(row.value), "y": raw(`1`)}}
			before := e.Clone()
			err := e.EditExtension("any.name", row.path, "hidden")
			f := fault(t, err)
			if !errors.Is(err, row.err) || f.Field != "any.name" || f.Offset != -1 {
				t.Errorf("got %v: %v", f.Err, err)
			}
			if strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "hidden") {
				t.Errorf("the error quotes a value: %v", err)
			}
			if !e.Equal(*before) {
				t.Error("the Envelope has changed")
			}
		})
	}
}
