package negotiate_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arcp-go/arcp/negotiate"
)

const company = `{"issuer": "https://example.com", "extensions": {
  "operations": {"version": "1", "endpoint": "https://api.example.com/poppy/operations"},
  "example.com/gift-wrap": {"version": "2", "wrap": ["paper", "box"]}}}`

func decide(t testing.TB, company, agent string, supported map[string][]int) negotiate.Result {
	t.Helper()
	c, err := negotiate.Descriptors([]byte(company))
	if err != nil {
		t.Fatal(err)
	}
	a, err := negotiate.Descriptors([]byte(agent))
	if err != nil {
		t.Fatal(err)
	}
	return negotiate.Extensions(c, a, supported)
}

func TestOperationsAtOneAndNothingElse(t *testing.T) {
	got := decide(t, company, `{"extensions":{"operations":{"version":"1"}}}`, map[string][]int{"operations": {1}})
	want := negotiate.Result{
		Agreed: map[string]negotiate.Agreement{"operations": {Version: "1", Endpoint: "https://api.example.com/poppy/operations"}},
		Outcomes: []negotiate.Outcome{
			{Name: "example.com/gift-wrap", Reason: negotiate.OnlyCompany},
			{Name: "operations", Reason: negotiate.Agreed},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// Each row is one extension, x, in a program that implements its major versions 1 and 3.
func TestExtensionsRules(t *testing.T) {
	nines := strings.Repeat("9", 50_000)
	for _, row := range []struct {
		rule           string
		company, agent string // descriptors; empty: not listed
		reason         negotiate.Reason
		version        string // where agreed
		endpoint       string
		detail         string // part of it
	}{
		{"same version", `{"version":"1"}`, `{"version":"1"}`, negotiate.Agreed, "1", "", ""},
		{"another major that is implemented", `{"version":"3.1"}`, `{"version":"3.0"}`, negotiate.Agreed, "3.0", "", ""},
		{"the lower is the agent's", `{"version":"1.4"}`, `{"version":"1"}`, negotiate.Agreed, "1", "", ""},
		{"the lower is the company's", `{"version":"1"}`, `{"version":"1.4"}`, negotiate.Agreed, "1", "", ""},
		{"lower by number", `{"version":"1.10"}`, `{"version":"1.9"}`, negotiate.Agreed, "1.9", "", ""},
		{"a tie gives the company's text", `{"version":"1"}`, `{"version":"1.0"}`, negotiate.Agreed, "1", "", ""},
		{"the other tie", `{"version":"1.0.0"}`, `{"version":"1"}`, negotiate.Agreed, "1.0.0", "", ""},
		{"a long minor version", `{"version":"1.` + nines + `"}`, `{"version":"1.1` + nines + `"}`, negotiate.Agreed, "1." + nines, "", ""},
		{"the company's endpoint", `{"version":"1","endpoint":"https://c.example/"}`, `{"version":"1","endpoint":"https://a.example/"}`, negotiate.Agreed, "1", "https://c.example/", ""},
		{"not the agent's endpoint", `{"version":"1"}`, `{"version":"1","endpoint":"https://a.example/"}`, negotiate.Agreed, "1", "", ""},
		{"endpoint null is absent", `{"version":"1","endpoint":null}`, `{"version":"1"}`, negotiate.Agreed, "1", "", ""},
		{"http endpoint on loopback", `{"version":"1","endpoint":"http://[::1]:80/"}`, `{"version":"1"}`, negotiate.Agreed, "1", "http://[::1]:80/", ""},
		{"unknown fields are ignored", `{"version":"1","required":true,"version2":"9"}`, `{"skip_proof":true,"version":"1"}`, negotiate.Agreed, "1", "", ""},

		{"only the company", `{"version":"1"}`, ``, negotiate.OnlyCompany, "", "", ""},
		{"only the agent", ``, `{"version":"1"}`, negotiate.OnlyAgent, "", "", ""},
		{"major differs", `{"version":"1"}`, `{"version":"2"}`, negotiate.MajorDiffers, "", "", "company: 1, agent: 2"},
		{"major differs in its last digit", `{"version":"1"}`, `{"version":"11.0"}`, negotiate.MajorDiffers, "", "", "company: 1, agent: 11"},
		{"not implemented here", `{"version":"2"}`, `{"version":"2.1"}`, negotiate.NotImplemented, "", "", "major version 2"},
		{"a major version beyond any integer", `{"version":"` + nines + `"}`, `{"version":"` + nines + `"}`, negotiate.NotImplemented, "", "", "(50000 bytes)"},
		{"2^64 and 1 is not 1", `{"version":"18446744073709551617"}`, `{"version":"18446744073709551617"}`, negotiate.NotImplemented, "", "", ""},

		{"version malformed at the company", `{"version":"01"}`, `{"version":"1"}`, negotiate.MalformedVersion, "", "", "company: want digits"},
		{"version malformed at the agent", `{"version":"1"}`, `{"version":"v1"}`, negotiate.MalformedVersion, "", "", "agent: want digits"},
		{"version malformed at one side alone", ``, `{"version":"1.x"}`, negotiate.MalformedVersion, "", "", "agent: want digits"},
		{"version malformed alike at both", `{"version":"1..2"}`, `{"version":"1..2"}`, negotiate.MalformedVersion, "", "", "company: "},
		{"version negative", `{"version":"-1"}`, `{"version":"-1"}`, negotiate.MalformedVersion, "", "", ""},
		{"version empty", `{"version":""}`, `{"version":""}`, negotiate.MalformedVersion, "", "", ""},
		{"version absent", `{}`, `{"version":"1"}`, negotiate.MalformedVersion, "", "", ""},
		{"version null", `{"version":null}`, `{"version":"1"}`, negotiate.MalformedVersion, "", "", ""},
		{"version a number", `{"version":1}`, `{"version":"1"}`, negotiate.MalformedVersion, "", "", "want a string, found a number"},
		{"version in half of a surrogate pair", `{"version":"\ud83d"}`, `{"version":"1"}`, negotiate.MalformedVersion, "", "", "surrogate"},

		{"endpoint http", `{"version":"1","endpoint":"http://c.example/"}`, `{"version":"1"}`, negotiate.MalformedEndpoint, "", "", "company: plain http"},
		{"endpoint empty", `{"version":"1","endpoint":""}`, `{"version":"1"}`, negotiate.MalformedEndpoint, "", "", "company: the URL is empty"},
		{"endpoint with user info", `{"version":"1","endpoint":"https://u:p@c.example/"}`, `{"version":"1"}`, negotiate.MalformedEndpoint, "", "", "user info"},
		{"endpoint no string", `{"version":"1","endpoint":{}}`, `{"version":"1"}`, negotiate.MalformedEndpoint, "", "", "want a string, found an object"},
		{"endpoint malformed at the agent", `{"version":"1"}`, `{"version":"1","endpoint":"/x"}`, negotiate.MalformedEndpoint, "", "", "agent: want an absolute"},

		{"descriptor null", `null`, `{"version":"1"}`, negotiate.MalformedDescriptor, "", "", "company: want an object, found null"},
		{"descriptor an array", `{"version":"1"}`, `[]`, negotiate.MalformedDescriptor, "", "", "agent: want an object, found an array"},
		{"descriptor with a field twice", `{"version":"1","version":"1"}`, `{"version":"1"}`, negotiate.MalformedDescriptor, "", "", "twice"},
		{"a malformed descriptor comes before a one-sided one", `7`, ``, negotiate.MalformedDescriptor, "", "", ""},
	} {
		t.Run(row.rule, func(t *testing.T) {
			list := func(descriptor string) string {
				others := `"good":{"version":"3"}`
				if descriptor != "" {
					others = `"x":` + descriptor + `,` + others
				}
				return `{"extensions":{` + others + `}}`
			}
			got := decide(t, list(row.company), list(row.agent), map[string][]int{"x": {1, 3}, "good": {3}, "unlisted": {1}})
			want := map[string]negotiate.Agreement{"good": {Version: "3"}} // whatever x is, the rest goes on
			if row.reason == negotiate.Agreed {
				want["x"] = negotiate.Agreement{Version: row.version, Endpoint: row.endpoint}
			}
			if diff := cmp.Diff(want, got.Agreed); diff != "" {
				t.Errorf("agreed: -want +got\n%s", diff)
			}
			if len(got.Outcomes) != 2 || got.Outcomes[0].Name != "good" || got.Outcomes[0].Reason != negotiate.Agreed {
				t.Fatalf("outcomes %v", got.Outcomes)
			}
			o := got.Outcomes[1]
			if o.Name != "x" || o.Reason != row.reason || !strings.Contains(o.Detail, row.detail) {
				t.Errorf("outcome %v, want %s, %q", o, row.reason, row.detail)
			}
			if text := o.String(); len(text) > 300 || strings.Contains(text, "u:p") {
				t.Errorf("%d bytes: %.300s", len(text), text)
			}
		})
	}
}

func TestExtensionsNamesAndOrder(t *testing.T) {
	both := `{"extensions":{
		"operations":{"version":"1"}, "Example.com/x":{"version":"1"}, "example/x":{"version":"1"}, "":{"version":"1"},
		"a\u0000\u001b[31m":{"version":"1"}, "example.com/x":{"version":"1"}, "1.2.3.4/x":{"version":"1"}}}`
	supported := map[string][]int{"operations": {1}, "Example.com/x": {1}, "example/x": {1}, "": {1}, "a\x00\x1b[31m": {1}, "1.2.3.4/x": {1}, "example.com/x": {1}}
	first := decide(t, both, both, supported)
	var lines []string
	for _, o := range first.Outcomes {
		lines = append(lines, o.String())
	}
	want := []string{
		`"": malformed name (the name is empty)`,
		`"1.2.3.4/x": malformed name (an IP address is no domain)`,
		`"Example.com/x": malformed name (want only a-z, 0-9 and '-' in the labels of the domain)`,
		`"a\x00\x1b[31m": malformed name (want only a-z, 0-9, '_' and '-' in the name)`,
		`"example.com/x": agreed`,
		`"example/x": malformed name (want a domain of two or more labels before the slash)`,
		`"operations": agreed`,
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	for range 20 {
		if diff := cmp.Diff(first, decide(t, both, both, supported)); diff != "" {
			t.Fatalf("not the same every time:\n%s", diff)
		}
	}
}

func TestExtensionsOfNothing(t *testing.T) {
	got := negotiate.Extensions(nil, nil, nil)
	if got.Agreed == nil || len(got.Agreed) != 0 || len(got.Outcomes) != 0 {
		t.Errorf("got %+v", got)
	}
	listed := map[string]negotiate.Descriptor{"x": {Version: "1"}}
	for _, supported := range []map[string][]int{nil, {"x": nil}, {"x": {-1, 0, math.MaxInt}}, {"y": {1}}} {
		if got := negotiate.Extensions(listed, listed, supported); len(got.Agreed) != 0 || got.Outcomes[0].Reason != negotiate.NotImplemented {
			t.Errorf("%v: got %+v", supported, got)
		}
	}
}

func TestExtensionsBuiltInMemory(t *testing.T) {
	c := map[string]negotiate.Descriptor{"x": {Version: "0.9", Endpoint: "https://c.example/"}}
	a := map[string]negotiate.Descriptor{"x": {Version: "0.10"}}
	got := negotiate.Extensions(c, a, map[string][]int{"x": {0}})
	if want := (negotiate.Agreement{Version: "0.9", Endpoint: "https://c.example/"}); got.Agreed["x"] != want {
		t.Errorf("got %+v", got)
	}
}

// What was malformed as read, and is set right by the program, is judged by what it is now.
func TestExtensionsAfterAChange(t *testing.T) {
	var d negotiate.Descriptor
	if err := d.UnmarshalJSON([]byte(`{"version":1,"endpoint":7}`)); err != nil {
		t.Fatal(err)
	}
	d.Version, d.Endpoint = "1", "https://c.example/"
	listed := map[string]negotiate.Descriptor{"x": d}
	if got := negotiate.Extensions(listed, listed, map[string][]int{"x": {1}}); got.Outcomes[0].Reason != negotiate.Agreed {
		t.Errorf("got %v", got.Outcomes)
	}
}

func TestFeatures(t *testing.T) {
	for _, row := range []struct {
		rule                 string
		hello, welcome, want []string
	}{
		{"the intersection", []string{"ack", "progress", "subscribe"}, []string{"progress", "ack", "result_chunk"}, []string{"ack", "progress"}},
		{"in the order of the first", []string{"c", "b", "a"}, []string{"a", "b", "c"}, []string{"c", "b", "a"}},
		{"without repeats", []string{"a", "b", "a", "a"}, []string{"b", "a", "b"}, []string{"a", "b"}},
		{"byte for byte", []string{"Ack", "ack "}, []string{"ack"}, nil},
		{"nothing in common", []string{"a"}, []string{"b"}, nil},
		{"the empty text is a feature like any other", []string{""}, []string{""}, []string{""}},
		{"nil hello", nil, []string{"a"}, nil},
		{"nil welcome", []string{"a"}, nil, nil},
	} {
		t.Run(row.rule, func(t *testing.T) {
			hello, welcome := slices.Clone(row.hello), slices.Clone(row.welcome)
			if got := negotiate.Features(hello, welcome); !slices.Equal(got, row.want) || (got == nil) != (row.want == nil) {
				t.Errorf("got %q, want %q", got, row.want)
			}
			if !slices.Equal(hello, row.hello) || !slices.Equal(welcome, row.welcome) {
				t.Error("an argument was changed")
			}
		})
	}
}

func ExampleExtensions() {
	company, err := negotiate.Descriptors([]byte(`{"extensions": {
		"operations": {"version": "1.4", "endpoint": "https://api.example.com/poppy/operations"},
		"example.com/gift-wrap": {"version": "2", "wrap": ["paper", "box"]}}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	agent, err := negotiate.Descriptors([]byte(`{"extensions": {"operations": {"version": "1"}}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	result := negotiate.Extensions(company, agent, map[string][]int{"operations": {1}})
	if operations, ok := result.Agreed["operations"]; ok {
		fmt.Println(operations.Version, operations.Endpoint)
	}
	for _, outcome := range result.Outcomes {
		fmt.Println(outcome)
	}
	// Output:
	// 1 https://api.example.com/poppy/operations
	// "example.com/gift-wrap": only the company lists it
	// "operations": agreed
}

func ExampleParseName() {
	for _, name := range []string{"operations", "example.com/gift-wrap", "example/gift-wrap"} {
		n, err := negotiate.ParseName(name)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Printf("%s: domain %q\n", n, n.Domain)
	}
	// Output:
	// operations: domain ""
	// example.com/gift-wrap: domain "example.com"
	// negotiate: malformed: extension name "example/gift-wrap": want a domain of two or more labels before the slash
}

func ExampleFeatures() {
	fmt.Println(negotiate.Features([]string{"heartbeat", "ack", "progress"}, []string{"progress", "heartbeat"}))
	// Output: [heartbeat progress]
}

func ExampleAppendDescriptors() {
	doc := []byte(`{"issuer": "https://example.com", "extensions": {"operations": {"version": "1"}}}`)
	extensions, err := negotiate.Descriptors(doc)
	if err != nil {
		fmt.Println(err)
		return
	}
	extensions["example.com/gift-wrap"] = negotiate.Descriptor{Version: "2"}
	doc, err = negotiate.AppendDescriptors(nil, doc, extensions)
	fmt.Println(string(doc), err)
	// Output: {"issuer": "https://example.com", "extensions": {"operations": {"version": "1"},"example.com/gift-wrap":{"version":"2"}}} <nil>
}
