package negotiate

import (
	"math/big"
	"regexp"
	"strings"
	"testing"
)

var digits = strings.Repeat("9", 100_000)

var versions = []struct {
	rule    string
	version string
	want    bool
}{
	{"one number", "1", true},
	{"two numbers", "1.4", true},
	{"three numbers", "1.4.0", true},
	{"zero", "0", true},
	{"zero and more", "0.0.1", true},
	{"beyond any integer type", digits, true},
	{"a million parts", strings.Repeat("1.", 999_999) + "1", true},
	{"leading zero", "01", false},
	{"leading zero in a later number", "1.01", false},
	{"only zeros", "00", false},
	{"empty", "", false},
	{"v before it", "v1", false},
	{"a letter", "1.x", false},
	{"minus", "-1", false},
	{"plus", "+1", false},
	{"empty number", "1..2", false},
	{"dot at the start", ".1", false},
	{"dot at the end", "1.", false},
	{"a dot alone", ".", false},
	{"a million dots", strings.Repeat(".", 1_000_000), false},
	{"white space", " 1", false},
	{"line break", "1\n", false},
	{"exponent", "1e3", false},
	{"pre-release", "1.0-beta", false},
	{"digits of another script", "\u0661", false},
	{"full-width digit", "\uff11", false},
	{"NUL", "1\x00", false},
	{"invalid UTF-8", "1\xff", false},
	{"underscores", "1_000", false},
}

func TestWellFormedVersion(t *testing.T) {
	for _, row := range versions {
		t.Run(row.rule, func(t *testing.T) {
			if got := wellFormed(row.version); got != row.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

var comparisons = []struct {
	rule string
	a, b string
	want int
}{
	{"equal", "1.4", "1.4", 0},
	{"a number that is not there is 0", "1", "1.0.0", 0},
	{"a number more", "1", "1.1", -1},
	{"by value, not by text", "1.9", "1.10", -1},
	{"the first difference decides", "2.0", "1.99", 1},
	{"zero", "0", "0.0.1", -1},
	{"more digits than any integer type holds", "1." + digits, "1.1" + digits, -1},
	{"equal numbers of many digits", "1." + digits, "1." + digits + ".0", 0},
}

func TestCompareVersions(t *testing.T) {
	for _, row := range comparisons {
		t.Run(row.rule, func(t *testing.T) {
			if got := compareVersions(row.a, row.b); got != row.want {
				t.Errorf("got %d, want %d", got, row.want)
			}
			if got := compareVersions(row.b, row.a); got != -row.want {
				t.Errorf("the other way round got %d, want %d", got, -row.want)
			}
		})
	}
}

func FuzzVersion(f *testing.F) {
	for _, row := range versions {
		if len(row.version) < 100 {
			f.Add(row.version, "1.4")
		}
	}
	for _, row := range comparisons {
		if len(row.a) < 100 {
			f.Add(row.a, row.b)
		}
	}
	grammar := regexp.MustCompile(`\A(?:0|[1-9][0-9]*)(?:\.(?:0|[1-9][0-9]*))*\z`)
	f.Fuzz(func(t *testing.T, a, b string) {
		if got, want := wellFormed(a), grammar.MatchString(a); got != want {
			t.Fatalf("%q: well-formed %v, want %v", a, got, want)
		}
		if !grammar.MatchString(a) || !grammar.MatchString(b) {
			return
		}
		if got, want := compareVersions(a, b), compareSlowly(a, b); got != want {
			t.Fatalf("%q and %q: got %d, want %d", a, b, got, want)
		}
		if first := strings.Split(a, ".")[0]; major(a) != first {
			t.Fatalf("%q: major %q, want %q", a, major(a), first)
		}
	})
}

// compareSlowly is compareVersions with numbers.
func compareSlowly(a, b string) int {
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	for i := range max(len(x), len(y)) {
		m, n := new(big.Int), new(big.Int)
		if i < len(x) {
			m.SetString(x[i], 10)
		}
		if i < len(y) {
			n.SetString(y[i], 10)
		}
		if c := m.Cmp(n); c != 0 {
			return c
		}
	}
	return 0
}
