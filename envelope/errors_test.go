package envelope_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/arcp-go/arcp/envelope"
)

func TestErrorText(t *testing.T) {
	rows := []struct {
		rule string
		err  *envelope.Error
		want string
	}{
		{"all that is known", &envelope.Error{Field: "id", Offset: 7, Line: 3, Reason: "want this"}, `arcp: line 3: field "id": byte 7: want this`},
		{"the start of a message", &envelope.Error{Offset: 0, Reason: "want this"}, `arcp: byte 0: want this`},
		{"no place", &envelope.Error{Field: "id", Offset: -1, Reason: "want this"}, `arcp: field "id": want this`},
		{"a field's name is escaped", &envelope.Error{Field: "a\n\x1b[31m\u202e\xff\"", Offset: -1, Reason: "r"}, `arcp: field "a\n\x1b[31m\u202e\xff\"": r`},
	}
	for _, row := range rows {
		if got := row.err.Error(); got != row.want {
			t.Errorf("%s: %s, want %s", row.rule, got, row.want)
		}
	}
}

func TestErrorsAreOfOneKindEach(t *testing.T) {
	rules := []error{envelope.ErrSyntax, envelope.ErrDuplicate, envelope.ErrType, envelope.ErrTooLarge, envelope.ErrTooDeep,
		envelope.ErrTooManyFields, envelope.ErrLookalike, envelope.ErrInvalid}
	for _, row := range refused {
		_, err := envelope.Decode([]byte(row.input))
		for _, rule := range rules {
			if errors.Is(err, rule) != (rule == row.err) {
				t.Errorf("%s: %v is %v", row.rule, err, rule)
			}
		}
		if f := fault(t, fmt.Errorf("wrapped: %w", err)); f.Code() != "INVALID_REQUEST" || f.Unwrap() != row.err {
			t.Errorf("%s: code %s, rule %v", row.rule, f.Code(), f.Unwrap())
		}
		if _, again := envelope.Decode([]byte(row.input)); again.Error() != err.Error() {
			t.Errorf("%s: the text differs from time to time: %v, %v", row.rule, err, again)
		}
	}
}

func TestErrorsThroughEncodingJSON(t *testing.T) {
	var e envelope.Envelope
	if err := json.Unmarshal([]byte(`{"id":1}`), &e); !errors.Is(err, envelope.ErrType) {
		t.Errorf("Unmarshal: %v", err)
	}
	_, err := json.Marshal(envelope.Envelope{Payload: raw(`x`)})
	if f := fault(t, err); f.Field != "payload" || !errors.Is(err, envelope.ErrSyntax) {
		t.Errorf("Marshal: %v", err)
	}
}

// TestErrorsQuoteNoValue puts a secret before, into and after every kind of fault in a value.
func TestErrorsQuoteNoValue(t *testing.T) {
	const secret = "hunter2"
	values := []string{
		`"` + secret, `"` + secret + `\x"`, `"` + secret + "\xff\"", `"` + secret + "\n\"", `"` + secret + `\u12x4"`, secret, `{"` + secret + `"}`,
		`{"` + secret + `":}`, `{` + secret + `:1}`, `["` + secret + `" 1]`, `["` + secret + `",]`, `{"a":"` + secret + `"`, `1` + secret, `{"` + secret + `":1]`,
		`"` + secret + `"x`, strings.Repeat("[", 2000) + secret, `"` + secret + `","x":1,"x":1`,
	}
	for _, field := range append([]string{"x"}, "arcp", "id", "type", "session_id", "trace_id", "job_id", "event_seq", "payload") {
		for _, value := range values {
			data := []byte(`{"` + field + `":` + value + `}`)
			for name, call := range readings(envelope.Options{}, data) {
				checkQuotesNothing(t, name, call(), secret)
			}
			_, err := envelope.NewReader(strings.NewReader(string(data))).Read()
			checkQuotesNothing(t, "Reader", err, secret)
			_, err = envelope.AppendSet(nil, []byte(`{}`), field, []byte(value))
			if err == nil && !strings.HasPrefix(value, "[[") {
				t.Errorf("AppendSet takes %s", value)
			}
			checkQuotesNothing(t, "AppendSet", err, secret)
		}
		for _, value := range []string{`"` + secret + `"`, `{"` + secret + `":1}`, `["` + secret + `"]`, `77777777777777777777777`} {
			for _, err := range []error{
				func() error { _, err := envelope.Decode([]byte(`{"` + field + `":` + value + `}`)); return err }(),
				func() error { _, err := envelope.AppendSet(nil, []byte(`{}`), field, []byte(value)); return err }(),
			} {
				checkQuotesNothing(t, field, err, secret)
				checkQuotesNothing(t, field, err, "77777777")
			}
		}
	}
}

func checkQuotesNothing(t testing.TB, name string, err error, secret string) {
	t.Helper()
	if err != nil && strings.Contains(err.Error(), secret) {
		t.Errorf("%s: the error quotes a value: %v", name, err)
	}
}

func TestErrorsCutLongNames(t *testing.T) {
	names := map[string]string{
		"plain":       strings.Repeat("n", 1<<20),
		"multibyte":   strings.Repeat("é", 1<<19),
		"shifted":     "n" + strings.Repeat("é", 1<<19),
		"four bytes":  strings.Repeat("😀", 1<<18),
		"escaped":     strings.Repeat(`\u006e`, 1<<18),
		"long enough": strings.Repeat("n", 65),
	}
	const enough = 200
	for rule, name := range names {
		for _, input := range []string{`{"` + name + `":1,"` + name + `":1}`, `{"` + name + `":x}`, `{"` + name + `" 1}`} {
			_, err := envelope.Decode([]byte(input))
			f := fault(t, err)
			if f.Field == "" || len(f.Field) > enough || !utf8.ValidString(f.Field) || len(err.Error()) > 4*enough {
				t.Errorf("%s: a field of %d bytes, a text of %d", rule, len(f.Field), len(err.Error()))
			}
		}
		e := &envelope.Envelope{Extensions: map[string]json.RawMessage{name: nil, "x-vendor." + name: raw(`1`)}}
		_, err := e.AppendJSON(nil)
		for _, err := range []error{err, e.Validate(), e.SetExtension(name, 1), e.EditExtension(name, "a", 1), e.SetExtension("x-vendor.acme."+name, raw(`x`))} {
			if err == nil || len(err.Error()) > 20*enough {
				t.Errorf("%s: an error of %d bytes", rule, len(err.Error()))
			}
		}
	}
	if _, err := envelope.NewReader(strings.NewReader("")).Read(); err != io.EOF {
		t.Errorf("no error that names a field: %v", err)
	}
}
