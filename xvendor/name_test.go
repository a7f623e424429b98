package xvendor_test

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/arcp-go/arcp/xvendor"
)

var goodNames = []struct{ rule, name, company, key string }{
	{"the guide's own example", "x-vendor.acme.priority", "acme", "priority"},
	{"a key may have several parts", "x-vendor.opentelemetry.tracecontext.v2", "opentelemetry", "tracecontext.v2"},
	{"digits, underscores and hyphens anywhere in a part", "x-vendor.0-a_.-.__.9", "0-a_", "-.__.9"},
	{"one character is enough", "x-vendor.a.b", "a", "b"},
	{"only the company decides what is reserved", "x-vendor.acme.arcp", "acme", "arcp"},
	{"a company that only starts like the reserved one", "x-vendor.arcp2.x", "arcp2", "x"},
	{"the prefix may come again", "x-vendor.x-vendor.x-vendor", "x-vendor", "x-vendor"},
}

func TestParseGood(t *testing.T) {
	for _, test := range goodNames {
		t.Run(test.rule, func(t *testing.T) {
			n, err := xvendor.Parse(test.name)
			if err != nil {
				t.Fatal(err)
			}
			got := [3]string{n.String(), n.Company(), n.Key()}
			if diff := cmp.Diff([3]string{test.name, test.company, test.key}, got); diff != "" {
				t.Errorf("name, company and key differ (-want +got):\n%s", diff)
			}
			if err := xvendor.Validate(test.name); err != nil {
				t.Errorf("Validate: %v", err)
			}
			if n != xvendor.MustParse(strings.Clone(test.name)) {
				t.Error("two Names of one text are not equal")
			}
		})
	}
}

var badNames = []struct {
	rule, name string
	part       string
	offset     int
	is         error
}{
	{"empty", "", "prefix", 0, xvendor.ErrMalformed},
	{"another prefix", "vendor.acme.x", "prefix", 0, xvendor.ErrMalformed},
	{"only part of the prefix", "x-vendor", "prefix", 8, xvendor.ErrMalformed},
	{"no prefix of vendor names", "x-acme.priority", "prefix", 2, xvendor.ErrMalformed},
	{"prefix in another case", "X-vendor.acme.x", "prefix", 0, xvendor.ErrMalformed},
	{"prefix in another case, later", "x-Vendor.acme.x", "prefix", 2, xvendor.ErrMalformed},
	{"white space before", " x-vendor.acme.x", "prefix", 0, xvendor.ErrMalformed},
	{"prefix alone", "x-vendor.", "company", 9, xvendor.ErrMalformed},
	{"empty company", "x-vendor..x", "company", 9, xvendor.ErrMalformed},
	{"upper case in the company", "x-vendor.acMe.x", "company", 11, xvendor.ErrMalformed},
	{"space in the company", "x-vendor.ac me.x", "company", 11, xvendor.ErrMalformed},
	{"non-ASCII in the company", "x-vendor.acmé.x", "company", 12, xvendor.ErrMalformed},
	{"non-ASCII before any company", "x-vendor.é", "company", 9, xvendor.ErrMalformed},
	{"missing key", "x-vendor.acme", "key", 13, xvendor.ErrMalformed},
	{"a guide's counter-example has no key either", "x-vendor.experimental", "key", 21, xvendor.ErrMalformed},
	{"empty key", "x-vendor.acme.", "key", 14, xvendor.ErrMalformed},
	{"empty part first in the key", "x-vendor.acme..x", "key", 14, xvendor.ErrMalformed},
	{"empty part within the key", "x-vendor.acme.a..b", "key", 16, xvendor.ErrMalformed},
	{"empty part last in the key", "x-vendor.acme.a.", "key", 16, xvendor.ErrMalformed},
	{"upper case in the key", "x-vendor.acme.Priority", "key", 14, xvendor.ErrMalformed},
	{"space in the key", "x-vendor.acme.a b", "key", 15, xvendor.ErrMalformed},
	{"line feed after the key", "x-vendor.acme.a\n", "key", 15, xvendor.ErrMalformed},
	{"NUL in the key", "x-vendor.acme.a\x00", "key", 15, xvendor.ErrMalformed},
	{"slash in the key", "x-vendor.acme.a/b", "key", 15, xvendor.ErrMalformed},
	{"a letter that folds to ASCII", "x-vendor.acme.\u017f", "key", 14, xvendor.ErrMalformed},
	{"invalid UTF-8", "x-vendor.acme.\xff", "key", 14, xvendor.ErrMalformed},
	{"reserved", "x-vendor.arcp.x", "company", 9, xvendor.ErrReserved},
	{"reserved, deeper", "x-vendor.arcp.acme.x", "company", 9, xvendor.ErrReserved},
	{"the reserved company without a key is no name", "x-vendor.arcp", "key", 13, xvendor.ErrMalformed},
	{"grammar comes before reservation", "x-vendor.arcp.X", "key", 14, xvendor.ErrMalformed},
	{"reserved in another case is malformed", "x-vendor.ARCP.x", "company", 9, xvendor.ErrMalformed},
}

