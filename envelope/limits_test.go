package envelope_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/arcp-go/arcp/envelope"
)

// nested is a message of that depth, the envelope itself being 1.
func nested(depth int) string {
	if depth == 1 {
		return `{"x":1}`
	}
	var b strings.Builder
	b.WriteString(`{"x":`)
	for i := range depth - 1 {
		b.WriteString([]string{`[`, `{"k":`, `[0,`}[i%3])
	}
	b.WriteString(`"end"`)
	for i := depth - 2; i >= 0; i-- {
		b.WriteString([]string{`]`, `}`, `]`}[i%3])
	}
	b.WriteString(`}`)
	return b.String()
}

// sized is a message of that many bytes, white space around it included.
func sized(n int) string {
	const frame = " {\"x\":\"\"}\n"
	return " {\"x\":\"" + strings.Repeat("a", n-len(frame)) + "\"}\n"
}

func fields(n int) string { return manyFields(n-1, `"last":0`) }

func TestLimits(t *testing.T) {
	rows := []struct {
		rule    string
		options envelope.Options
		input   func(n int) string
		limit   int
		err     error
		offset  int // of the error one over the limit
	}{
		{"MaxDepth default", envelope.Options{}, nested, 1000, envelope.ErrTooDeep, strings.LastIndexAny(nested(1001), "[{")},
		{"MaxDepth 0", envelope.Options{MaxDepth: 0}, nested, 1000, envelope.ErrTooDeep, strings.LastIndexAny(nested(1001), "[{")},
		{"MaxDepth below 0", envelope.Options{MaxDepth: -1}, nested, 1000, envelope.ErrTooDeep, strings.LastIndexAny(nested(1001), "[{")},
		{"MaxDepth 1", envelope.Options{MaxDepth: 1}, nested, 1, envelope.ErrTooDeep, 5},
		{"MaxDepth 2", envelope.Options{MaxDepth: 2}, nested, 2, envelope.ErrTooDeep, 6},
		{"MaxDepth at a word's edge", envelope.Options{MaxDepth: 65}, nested, 65, envelope.ErrTooDeep, strings.LastIndexAny(nested(66), "[{")},
		{"MaxDepth raised", envelope.Options{MaxDepth: 100_000}, nested, 100_000, envelope.ErrTooDeep, strings.LastIndexAny(nested(100_001), "[{")},
		{"MaxBytes default", envelope.Options{}, sized, 16 << 20, envelope.ErrTooLarge, 16 << 20},
		{"MaxBytes below 0", envelope.Options{MaxBytes: -5}, sized, 16 << 20, envelope.ErrTooLarge, 16 << 20},
		{"MaxBytes 100", envelope.Options{MaxBytes: 100}, sized, 100, envelope.ErrTooLarge, 100},
		{"MaxBytes raised", envelope.Options{MaxBytes: 17 << 20}, sized, 17 << 20, envelope.ErrTooLarge, 17 << 20},
		{"MaxMembers default", envelope.Options{}, fields, 1024, envelope.ErrTooManyFields, strings.Index(fields(1025), `"last"`)},
		{"MaxMembers below 0", envelope.Options{MaxMembers: -1}, fields, 1024, envelope.ErrTooManyFields, strings.Index(fields(1025), `"last"`)},
		{"MaxMembers 1", envelope.Options{MaxMembers: 1}, fields, 1, envelope.ErrTooManyFields, strings.Index(fields(2), `"last"`)},
		{"MaxMembers 17", envelope.Options{MaxMembers: 17}, fields, 17, envelope.ErrTooManyFields, strings.Index(fields(18), `"last"`)},
		{"MaxMembers raised", envelope.Options{MaxMembers: 5000}, fields, 5000, envelope.ErrTooManyFields, strings.Index(fields(5001), `"last"`)},
	}
	for _, row := range rows {
		t.Run(row.rule, func(t *testing.T) {
			exactly := row.input(row.limit)
			e, err := row.options.Decode([]byte(exactly))
			if err != nil {
				t.Fatalf("exactly the limit: %v", err)
			}
			if encode(t, e) != exactly {
				t.Error("exactly the limit: other bytes come back")
			}
			h, err := row.options.Peek([]byte(exactly))
			if err != nil {
				t.Fatalf("Peek, exactly the limit: %v", err)
			}
			checkHeader(t, h, e)

			over := []byte(row.input(row.limit + 1))
			for name, call := range readings(row.options, over) {
				f := fault(t, call())
				if !errors.Is(f, row.err) || f.Offset != row.offset {
					t.Errorf("%s, one over: %v", name, f)
				}
			}
		})
	}
}

