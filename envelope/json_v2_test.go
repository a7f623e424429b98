//go:build go1.27 && goexperiment.jsonv2

package envelope_test

import (
	"bytes"
	"encoding/json"
	"encoding/json/jsontext"
	jsonv2 "encoding/json/v2"
	"errors"
	"strings"
	"testing"

	"github.com/arcp-go/arcp/envelope"
)

var (
	_ jsonv2.MarshalerTo     = envelope.Envelope{}
	_ jsonv2.UnmarshalerFrom = (*envelope.Envelope)(nil)
)

func TestMarshalByJSONv2(t *testing.T) {
	for _, source := range append(recordings(t), plain, spaced) {
		e := decode(t, source)
		var standard, compact bytes.Buffer
		if err := jsontext.NewEncoder(&standard).WriteValue([]byte(source)); err != nil {
			t.Fatal(err)
		}
		if err := json.Compact(&compact, []byte(source)); err != nil {
			t.Fatal(err)
		}
		want := strings.TrimSuffix(standard.String(), "\n")
		for rule, v := range map[string]any{"a value": *e, "a pointer": e} {
			out, err := jsonv2.Marshal(v)
			if err != nil || string(out) != want {
				t.Errorf("%s:\n got %s, %v\nwant %s", rule, out, err, want)
			}
		}
		out, err := jsonv2.Marshal(struct{ Message *envelope.Envelope }{e})
		if err != nil || string(out) != `{"Message":`+want+`}` {
			t.Errorf("inside a struct: %s, %v", out, err)
		}
		if out, err := jsonv2.Marshal(e, jsontext.PreserveRawStrings(true)); err != nil || string(out) != compact.String() {
			t.Errorf("with strings as they are: %s, %v", out, err)
		}
	}
	_, err := jsonv2.Marshal(envelope.Envelope{Payload: raw(`x`)})
	if f := fault(t, err); f.Field != "payload" || !errors.Is(err, envelope.ErrSyntax) {
		t.Errorf("what cannot be encoded: %v", err)
	}
}

func TestUnmarshalByJSONv2(t *testing.T) {
	for _, source := range append(recordings(t), plain, spaced) {
		want := decode(t, source)
		var e envelope.Envelope
		if err := jsonv2.Unmarshal([]byte(source), &e); err != nil || !e.Equal(*want) {
			t.Errorf("%v, %v", e, err)
		}
		if got := encode(t, &e); got != strings.Trim(source, " \t\r\n") {
			t.Errorf("written again: %s", got)
		}
		var o struct{ Message envelope.Envelope }
		if err := jsonv2.Unmarshal([]byte(`{"Message": `+source+`}`), &o); err != nil || !o.Message.Equal(*want) {
			t.Errorf("inside a struct: %v, %v", o, err)
		}
	}
	e := *decode(t, plain)
	for _, refused := range []string{`null`, `[]`, `{"a":1,"a":2}`, `{"id":1}`, `{"x":`, `{"id":"\ud83d"}`} {
		if err := jsonv2.Unmarshal([]byte(refused), &e); err == nil || !e.Equal(*decode(t, plain)) {
			t.Errorf("%s: %v, %v", refused, e, err)
		}
	}
	var f *envelope.Error
	if err := jsonv2.Unmarshal([]byte(`{"id":1}`), &e); !errors.As(err, &f) || f.Field != "id" {
		t.Errorf("the cause is lost: %v", err)
	}
}

// TestOptionsOfJSONv2Rule: by default v2 refuses what the codec carries; with its own options it carries it as well.
func TestOptionsOfJSONv2Rule(t *testing.T) {
	rows := []struct {
		rule, source string
		allow        jsonv2.Options
	}{
		{"half a surrogate pair", `{"payload":"\ud83d"}`, jsontext.AllowInvalidUTF8(true)},
		{"one name twice inside", `{"payload":{"a":1,"a":2}}`, jsontext.AllowDuplicateNames(true)},
	}
	for _, row := range rows {
		e := decode(t, row.source)
		if out, err := jsonv2.Marshal(e); err == nil {
			t.Errorf("%s is written by default: %s", row.rule, out)
		}
		if err := jsonv2.Unmarshal([]byte(row.source), new(envelope.Envelope)); err == nil {
			t.Errorf("%s is read by default", row.rule)
		}
		var back envelope.Envelope
		if err := jsonv2.Unmarshal([]byte(row.source), &back, row.allow); err != nil || !back.Equal(*e) {
			t.Errorf("%s, allowed, is read as %v, %v", row.rule, back, err)
		}
		if out, err := jsonv2.Marshal(e, row.allow, jsontext.PreserveRawStrings(true)); err != nil || string(out) != row.source {
			t.Errorf("%s, allowed, is written as %s, %v", row.rule, out, err)
		}
	}
}