func TestParseBad(t *testing.T) {
	for _, test := range badNames {
		t.Run(test.rule, func(t *testing.T) {
			n, err := xvendor.Parse(test.name)
			if n != (xvendor.Name{}) {
				t.Errorf("a failed Parse gave the name %q", n)
			}
			var got *xvendor.NameError
			if !errors.As(err, &got) {
				t.Fatalf("Parse gave %v, want a *NameError", err)
			}
			want := &xvendor.NameError{Name: test.name, Part: test.part, Offset: test.offset}
			if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(xvendor.NameError{}, "Reason"), cmpopts.IgnoreUnexported(xvendor.NameError{})); diff != "" {
				t.Errorf("error differs (-want +got):\n%s", diff)
			}
			for _, sentinel := range []error{xvendor.ErrMalformed, xvendor.ErrReserved} {
				if errors.Is(err, sentinel) != (sentinel == test.is) {
					t.Errorf("errors.Is(%q, %q) = %v", err, sentinel, errors.Is(err, sentinel))
				}
			}
			if !strings.Contains(err.Error(), test.part) {
				t.Errorf("%q does not say which part is wrong", err)
			}
			if validate := xvendor.Validate(test.name); validate == nil || validate.Error() != err.Error() {
				t.Errorf("Validate says %v, Parse %v", validate, err)
			}
		})
	}
}

func TestNameErrorText(t *testing.T) {
	for _, test := range []struct{ rule, name, want string }{
		{"place and reason", "x-vendor.acme.A",
			`malformed vendor name "x-vendor.acme.A": key at byte 14: may hold only a-z, 0-9, "_" and "-"`},
		{"reserved", "x-vendor.arcp.a",
			`reserved vendor name "x-vendor.arcp.a": company at byte 9: arcp is reserved for the protocol`},
		{"escaped for a log", "x-vendor.\n\u202e.a",
			`malformed vendor name "x-vendor.\n\u202e.a": company at byte 9: may hold only a-z, 0-9, "_" and "-"`},
		{"cut to a sane length", "x-vendor.acme." + strings.Repeat("a", 1<<20) + "!",
			`malformed vendor name "x-vendor.acme.` + strings.Repeat("a", 50) + `\u2026 (1048591 bytes)": key at byte 1048590: may hold only a-z, 0-9, "_" and "-"`},
	} {
		t.Run(test.rule, func(t *testing.T) {
			if got := fmt.Sprint(xvendor.Validate(test.name)); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestMustParsePanics(t *testing.T) {
	defer func() {
		if err, ok := recover().(error); !ok || !errors.Is(err, xvendor.ErrMalformed) {
			t.Errorf("MustParse of a bad name panicked with %v, want the error of Parse", err)
		}
	}()
	xvendor.MustParse("priority")
}

func TestZeroName(t *testing.T) {
	var n xvendor.Name
	if n.String() != "" || n.Company() != "" || n.Key() != "" {
		t.Errorf("the zero Name has text: %q %q %q", n.String(), n.Company(), n.Key())
	}
}

func TestIsVendorAndIsReserved(t *testing.T) {
	for _, test := range []struct {
		name             string
		vendor, reserved bool
	}{
		{"x-vendor.acme.priority", true, false},
		{"x-vendor.acme", true, false},
		{"x-vendor.experimental", true, false},
		{"x-vendor.ACME/!", true, false},
		{"x-vendor..", true, false},
		{"x-vendor.arcp.x", true, true},
		{"x-vendor.arcp.X", true, true},
		{"x-vendor.arcp.", true, true},
		{"x-vendor.arcp", true, false},
		{"x-vendor.arcp2.x", true, false},
		{"x-vendor.", false, false},
		{"x-vendor", false, false},
		{"X-Vendor.acme.x", false, false},
		{"X-VENDOR.arcp.x", false, false},
		{" x-vendor.acme.x", false, false},
		{"progress", false, false},
		{"", false, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := xvendor.IsVendor(test.name); got != test.vendor {
				t.Errorf("IsVendor(%q) = %v", test.name, got)
			}
			if got := xvendor.IsReserved(test.name); got != test.reserved {
				t.Errorf("IsReserved(%q) = %v", test.name, got)
			}
		})
	}
}

var grammar = regexp.MustCompile(`\Ax-vendor\.([a-z0-9_-]+)\.([a-z0-9_-]+(?:\.[a-z0-9_-]+)*)\z`)

func FuzzParse(f *testing.F) {
	for _, test := range goodNames {
		f.Add(test.name)
	}
	for _, test := range badNames {
		f.Add(test.name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		n, err := xvendor.Parse(name)
		match := grammar.FindStringSubmatch(name)
		switch {
		case match == nil:
			if !errors.Is(err, xvendor.ErrMalformed) {
				t.Fatalf("Parse(%q) = %v, want ErrMalformed", name, err)
			}
		case match[1] == "arcp":
			if !errors.Is(err, xvendor.ErrReserved) || !xvendor.IsReserved(name) || !xvendor.IsVendor(name) {
				t.Fatalf("Parse(%q) = %v, want ErrReserved", name, err)
			}
		case err != nil:
			t.Fatalf("Parse(%q) = %v", name, err)
		case n.String() != name || n.Company() != match[1] || n.Key() != match[2]:
			t.Fatalf("Parse(%q) = %q, company %q, key %q", name, n, n.Company(), n.Key())
		case !xvendor.IsVendor(name) || xvendor.IsReserved(name):
			t.Fatalf("%q is valid and not a vendor's", name)
		}
		var bad *xvendor.NameError
		if errors.As(err, &bad) && (bad.Offset < 0 || bad.Offset > len(name)) {
			t.Fatalf("Parse(%q): offset %d", name, bad.Offset)
		}
	})
}

// TestEveryCharacter puts every byte into a company and into a key.
func TestEveryCharacter(t *testing.T) {
	const good = "abcdefghijklmnopqrstuvwxyz0123456789_-."
	for c := range 256 {
		b := string([]byte{byte(c)})
		for _, name := range []string{"x-vendor.a" + b + "b.k", "x-vendor.acme.a" + b + "b"} {
			if err := xvendor.Validate(name); (err == nil) != strings.Contains(good, b) {
				t.Errorf("%q: %v", name, err)
			}
		}
	}
}
