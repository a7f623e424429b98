package testkit

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var (
	documented = regexp.MustCompile("^\\| `-([a-z][a-z-]*)[` ]")
	helped     = regexp.MustCompile(`^  -([a-z][a-z-]*)`)
)

// FlagDoc fails the test unless the flags in the section of a Markdown page
// that is headed with the program's name, one in the first cell of each table
// row, are those that its help text, as package flag prints it, lists.
func FlagDoc(t *testing.T, page, program, help string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	inSection := false
	var inDoc, inHelp []string
	for line := range strings.Lines(string(text)) {
		if heading, ok := strings.CutPrefix(line, "## "); ok {
			inSection = strings.TrimSpace(heading) == program
		}
		if m := documented.FindStringSubmatch(line); m != nil && inSection {
			inDoc = append(inDoc, m[1])
		}
	}
	for line := range strings.Lines(help) {
		if m := helped.FindStringSubmatch(line); m != nil {
			inHelp = append(inHelp, m[1])
		}
	}
	if len(inHelp) == 0 {
		t.Fatalf("no flag in the help text of %s:\n%s", program, help)
	}
	slices.Sort(inDoc)
	slices.Sort(inHelp)
	if diff := cmp.Diff(inHelp, inDoc); diff != "" {
		t.Errorf("flags of %s in its help (-) and in %s (+):\n%s", program, page, diff)
	}
}
