package conformance

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/arcp-go/arcp/envelopetest"
	"github.com/arcp-go/arcp/internal/bench"
)

var update = flag.Bool("update", false, "write docs/conformance.md")

// TestPage checks that docs/conformance.md is what the codecs do, and that
// this module's does what every rule asks for.
func TestPage(t *testing.T) {
	rows := Run(envelopetest.Fixtures())
	for _, r := range rows {
		for _, o := range r.Outcomes["arcp"] {
			if want := map[envelopetest.Verdict]Outcome{envelopetest.Carry: Carried, envelopetest.Refuse: Refused}[r.Verdict]; o != want {
				t.Errorf("%s, %s: %s, want %s", r.Section, r.Rule, o, want)
			}
		}
	}
	page, path := Page(rows), filepath.Join("..", "..", "..", "docs", "conformance.md")
	if *update && bench.SonicNative() {
		if err := os.WriteFile(path, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if !bench.SonicNative() {
		return // its column would be one more of encoding/json's, which the page does not show
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != page {
		t.Error("docs/conformance.md is not what the codecs do: run `go test ./conformance -update` and look at the difference")
	}
}
