package negotiate

import (
	"cmp"
	"strings"
)

const versionForm = "want digits joined by dots, no number with a leading zero"

// wellFormed says whether a version is one or more decimal numbers, joined by dots and without leading zeros. The numbers
// have no limit.
func wellFormed(version string) bool {
	for more := true; more; {
		var number string
		number, version, more = strings.Cut(version, ".")
		if number == "" || strings.Trim(number, "0123456789") != "" || number[0] == '0' && number != "0" {
			return false
		}
	}
	return true
}

// major gives the digits before the first dot.
func major(version string) string {
	number, _, _ := strings.Cut(version, ".")
	return number
}

// compareVersions compares two well-formed versions number by number, where one that is not there counts as 0.
func compareVersions(a, b string) int {
	for a != "" || b != "" {
		var x, y string
		x, a, _ = strings.Cut(a, ".")
		y, b, _ = strings.Cut(b, ".")
		if c := compareNumbers(x, y); c != 0 {
			return c
		}
	}
	return 0
}

// compareNumbers compares digits, since a peer may send more of them than any integer type holds.
func compareNumbers(a, b string) int {
	a, b = cmp.Or(a, "0"), cmp.Or(b, "0")
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}
