package traceparent

import (
	"regexp"
	"strings"
	"testing"
)

const (
	id    = "4bf92f3577b34da6a3ce929d0e0e4736"
	span  = "00f067aa0ba902b7"
	valid = "00-" + id + "-" + span + "-01"
)

var rows = []struct {
	rule, text string
	ok         bool
}{
	{"version 00", valid, true},
	{"empty", "", false},
	{"one character short", valid[:54], false},
	{"version 00 ends after the flags", valid + "-x", false},
	{"version 00 ends after the flags, no dash", valid + "0", false},
	{"a higher version may end after the flags", "01" + valid[2:], true},
	{"a higher version may go on after a dash", "cc" + valid[2:] + "-what the future brings", true},
	{"a higher version may not go on without a dash", "cc" + valid[2:] + ".what", false},
	{"version ff", "ff" + valid[2:], false},
	{"version not hex", "0g" + valid[2:], false},
	{"upper case version", "0A" + valid[2:], false},
	{"upper case trace id", "00-" + strings.ToUpper(id) + "-" + span + "-01", false},
	{"all-zero trace id", "00-" + strings.Repeat("0", 32) + "-" + span + "-01", false},
	{"upper case parent id", "00-" + id + "-" + strings.ToUpper(span) + "-01", false},
	{"all-zero parent id", "00-" + id + "-" + strings.Repeat("0", 16) + "-01", false},
	{"flags not hex", valid[:53] + "0x", false},
	{"any flags", valid[:53] + "ff", true},
	{"first dash", "00." + valid[3:], false},
	{"second dash", valid[:35] + "." + valid[36:], false},
	{"third dash", valid[:52] + "." + valid[53:], false},
	{"space before", " " + valid, false},
}

func TestParse(t *testing.T) {
	for _, row := range rows {
		p, reason := Parse(row.text)
		if ok := reason == ""; ok != row.ok {
			t.Errorf("%s: got %q", row.rule, reason)
		}
		if row.ok && (p.TraceID != id || p.SpanID != span || p.Version != row.text[:2] || p.Flags != row.text[53:55]) {
			t.Errorf("%s: got %+v", row.rule, p)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, row := range rows {
		f.Add(row.text)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if _, reason := Parse(s); (reason == "") != oracle(s) {
			t.Errorf("Parse(%q): %q, want valid: %t", s, reason, oracle(s))
		}
	})
}

var grammar = regexp.MustCompile(`^(?s:00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}|[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}(-.*)?)$`)

// oracle says whether s is a traceparent.
func oracle(s string) bool {
	return grammar.MatchString(s) && s[:2] != "ff" && s[3:35] != strings.Repeat("0", 32) && s[36:52] != strings.Repeat("0", 16) &&
		(s[:2] != "00" || len(s) == 55)
}

// TestEveryByteAtEveryPlace puts every byte in the place of each one of a traceparent, and of a trace id.
func TestEveryByteAtEveryPlace(t *testing.T) {
	for b := range 256 {
		for i := range valid {
			s := valid[:i] + string([]byte{byte(b)}) + valid[i+1:]
			if _, reason := Parse(s); (reason == "") != oracle(s) {
				t.Errorf("Parse(%q): %q, want valid: %t", s, reason, oracle(s))
			}
		}
		for i := range id {
			s := id[:i] + string([]byte{byte(b)}) + id[i+1:]
			if want := oracle("00-" + s + "-" + span + "-01"); IsTraceID(s) != want {
				t.Errorf("IsTraceID(%q) is %t", s, !want)
			}
		}
	}
}

func TestZeroIDs(t *testing.T) {
	for i := range 32 {
		zeros := strings.Repeat("0", 32)
		one := zeros[:i] + "1" + zeros[i+1:]
		if IsTraceID(zeros) || !IsTraceID(one) || IsTraceID(one[1:]) || IsTraceID(one+"0") {
			t.Errorf("%s, all of it 0, one digit less or one more", one)
		}
	}
}