// readings are all ways to read a message under options.
func readings(o envelope.Options, data []byte) map[string]func() error {
	return map[string]func() error{
		"Decode":       func() error { _, err := o.Decode(bytes.Clone(data)); return err },
		"Peek":         func() error { _, err := o.Peek(data); return err },
		"AppendSet":    func() error { _, err := o.AppendSet(nil, data, "y", []byte(`1`)); return err },
		"AppendDelete": func() error { _, err := o.AppendDelete(nil, data, "y"); return err },
	}
}

func TestDefaultLimitsWithoutOptions(t *testing.T) {
	for _, data := range [][]byte{[]byte(nested(1001)), []byte(sized(16<<20 + 1)), []byte(fields(1025))} {
		want := readings(envelope.Options{}, data)["Decode"]().Error()
		plain := map[string]func() error{
			"Decode":        func() error { _, err := envelope.Decode(data); return err },
			"UnmarshalJSON": func() error { return new(envelope.Envelope).UnmarshalJSON(data) },
			"Peek":          func() error { _, err := envelope.Peek(data); return err },
			"AppendSet":     func() error { _, err := envelope.AppendSet(nil, data, "y", []byte(`1`)); return err },
			"AppendDelete":  func() error { _, err := envelope.AppendDelete(nil, data, "y"); return err },
		}
		for name, call := range plain {
			if err := call(); err == nil || err.Error() != want {
				t.Errorf("%s: %v, want %s", name, err, want)
			}
		}
	}
}

func TestRejectLookalikes(t *testing.T) {
	reject := envelope.Options{RejectLookalikes: true}
	rows := []struct {
		rule, name, core string // core is empty where the name is no look-alike
	}{
		{"another letter case", `TYPE`, "type"},
		{"one letter", `session_Id`, "session_id"},
		{"a long s", `ſession_id`, "session_id"},
		{"a long s, escaped", `\u017feſſion_id`, "session_id"},
		{"every letter escaped", `\u0050\u0041\u0059\u004c\u004f\u0041\u0044`, "payload"},
		{"event_seq", `event_ſEQ`, "event_seq"},
		{"arcp", `Arcp`, "arcp"},
		{"id", `ID`, "id"},
		{"trace_id", `Trace_ID`, "trace_id"},
		{"job_id", `JOB_ID`, "job_id"},
		{"a core field, escaped", `ty\u0070e`, ""},
		{"a space more", `TYPE `, ""},
		{"a NUL more", `TYPE\u0000`, ""},
		{"a dotless i", `ıd`, ""},
		{"a dotted I", `İd`, ""},
		{"a full-width letter", `ｔype`, ""},
		{"a dash", `session-id`, ""},
		{"a long name", strings.Repeat("TYPE", 200), ""},
		{"a long name, escaped", strings.Repeat(`\u0054`, 200), ""},
	}
	for _, row := range rows {
		t.Run(row.rule, func(t *testing.T) {
			input := fmt.Sprintf(`{"x":1,"%s":"v"}`, row.name)
			if e := decode(t, input); encode(t, e) != input {
				t.Error("by default it is not carried")
			}
			for name, call := range readings(reject, []byte(input)) {
				err := call()
				if row.core == "" {
					if err != nil {
						t.Errorf("%s: %v", name, err)
					}
					continue
				}
				f := fault(t, err)
				if !errors.Is(err, envelope.ErrLookalike) || f.Offset != 7 || !strings.EqualFold(f.Field, row.core) || !strings.Contains(f.Reason, row.core) {
					t.Errorf("%s: %v", name, err)
				}
			}
		})
	}
}

func TestRejectLookalikesOfAnEdit(t *testing.T) {
	dst := newUnchanged()
	out, err := envelope.Options{RejectLookalikes: true}.AppendSet(dst.dst, []byte(plain), "Type", []byte(`1`))
	if f := fault(t, err); !errors.Is(err, envelope.ErrLookalike) || f.Field != "Type" || f.Offset != -1 {
		t.Errorf("got %v", err)
	}
	dst.check(t, out)
	if _, err := envelope.AppendSet(nil, []byte(plain), "Type", []byte(`1`)); err != nil {
		t.Errorf("by default: %v", err)
	}
}
