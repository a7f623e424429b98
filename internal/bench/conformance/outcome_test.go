package conformance

import (
	"errors"
	"testing"

	"github.com/arcp-go/arcp/envelopetest"
)

// TestOf pins the judge: every outcome, from forwarders with one known fault.
func TestOf(t *testing.T) {
	const message = `{"id":"a","type":"","job_id":null,"payload":{"n":1.0,"s":"<\ud83d"},"x":1,"y":"\ud83d\ude00"}`
	tests := []struct {
		rule    string
		verdict envelopetest.Verdict
		out     string // "" for an error
		want    Outcome
	}{
		{"the same bytes", envelopetest.Carry, message, Carried},
		{"white space", envelopetest.Carry, ` ` + message, Rewritten},
		{"an error", envelopetest.Carry, "", Refused},
		{"an error, as it should be", envelopetest.Refuse, "", Refused},
		{"no error, though there should be one", envelopetest.Refuse, message, PassedOn},
		{"no JSON", envelopetest.Carry, message[1:], Broken},
		{"two messages", envelopetest.Carry, message + message, Broken},
		{"escapes of the same text, and of a pair", envelopetest.Carry,
			`{"id":"a","type":"","job_id":null,"payload":{"n":1.0,"s":"\u003c\uD83D"},"x":1,"y":"😀"}`, Rewritten},
		{"order", envelopetest.Carry, `{"x":1,"id":"a","type":"","job_id":null,"payload":{"n":1.0,"s":"<\ud83d"},"y":"\ud83d\ude00"}`, Rewritten},
		{"a core value", envelopetest.Carry, `{"id":"b","type":"","job_id":null,"payload":{"n":1.0,"s":"<\ud83d"},"x":1,"y":"\ud83d\ude00"}`, "lost: core values"},
		{"a core field from nowhere", envelopetest.Carry, `{"arcp":"1","id":"a","type":"","job_id":null,"payload":{"n":1.0,"s":"<\ud83d"},"x":1,"y":"\ud83d\ude00"}`, "lost: core values"},
		{"a core field", envelopetest.Carry, `{"type":"","job_id":null,"payload":{"n":1.0,"s":"<\ud83d"},"x":1,"y":"\ud83d\ude00"}`, "lost: core fields"},
		{"fields of null and of the empty string", envelopetest.Carry, `{"id":"a","payload":{"n":1.0,"s":"<\ud83d"},"x":1,"y":"\ud83d\ude00"}`, "lost: null fields, empty fields"},
		{"an extension", envelopetest.Carry, `{"id":"a","type":"","job_id":null,"payload":{"n":1.0,"s":"<\ud83d"},"x":1}`, "lost: extensions"},
		{"an extension's value", envelopetest.Carry, `{"id":"a","type":"","job_id":null,"payload":{"n":1.0,"s":"<\ud83d"},"x":true,"y":"\ud83d\ude00"}`, "lost: values"},
		{"a number's text", envelopetest.Carry, `{"id":"a","type":"","job_id":null,"payload":{"n":1,"s":"<\ud83d"},"x":1,"y":"\ud83d\ude00"}`, "lost: numbers"},
		{"a lone surrogate", envelopetest.Carry, `{"id":"a","type":"","job_id":null,"payload":{"n":1.0,"s":"<\ufffd"},"x":1,"y":"\ud83d\ude00"}`, "lost: surrogates"},
	}
	for _, tt := range tests {
		got := Of(tt.verdict, []byte(message), func([]byte) ([]byte, error) {
			if tt.out == "" {
				return nil, errors.New("refused")
			}
			return []byte(tt.out), nil
		})
		if got != tt.want {
			t.Errorf("%s: %s, want %s", tt.rule, got, tt.want)
		}
	}
	if got := Of(envelopetest.Carry, []byte(message), func([]byte) ([]byte, error) { panic("no") }); got != Panicked {
		t.Errorf("a panic: %s", got)
	}
	// A map's order is right most of the time, and carried only if always.
	calls := 0
	got := Of(envelopetest.Carry, []byte(`{"a":1,"b":2}`), func(message []byte) ([]byte, error) {
		if calls++; calls == 100 {
			return []byte(`{"b":2,"a":1}`), nil
		}
		return message, nil
	})
	if got != Rewritten {
		t.Errorf("an order that is seldom wrong: %s", got)
	}
}

// TestGood pins which outcomes are set in bold.
func TestGood(t *testing.T) {
	for _, o := range []Outcome{Carried, Rewritten, Refused, PassedOn, Panicked, Broken, "lost: values"} {
		if got, want := o.Good(envelopetest.Carry), o == Carried || o == Rewritten; got != want {
			t.Errorf("to be carried, %s: %t", o, got)
		}
		if got, want := o.Good(envelopetest.Refuse), o == Refused; got != want {
			t.Errorf("to be refused, %s: %t", o, got)
		}
	}
}

func TestToEvent(t *testing.T) {
	const added = `"specversion":"1.0","datacontenttype":"application/json"`
	tests := []struct{ rule, in, want string }{
		{"names are fitted, all other bytes stay", `{"id":"a" , "type":"t","session_id":"s","payload" : {"x-vendor.a.b": 1},"x-vendor.a.b":1.0} `,
			`{` + added + `,"id":"a" , "type":"t","source":"s","data" : {"x-vendor.a.b": 1},"xvendorab":1.0} `},
		{"an object in an extension becomes its text", `{"id":"a","type":"t","session_id":"s","o":{"n":1.0}}`,
			`{` + added + `,"id":"a","type":"t","source":"s","o":"{\"n\":1.0}"}`},
		{"what must be there is added", ` {"x":1}`, ` {` + added + `,"id":"none","type":"none","source":"none","x":1}`},
		{"an empty object", `{ }`, `{` + added + `,"id":"none","type":"none","source":"none" }`},
		{"names that are no vendor's stay", `{"id":"a","type":"t","session_id":"s","TYPE":1}`, `{` + added + `,"id":"a","type":"t","source":"s","TYPE":1}`},
		{"a name twice stays twice", `{"id":"a","id":"b","type":"t","session_id":"s"}`, `{` + added + `,"id":"a","id":"b","type":"t","source":"s"}`},
		{"an escaped name is fitted like any other", `{"id":"a","type":"t","session\u005fid":"s"}`, `{` + added + `,"id":"a","type":"t","source":"s"}`},
		{"a malformed message stays malformed", `{"id":"a","type":"t","session_id":"s","payload":tru}`,
			`{` + added + `,"id":"a","type":"t","source":"s","data":tru}`},
		{"no object", `[1]`, `[1]`},
	}
	for _, tt := range tests {
		if got := string(toEvent([]byte(tt.in))); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.rule, got, tt.want)
		}
	}
}

func TestCell(t *testing.T) {
	tests := []struct {
		verdict  envelopetest.Verdict
		outcomes []Outcome
		want     string
	}{
		{envelopetest.Carry, []Outcome{Carried, Carried}, "carried"},
		{envelopetest.Carry, []Outcome{Refused, Refused}, "**refused**"},
		{envelopetest.Refuse, []Outcome{Refused}, "refused"},
		{envelopetest.Carry, []Outcome{"lost: values", Carried, Carried}, "2 carried; **1 lost: values**"},
		{envelopetest.Refuse, []Outcome{PassedOn, Refused}, "**1 passed on**; 1 refused"},
	}
	for _, tt := range tests {
		if got := cell(tt.verdict, tt.outcomes); got != tt.want {
			t.Errorf("%v: %s, want %s", tt.outcomes, got, tt.want)
		}
	}
}
