package envelope_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/arcp-go/arcp/envelope"
)

// reformatted is what encoding/json makes of a MarshalJSON result.
func reformatted(t testing.TB, text string) string {
	t.Helper()
	var compact, escaped bytes.Buffer
	if err := json.Compact(&compact, []byte(text)); err != nil {
		t.Fatal(err)
	}
	json.HTMLEscape(&escaped, compact.Bytes())
	return escaped.String()
}

const htmlish = " { \"id\" : \"<&>\u2028\\ud83d\\ude00\" , \"payload\" : [ 1.0 , 1E5 , \"\\ud83d\" ] , \"x\" : {\"a\":1,\"a\":2} } "

func TestMarshalByEncodingJSON(t *testing.T) {
	type named struct {
		Message  envelope.Envelope  `json:"message"`
		Pointer  *envelope.Envelope `json:"pointer"`
		Omitted  *envelope.Envelope `json:"omitted,omitempty"`
		Trailing int                `json:"trailing"`
	}
	for _, source := range append(recordings(t), plain, spaced, htmlish) {
		e := decode(t, source)
		want := reformatted(t, source)
		values := map[string]struct {
			v    any
			want string
		}{
			"a value":            {*e, want},
			"a pointer":          {e, want},
			"a slice":            {[]envelope.Envelope{*e, *e}, `[` + want + `,` + want + `]`},
			"a map":              {map[string]envelope.Envelope{"k": *e}, `{"k":` + want + `}`},
			"a nil pointer":      {(*envelope.Envelope)(nil), `null`},
			"fields of a struct": {named{*e, e, nil, 1}, `{"message":` + want + `,"pointer":` + want + `,"trailing":1}`},
			"a struct's pointer": {&named{*e, nil, nil, 1}, `{"message":` + want + `,"pointer":null,"trailing":1}`},
		}
		for rule, row := range values {
			out, err := json.Marshal(row.v)
			if err != nil || string(out) != row.want {
				t.Errorf("%s:\n got %s, %v\nwant %s", rule, out, err, row.want)
			}
		}
		// Go 1.26 and 1.27 differ in whether an Encoder without HTML escaping still escapes U+2028.
		plainText := strings.ReplaceAll(source, "\u2028", "")
		var compact, b bytes.Buffer
		if err := json.Compact(&compact, []byte(plainText)); err != nil {
			t.Fatal(err)
		}
		encoder := json.NewEncoder(&b)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(decode(t, plainText)); err != nil || b.String() != compact.String()+"\n" {
			t.Errorf("without HTML escaping: %s, %v", b.String(), err)
		}
	}
}

// TestEmbeddingPromotesTheMethods pins what the doc comment warns of: the outer struct's own fields take no part.
func TestEmbeddingPromotesTheMethods(t *testing.T) {
	type outer struct {
		envelope.Envelope
		Own string `json:"own"`
	}
	out, err := json.Marshal(outer{*decode(t, `{"id":"i"}`), "lost"})
	if err != nil || string(out) != `{"id":"i"}` {
		t.Errorf("%s, %v", out, err)
	}
	var back outer
	if err := json.Unmarshal([]byte(`{"id":"i","own":"o"}`), &back); err != nil || back.Own != "" || string(back.Extensions["own"]) != `"o"` {
		t.Errorf("%v, %v", back, err)
	}
}

func TestUnmarshalByEncodingJSON(t *testing.T) {
	type outer struct {
		Message envelope.Envelope  `json:"message"`
		Pointer *envelope.Envelope `json:"pointer"`
	}
	for _, source := range append(recordings(t), plain, spaced, htmlish) {
		want := decode(t, source)
		var e envelope.Envelope
		if err := json.Unmarshal([]byte(source), &e); err != nil || !e.Equal(*want) {
			t.Errorf("%v, %v", e, err)
		}
		var o outer
		if err := json.Unmarshal([]byte(`{"message": `+source+`,"pointer":`+source+`}`), &o); err != nil || !o.Message.Equal(*want) || !o.Pointer.Equal(*want) {
			t.Errorf("inside a struct: %v, %v", o, err)
		}
		var list []envelope.Envelope
		decoder := json.NewDecoder(bytes.NewReader([]byte(`[` + source + `,` + source + `]`)))
		if err := decoder.Decode(&list); err != nil || len(list) != 2 || !list[1].Equal(*want) {
			t.Errorf("from a Decoder: %v, %v", list, err)
		}
	}
	var o outer
	if err := json.Unmarshal([]byte(`{"pointer":null}`), &o); err != nil || o.Pointer != nil {
		t.Errorf("null for a pointer: %v, %v", o, err)
	}
	e := *decode(t, plain)
	for _, refused := range []string{`null`, `[]`, `{"a":1,"a":2}`, `{"id":1}`, `{"id":"\ud83d"}`} {
		if err := json.Unmarshal([]byte(refused), &e); err == nil || !e.Equal(*decode(t, plain)) {
			t.Errorf("%s: %v, %v", refused, e, err)
		}
		if _, ok := errors.AsType[*envelope.Error](json.Unmarshal([]byte(refused), &e)); !ok {
			t.Errorf("%s: the error is no *Error", refused)
		}
	}
}
