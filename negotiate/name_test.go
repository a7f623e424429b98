package negotiate_test

import (
	"errors"
	"net/netip"
	"regexp"
	"strings"
	"testing"

	"github.com/arcp-go/arcp/negotiate"
)

var (
	label63   = strings.Repeat("a", 63)
	domain253 = label63 + "." + label63 + "." + label63 + "." + strings.Repeat("a", 61)
)

var names = []struct {
	rule string
	name string
	want negotiate.Name
	why  string // in the error; empty for a well-formed name
}{
	{"plain is protocol-defined", "operations", negotiate.Name{Local: "operations"}, ""},
	{"plain may hold digits, underscores and hyphens", "_a-0", negotiate.Name{Local: "_a-0"}, ""},
	{"plain has no longest length", strings.Repeat("x", 5000), negotiate.Name{Local: strings.Repeat("x", 5000)}, ""},
	{"third-party", "example.com/gift-wrap", negotiate.Name{Domain: "example.com", Local: "gift-wrap"}, ""},
	{"third-party with many labels", "a.b.c.example.com/x", negotiate.Name{Domain: "a.b.c.example.com", Local: "x"}, ""},
	{"labels may start with a digit", "3com.com/x", negotiate.Name{Domain: "3com.com", Local: "x"}, ""},
	{"a label of digits before the last one", "1.2.3.com/x", negotiate.Name{Domain: "1.2.3.com", Local: "x"}, ""},
	{"punycode is a name as it stands", "xn--bcher-kva.example/x", negotiate.Name{Domain: "xn--bcher-kva.example", Local: "x"}, ""},
	{"label of 63", label63 + ".com/x", negotiate.Name{Domain: label63 + ".com", Local: "x"}, ""},
	{"domain of 253", domain253 + "/x", negotiate.Name{Domain: domain253, Local: "x"}, ""},

	{"upper case in the domain", "Example.com/x", negotiate.Name{}, "in the labels of the domain"},
	{"one label", "example/x", negotiate.Name{}, "two or more labels"},
	{"space in the domain", "exa mple.com/x", negotiate.Name{}, "in the labels of the domain"},
	{"nothing after the slash", "example.com/", negotiate.Name{}, "the part after the slash is empty"},
	{"nothing before the slash", "/x", negotiate.Name{}, "the domain before the slash is empty"},
	{"two slashes", "example.com/a/b", negotiate.Name{}, "more than one slash"},
	{"empty", "", negotiate.Name{}, "the name is empty"},
	{"upper case in a plain name", "Operations", negotiate.Name{}, "want only a-z"},
	{"dot in a plain name", "example.com", negotiate.Name{}, "a dot in a name that the protocol would define"},
	{"dot after the slash", "example.com/a.b", negotiate.Name{}, "in the part after the slash"},
	{"trailing dot", "example.com./x", negotiate.Name{}, "empty label"},
	{"leading dot", ".example.com/x", negotiate.Name{}, "empty label"},
	{"empty label", "a..example.com/x", negotiate.Name{}, "empty label"},
	{"label of 64", label63 + "a.com/x", negotiate.Name{}, "longer than 63"},
	{"domain of 254", domain253 + "a/x", negotiate.Name{}, "longer than 253"},
	{"hyphen starts a label", "-a.com/x", negotiate.Name{}, "starts or ends with '-'"},
	{"hyphen ends a label", "a-.com/x", negotiate.Name{}, "starts or ends with '-'"},
	{"underscore in a label", "a_b.com/x", negotiate.Name{}, "in the labels of the domain"},
	{"IPv4 address", "127.0.0.1/x", negotiate.Name{}, "an IP address is no domain"},
	{"what some parsers read as IPv4", "1.0x7f/x", negotiate.Name{}, "an IP address is no domain"},
	{"the same, empty", "1.0x/x", negotiate.Name{}, "an IP address is no domain"},
	{"IPv6 address", "[::1]/x", negotiate.Name{}, "in the labels of the domain"},
	{"port", "example.com:443/x", negotiate.Name{}, "in the labels of the domain"},
	{"not ASCII: Cyrillic", "ex\u0430mple.com/x", negotiate.Name{}, "in the labels of the domain"},
	{"not ASCII: long s", "operation\u017f", negotiate.Name{}, "want only a-z"},
	{"NUL", "operations\x00", negotiate.Name{}, "want only a-z"},
	{"invalid UTF-8", "operations\xff", negotiate.Name{}, "want only a-z"},
	{"percent-encoded slash", "example%2fx", negotiate.Name{}, "want only a-z"},
	{"white space around it", " operations", negotiate.Name{}, "want only a-z"},
}

