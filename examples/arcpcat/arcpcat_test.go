package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/arcp-go/arcp/examples/internal/lines"
	"github.com/arcp-go/arcp/examples/internal/testkit"
)

const (
	tracing = "../../testdata/recordings/ts-tracing.ndjson"
	vendor  = "../../testdata/recordings/ts-vendor-extensions.ndjson"
	hostile = "testdata/hostile.ndjson"
)

func cat(in string, args ...string) (stdout, stderr string, status int) {
	var out, log bytes.Buffer
	status = run(args, strings.NewReader(in), &out, &log, false)
	return out.String(), log.String(), status
}

func TestOutput(t *testing.T) {
	tests := []struct {
		golden string
		args   []string
		status int
	}{
		{"table.txt", []string{vendor}, 0},
		{"table-extensions.txt", []string{tracing}, 0},
		{"table-hostile.txt", []string{hostile}, 0},
		{"table-type.txt", []string{"-type", "job.accepted", tracing}, 0},
		{"table-job.txt", []string{"-job", "…GG8E0Q1", tracing}, 0},
		{"check-hostile.txt", []string{"-check", hostile}, 1},
		{"check-several.txt", []string{"-check", vendor, hostile}, 1},
		{"get-kind.txt", []string{"-get", "payload.kind", vendor}, 0},
		{"get-trace.txt", []string{"-get", `extensions.x-vendor\.opentelemetry\.tracecontext.traceparent`, tracing}, 0},
		{"get-object.txt", []string{"-get", "payload.body", "-type", "job.event", vendor}, 0},
		{"get-hostile.txt", []string{"-get", "payload.kind", hostile}, 1},
	}
	for _, tt := range tests {
		t.Run(tt.golden, func(t *testing.T) {
			out, log, status := cat("", tt.args...)
			if status != tt.status {
				t.Errorf("status %d, want %d", status, tt.status)
			}
			testkit.Golden(t, tt.golden, out+"-- standard error --\n"+log)
		})
	}
}

func TestEveryRecordingChecksClean(t *testing.T) {
	files, err := filepath.Glob("../../testdata/recordings/*.ndjson")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	out, log, status := cat("", append([]string{"-check"}, files...)...)
	if out != "" || status != 0 || log != "arcpcat: lines: 183, problems: 0\n" {
		t.Errorf("status %d\n%s%s", status, out, log)
	}
}

func TestFilters(t *testing.T) {
	in := strings.Join([]string{
		`{"id":"1","type":"a","job_id":"job_1","x":1}`,
		`{"id":"2","type":"b","job_id":"job_11"}`,
		`{"id":"3","type":"a","extensions":{"x":1,"y":2}}`,
		`{"id":"4","type":"a.b","X":1}`,
	}, "\n")
	tests := []struct {
		rule string
		args []string
		want string
	}{
		{"none", nil, "1 2 3 4"},
		{"a type is the whole type", []string{"-type", "a"}, "1 3"},
		{"no such type", []string{"-type", "A"}, ""},
		{"a job by its whole id", []string{"-job", "job_1"}, "1"},
		{"a job by its end", []string{"-job", "_11"}, "2"},
		{"a job as the table shows it", []string{"-job", "…11"}, "2"},
		{"a mark alone is any job", []string{"-job", "…"}, "1 2"},
		{"an extension, in either place", []string{"-ext", "x"}, "1 3"},
		{"an extension inside extensions", []string{"-ext", "y"}, "3"},
		{"with the place", []string{"-ext", "extensions/y"}, "3"},
		{"letter case counts", []string{"-ext", "X"}, "4"},
		{"core fields are no extensions", []string{"-ext", "id"}, ""},
		{"several filters choose what passes all", []string{"-type", "a", "-ext", "x", "-job", "job_1"}, "1"},
	}
	for _, tt := range tests {
		out, log, status := cat(in, append(tt.args, "-get", "id")...)
		if got := strings.Join(strings.Fields(out), " "); got != tt.want || status != 0 {
			t.Errorf("%s: %v chooses %q, want %q; status %d\n%s", tt.rule, tt.args, got, tt.want, status, log)
		}
	}
}

func TestALineThatIsNoEnvelopePassesEveryFilter(t *testing.T) {
	args := []string{"-type", "a", "-job", "b", "-ext", "c"}
	if out, _, status := cat("]\n", args...); !strings.Contains(out, "(refused)") || status != 0 {
		t.Errorf("table: status %d\n%s", status, out)
	}
	if out, _, status := cat("]\n", append(args, "-check")...); !strings.HasPrefix(out, "line 1, field -, offset 0: ") || status != 1 {
		t.Errorf("-check: status %d\n%s", status, out)
	}
	if out, log, status := cat("]\n", append(args, "-get", "a")...); out != "" || !strings.Contains(log, "line 1 is no envelope") || status != 1 {
		t.Errorf("-get: status %d\n%s%s", status, out, log)
	}
}

