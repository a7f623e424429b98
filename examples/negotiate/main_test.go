package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arcp-go/arcp/examples/internal/testkit"
)

func TestGolden(t *testing.T) {
	for _, row := range []struct {
		golden string
		args   []string
	}{
		{"built-in.txt", nil},
		{"implements.txt", []string{"-implements", "operations=1", "-implements", "payments=1,2", "-implements", "example.com/gift-wrap=1", "-implements", "example.com/gift-wrap=2"}},
		{"nothing.txt", []string{"testdata/none.json", "testdata/none.json"}},
		{"hostile.txt", []string{"testdata/hostile.json", "agent.json"}},
	} {
		t.Run(row.golden, func(t *testing.T) {
			var out, errOut bytes.Buffer
			if code := run(row.args, &out, &errOut); code != 0 || errOut.Len() > 0 {
				t.Fatalf("exit %d, %s", code, &errOut)
			}
			testkit.Golden(t, row.golden, out.String())
		})
	}
}

func TestExitCodes(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "bad.json")
	if err := os.WriteFile(bad, []byte(`{"extensions":{"a":{},"a":{}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		rule string
		args []string
		out  io.Writer
		code int
		want string // on standard error
	}{
		{"help", []string{"-h"}, io.Discard, 0, "Usage: negotiate"},
		{"one file", []string{"company.json"}, io.Discard, 2, "want two files or none, got 1"},
		{"three files", []string{"a", "b", "c"}, io.Discard, 2, "want two files or none, got 3"},
		{"no such flag", []string{"-x"}, io.Discard, 2, "Usage: negotiate"},
		{"no version in -implements", []string{"-implements", "operations"}, io.Discard, 2, "want name=major"},
		{"a malformed version in -implements", []string{"-implements", "operations=1,x"}, io.Discard, 2, `major version "x": want a number`},
		{"a negative version in -implements", []string{"-implements", "operations=-1"}, io.Discard, 2, `major version "-1": want a number`},
		{"a malformed name in -implements", []string{"-implements", "Operations=1"}, io.Discard, 2, "extension name"},
		{"no such company file", []string{"missing.json", "agent.json"}, io.Discard, 1, "missing.json"},
		{"no such agent file", []string{"company.json", "missing.json"}, io.Discard, 1, "missing.json"},
		{"a malformed document", []string{bad, "agent.json"}, io.Discard, 1, `field "a": byte 22: the name is there twice`},
		{"output that fails", nil, broken{}, 1, "negotiate: disk full"},
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