func TestParseName(t *testing.T) {
	for _, row := range names {
		t.Run(row.rule, func(t *testing.T) {
			got, err := negotiate.ParseName(row.name)
			if row.why == "" {
				if err != nil || got != row.want {
					t.Fatalf("got %+v, %v, want %+v", got, err, row.want)
				}
				if got.String() != row.name {
					t.Errorf("written again it is %q", got)
				}
				if got.ThirdParty() != strings.Contains(row.name, "/") {
					t.Errorf("ThirdParty is %v", got.ThirdParty())
				}
				return
			}
			if !errors.Is(err, negotiate.ErrMalformed) || !strings.Contains(err.Error(), row.why) {
				t.Fatalf("error %v, want one that says %q", err, row.why)
			}
			if got != (negotiate.Name{}) {
				t.Errorf("got %+v beside the error", got)
			}
		})
	}
}

func TestParseNameErrorIsShortAndPrintable(t *testing.T) {
	_, err := negotiate.ParseName(strings.Repeat("\x1b[31m\u202e", 1_000_000))
	if text := err.Error(); len(text) > 600 || regexp.MustCompile(`[^ -~]`).MatchString(strings.ReplaceAll(text, "…", "")) {
		t.Errorf("error of %d bytes: %.700s", len(text), text)
	}
}

// The grammar again, as one expression; what it cannot count is beside it.
var nameGrammar = regexp.MustCompile(`\A(?:[a-z0-9_-]+|((?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+([a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?))/[a-z0-9_-]+)\z`)

var numberLabel = regexp.MustCompile(`\A(?:[0-9]+|0x[0-9a-f]*)\z`)

// oracleName says whether a name is well-formed, and gives what the expression has found in it.
func oracleName(name string) (m []string, ok bool) {
	m = nameGrammar.FindStringSubmatch(name)
	return m, m != nil && len(m[1]) <= 253 && !numberLabel.MatchString(m[2])
}

// TestEveryByteInAName puts every byte at places where the grammar differs.
func TestEveryByteInAName(t *testing.T) {
	for c := range 256 {
		b := string([]byte{byte(c)})
		for _, name := range []string{b, b + "a", "a" + b, b + "a.com/x", "a" + b + ".com/x", "a" + b + "a.com/x", "a.c" + b + "/x", "a." + b + "/x",
			"a." + b + b + "/x", "a.1" + b + "/x", "a.0x" + b + "/x", "a.0" + b + "1/x", "a.com" + b + "x", "a.com/" + b, "a.com/x" + b} {
			_, want := oracleName(name)
			if _, err := negotiate.ParseName(name); (err == nil) != want {
				t.Errorf("%q: error %v, want well-formed %v", name, err, want)
			}
		}
	}
}

func FuzzParseName(f *testing.F) {
	for _, row := range names {
		f.Add(row.name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		m, want := oracleName(name)
		got, err := negotiate.ParseName(name)
		if (err == nil) != want {
			t.Fatalf("%q: error %v, want well-formed %v", name, err, want)
		}
		if err != nil {
			return
		}
		if got.String() != name || got.Domain != m[1] {
			t.Fatalf("%q: got %+v", name, got)
		}
		if _, err := netip.ParseAddr(got.Domain); err == nil {
			t.Fatalf("%q: an IP address is a domain", name)
		}
	})
}
