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
	oracle := regexp.MustCompile(`^(?s:00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}|[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}(-.*)?)$`)
	f.Fuzz(func(t *testing.T, s string) {
		want := oracle.MatchString(s) && s[:2] != "ff" && s[3:35] != strings.Repeat("0", 32) && s[36:52] != strings.Repeat("0", 16) &&
			(s[:2] != "00" || len(s) == 55)
		if _, reason := Parse(s); (reason == "") != want {
			t.Errorf("Parse(%q): %q, want valid: %t", s, reason, want)
		}
	})
}