func TestGet(t *testing.T) {
	tests := []struct{ rule, message, path, want string }{
		{"a string is its text", `{"a":"b \u0041 \"c\" \\ ž"}`, "a", `b A "c" \ ž`},
		{"on one line", `{"a":"b\nc\u2028d"}`, "a", `b\nc\u2028d`},
		{"safe on a terminal", `{"a":"\u001b[2J\u009b"}`, "a", `\x1b[2J\u009b`},
		{"a number keeps its text", `{"a":1.50e+02}`, "a", "1.50e+02"},
		{"a large one too", `{"a":12345678901234567890}`, "a", "12345678901234567890"},
		{"an object is its JSON on one line", `{"a":{"b" : [1.0, "\u0041\n"],` + "\t" + `"c":null}}`, "a", `{"b":[1.0,"\u0041\n"],"c":null}`},
		{"safe on a terminal as well", "{\"a\":[\"\u009b\U000e0001\"]}", "a", `["\u009b\udb40\udc01"]`},
		{"null is a value", `{"a":null}`, "a", "null"},
		{"absent is none", `{"a":1}`, "b", ""},
		{"a dot in a name", `{"x-vendor.acme.p":"hi","x-vendor":{"acme":{"p":"no"}}}`, `x-vendor\.acme\.p`, "hi"},
		{"a count", `{"a":[1,2,3]}`, "a.#", "3"},
		{"a modifier that makes lines", `{"a":{"b":1}}`, "a.@pretty", `{"b":1}`},
		{"a long string is whole", `{"a":"` + strings.Repeat("x", 1<<16) + `"}`, "a", strings.Repeat("x", 1<<16)},
	}
	for _, tt := range tests {
		want := tt.want
		if want != "" {
			want += "\n"
		}
		if out, log, status := cat(tt.message, "-get", tt.path); out != want || status != 0 {
			t.Errorf("%s: %q of %s is %.100q, want %.100q; status %d %s", tt.rule, tt.path, tt.message, out, want, status, log)
		}
	}
}

func TestDirectionFromTheNameOfARecording(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "run.in.ndjson"), filepath.Join(dir, "run.out.ndjson")
	for _, file := range []string{in, out} {
		if err := os.WriteFile(file, []byte("{\"id\":\"x\"}\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, _, _ := cat("{\"id\":\"x\"}\n", in, out, "-")
	rows := strings.Split(text, "\n")
	for i, want := range []string{"in", "out", "-"} {
		if got := strings.Fields(rows[i+1])[1]; got != want {
			t.Errorf("row %d has direction %q, want %q", i+1, got, want)
		}
	}
}

func TestCommandLine(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "none")
	tests := []struct {
		rule   string
		args   []string
		status int
		log    string
	}{
		{"help", []string{"-h"}, 0, "Usage: arcpcat"},
		{"an unknown flag", []string{"-x"}, 2, "not defined: -x"},
		{"two modes", []string{"-check", "-get", "a"}, 2, "exclude each other"},
		{"no such file", []string{missing}, 1, "no such file"},
		{"a folder", []string{t.TempDir()}, 1, "is a directory"},
		{"a file that is missing does not hide the next", []string{"-check", missing, hostile}, 1, "problems"},
	}
	for _, tt := range tests {
		if _, log, status := cat("", tt.args...); status != tt.status || !strings.Contains(log, tt.log) {
			t.Errorf("%s: status %d, want %d with %q:\n%s", tt.rule, status, tt.status, tt.log, log)
		}
	}
}

func TestColour(t *testing.T) {
	var out bytes.Buffer
	if status := run([]string{hostile}, nil, &out, io.Discard, true); status != 0 || !strings.Contains(out.String(), "\x1b[31m") {
		t.Errorf("status %d, problems are not red:\n%q", status, out.String())
	}
}

func TestReadingFails(t *testing.T) {
	var out, log bytes.Buffer
	in := io.MultiReader(strings.NewReader("{\"id\":\"1\"}\n"), iotest.ErrReader(errors.New("boom")))
	if status := run([]string{"-get", "id"}, in, &out, &log, false); status != 1 || out.String() != "1\n" || log.String() != "arcpcat: boom\n" {
		t.Errorf("status %d, output %q\n%s", status, out.String(), log.String())
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestWritingFails(t *testing.T) {
	for _, args := range [][]string{nil, {"-check"}, {"-get", "id"}} {
		var log bytes.Buffer
		in := strings.NewReader(strings.Repeat("{\"id\":\"1\"}\n", 10_000))
		if status := run(args, in, full{}, &log, false); status != 1 || strings.Count(log.String(), "disk full") != 1 {
			t.Errorf("%v: status %d\n%s", args, status, log.String())
		}
	}
}

func TestRowsAppearWhileInputWaits(t *testing.T) {
	inRead, inWrite := io.Pipe()
	outRead, outWrite := io.Pipe()
	done := make(chan int)
	go func() { done <- run([]string{"-get", "id"}, inRead, outWrite, io.Discard, false) }()
	for i := range 3 {
		if _, err := fmt.Fprintf(inWrite, "{\"id\":\"%d\"}\n", i); err != nil {
			t.Fatal(err)
		}
		got := make([]byte, 2)
		if _, err := io.ReadFull(outRead, got); err != nil || string(got) != fmt.Sprintln(i) {
			t.Fatalf("got %q, %v", got, err)
		}
	}
	inWrite.Close()
	if status := <-done; status != 0 {
		t.Errorf("status %d", status)
	}
}

func TestALongLine(t *testing.T) {
	in := `{"payload":"` + strings.Repeat("x", lines.MaxBytes) + "\"}\n{\"id\":\"1\"}\n"
	out, _, status := cat(in, "-check", "-type", "none")
	if status != 1 || strings.Count(out, "\n") != 1 || !strings.HasPrefix(out, "line 1, ") {
		t.Errorf("status %d\n%.500s", status, out)
	}
}

func TestFlagsAreDocumented(t *testing.T) {
	_, help, _ := cat("", "-h")
	testkit.FlagDoc(t, "../../docs/proxies.md", "arcpcat", help)
}
