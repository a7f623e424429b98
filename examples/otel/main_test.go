package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestRunPrintsSpans(t *testing.T) {
	for place, traces := range map[string]int{"top": 1, "extensions": 1, "payload": 1, "all": 3} {
		t.Run(place, func(t *testing.T) {
			var out, errOut bytes.Buffer
			if code := run([]string{"-wire", "-place", place}, &out, &errOut); code != 0 {
				t.Fatalf("exit %d: %s", code, &errOut)
			}
			seen := make(map[string]int)
			decoder := json.NewDecoder(&out)
			for {
				var span struct{ SpanContext struct{ TraceID string } }
				err := decoder.Decode(&span)
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				seen[span.SpanContext.TraceID]++
			}
			if len(seen) != traces {
				t.Errorf("%d traces, want %d", len(seen), traces)
			}
			for id, spans := range seen {
				if spans != len(chain) {
					t.Errorf("trace %s has %d spans, want %d", id, spans, len(chain))
				}
			}
			if got := strings.Count(errOut.String(), "\n"); got != 4*traces {
				t.Errorf("%d messages, want %d", got, 4*traces)
			}
		})
	}
}

func TestRunExitCodes(t *testing.T) {
	for _, row := range []struct {
		rule string
		args []string
		out  io.Writer
		code int
		want string // on standard error
	}{
		{"no such place", []string{"-place", "header"}, io.Discard, 2, `-place "header"`},
		{"no such flag", []string{"-x"}, io.Discard, 2, "Usage: otel"},
		{"an argument", []string{"x"}, io.Discard, 2, `unexpected argument "x"`},
		{"help", []string{"-h"}, io.Discard, 0, "Usage: otel"},
		{"output that fails", nil, broken{}, 1, "otel: disk full"},
	} {
		t.Run(row.rule, func(t *testing.T) {
			var errOut bytes.Buffer
			if code := run(row.args, row.out, &errOut); code != row.code || !strings.Contains(errOut.String(), row.want) {
				t.Errorf("exit %d, %s", code, &errOut)
			}
		})
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("disk full") }
