package envelopetest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

type codec = func([]byte) ([]byte, error)

// recorder is a testing.TB that keeps what it is told.
type recorder struct {
	testing.TB
	errors, logs []string
}

func (r *recorder) Helper() {}
func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}
func (r *recorder) Logf(format string, args ...any) {
	r.logs = append(r.logs, fmt.Sprintf(format, args...))
}

// failed returns the names of the cases that reported an error, sorted.
func (r *recorder) failed() []string {
	names := []string{}
	for _, e := range r.errors {
		name, _, _ := strings.Cut(e, ":")
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

var verdicts = map[string]error{}

// judge is the oracle's verdict, remembered: dozens of codecs ask for the same.
func judge(data []byte) error {
	if len(data) > maxInOrder {
		_, err := oracle(data)
		return err
	}
	err, ok := verdicts[string(data)]
	if !ok {
		_, err = oracle(data)
		verdicts[string(data)] = err
	}
	return err
}

// lossless is a codec without a fault; every faulty one is built on it, and
// does its wrong only where there is something to do wrong.
func lossless(data []byte) ([]byte, error) {
	if err := judge(data); err != nil {
		return nil, err
	}
	return data, nil
}

// editing is a codec that writes its message anew when edit changes a field.
func editing(edit func([]field) []field) codec {
	return func(data []byte) ([]byte, error) {
		if err := judge(data); err != nil {
			return nil, err
		}
		before := split(data)
		after := edit(slices.Clone(before))
		if slices.EqualFunc(before, after, func(a, b field) bool { return a.rawName == b.rawName && string(a.value) == string(b.value) }) {
			return data, nil
		}
		return join(after), nil
	}
}

func join(fields []field) []byte {
	var parts []string
	for _, f := range fields {
		parts = append(parts, f.rawName+":"+string(f.value))
	}
	return []byte("{" + strings.Join(parts, ",") + "}")
}

var core = []string{"arcp", "id", "type", "session_id", "trace_id", "job_id", "event_seq", "payload"}

func dropsUnknown(fields []field) []field {
	return slices.DeleteFunc(fields, func(f field) bool { return !slices.Contains(core, f.name) })
}

// foldsCase reads a name as encoding/json reads it into a struct.
func foldsCase(fields []field) []field {
	var out []field
	for _, f := range fields {
		for _, c := range core {
			if strings.EqualFold(c, f.name) && c != f.name {
				f.name, f.rawName = c, strconv.Quote(c)
			}
		}
		if i := slices.IndexFunc(out, func(o field) bool { return o.name == f.name }); i >= 0 {
			out[i] = f
			continue
		}
		out = append(out, f)
	}
	return out
}

func reorders(fields []field) []field {
	slices.SortStableFunc(fields, func(a, b field) int { return strings.Compare(a.name, b.name) })
	return fields
}

func losesZero(fields []field) []field {
	return slices.DeleteFunc(fields, func(f field) bool { return f.name == "event_seq" && string(f.value) == "0" })
}

func dropsNull(fields []field) []field {
	return slices.DeleteFunc(fields, func(f field) bool {
		return slices.Contains(core, f.name) && f.name != "payload" && string(f.value) == "null"
	})
}

func payloadAsObject(fields []field) []field {
	for i, f := range fields {
		if f.name == "payload" && f.value[0] != '{' {
			fields[i].value = json.RawMessage("{}")
		}
	}
	return fields
}

// lastWins lets the last of two fields of the same name win.
func lastWins(data []byte) ([]byte, error) {
	root, err := parse(data)
	if err != nil || kindOf(root) != "object" || len(root.kids) > maxMembers {
		return lossless(data)
	}
	var out []field
	for _, f := range split(data) {
		out = append(slices.DeleteFunc(out, func(o field) bool { return o.name == f.name }), f)
	}
	if len(out) < len(root.kids) {
		return lossless(join(out))
	}
	return lossless(data)
}

var numberOrString = regexp.MustCompile(`"(\\.|[^"\\])*"|-?[0-9][-+.0-9eE]*`)

// rewritesNumbers passes numbers through a float64, as encoding/json does by default.
func rewritesNumbers(data []byte) ([]byte, error) {
	if err := judge(data); err != nil {
		return nil, err
	}
	var failed error
	out := numberOrString.ReplaceAllFunc(data, func(tok []byte) []byte {
		if tok[0] == '"' {
			return tok
		}
		n, err := strconv.ParseFloat(string(tok), 64)
		if err != nil {
			failed = err
			return tok
		}
		text, _ := json.Marshal(n)
		return text
	})
	return out, failed
}

var escapeOrPair = regexp.MustCompile(`(?i)\\[^u]|\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|\\ud[89a-f][0-9a-f]{2}`)

// replacesSurrogates does what decoding into a Go string does.
func replacesSurrogates(data []byte) ([]byte, error) {
	return lossless(escapeOrPair.ReplaceAllFunc(data, func(esc []byte) []byte {
		if len(esc) == 6 {
			return []byte(`\ufffd`)
		}
		return esc
	}))
}

// splitsLines takes a message to end with its first line.
func splitsLines(data []byte) ([]byte, error) {
	line, _, _ := bytes.Cut(data, []byte("\n"))
	return lossless(line)
}

// reformats does what encoding/json does with the result of a MarshalJSON.
func reformats(data []byte) ([]byte, error) {
	if err := judge(data); err != nil {
		return nil, err
	}
	return json.Marshal(json.RawMessage(data))
}

func trims(data []byte) ([]byte, error) { return lossless(bytes.TrimSpace(data)) }

func skipsMark(data []byte) ([]byte, error) {
	return lossless(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))
}

// takesFirst reads one value from a stream, as a json.Decoder does.
func takesFirst(data []byte) ([]byte, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	var first json.RawMessage
	if err := dec.Decode(&first); err != nil {
		return lossless(data)
	}
	if _, err := dec.Token(); err == io.EOF {
		return lossless(data)
	}
	return lossless(first)
}

// acceptsInvalidUTF8 reads invalid UTF-8 as U+FFFD, as encoding/json does.
func acceptsInvalidUTF8(data []byte) ([]byte, error) {
	return lossless(bytes.ToValidUTF8(data, []byte("\uFFFD")))
}

// without is a codec that passes on what the oracle refuses for one reason.
func without(reason string) codec {
	return func(data []byte) ([]byte, error) {
		if err := judge(data); err != nil && !strings.Contains(err.Error(), reason) {
			return nil, err
		}
		return data, nil
	}
}

func refusesSurrogates(data []byte) ([]byte, error) {
	for _, tok := range numberOrString.FindAllString(string(data), -1) {
		if tok[0] == '"' && !escapesAreWhole(tok) {
			return nil, errors.New("lone surrogate")
		}
	}
	return lossless(data)
}

func escapesAreWhole(tok string) bool {
	for _, esc := range escapeOrPair.FindAllString(tok, -1) {
		if len(esc) == 6 {
			return false
		}
	}
	return true
}

// panics is a codec that takes a payload's first byte for a brace.
func panics(data []byte) ([]byte, error) {
	e, err := oracle(data)
	if err != nil {
		return nil, err
	}
	if e.Payload != nil {
		_ = e.Payload[1]
	}
	return data, nil
}

// large are the cases of many megabytes, which the oracle is slow on. Only the
// faults about size run them.
func large() (names []string) {
	for _, f := range Fixtures() {
		if f.File == "" {
			names = append(names, f.Name)
		}
	}
	return names
}

// names returns the cases that match.
func names(match func(Fixture) bool) []string {
	list := []string{}
	for _, f := range Fixtures() {
		if f.File != "" && match(f) {
			list = append(list, f.Name)
		}
	}
	slices.Sort(list)
	return list
}

// TestFaults: a codec with one planted fault fails exactly the cases that are
// about it, and with EqualAsJSON those that lose a value.
func TestFaults(t *testing.T) {
	for _, tt := range faults {
		t.Run(tt.name, func(t *testing.T) {
			leave := Without(large()...)
			if tt.size {
				leave = func(*options) {}
			}
			exact := &recorder{TB: t}
			TestForward(exact, tt.codec, leave)
			if diff := cmp.Diff(tt.fails(), exact.failed()); diff != "" {
				t.Errorf("failed cases, -want +got:\n%s", diff)
			}
			want := tt.fails()
			if tt.asJSON != nil {
				want = tt.asJSON()
			}
			asJSON := &recorder{TB: t}
			TestForward(asJSON, tt.codec, leave, EqualAsJSON())
			if diff := cmp.Diff(want, asJSON.failed()); diff != "" {
				t.Errorf("failed cases with EqualAsJSON, -want +got:\n%s", diff)
			}
			for _, e := range slices.Concat(exact.errors, asJSON.errors) {
				if len(e) > 30_000 || !utf8.ValidString(e) {
					t.Errorf("a report of %d bytes: %.200q", len(e), e)
				}
			}
		})
	}
}
