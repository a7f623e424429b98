package negotiate

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/arcp-go/arcp/internal/scan"
)

// Name is the name of an extension, taken apart. Two names are the same extension exactly when they are equal.
type Name struct {
	// Domain is the DNS domain that the author of a third-party extension controls, such as "example.com". It is empty for an
	// extension that the protocol itself defines.
	Domain string
	// Local is the name within the domain, or the whole name of an extension that the protocol defines.
	Local string
}

// ThirdParty says whether somebody other than the protocol defines the extension.
func (n Name) ThirdParty() bool { return n.Domain != "" }

// String gives the name as it stands on the wire, such as "operations" or "example.com/gift-wrap".
func (n Name) String() string {
	if n.Domain == "" {
		return n.Local
	}
	return n.Domain + "/" + n.Local
}

// ParseName takes the name of an extension apart, or says in an error, which wraps [ErrMalformed], what is wrong with it.
//
// A name that the protocol defines is one or more of a-z, 0-9, "_" and "-". A third-party name is a DNS domain of two or more
// labels, a slash, and a name of those characters. Names are compared byte for byte, so a domain has to be written in one
// way: lower case, without a trailing dot, and an internationalized one in its ASCII form ("xn--bcher-kva.example"), which is
// not decoded. An IP address is no domain.
func ParseName(name string) (Name, error) {
	n, flaw := splitName(name)
	if flaw != "" {
		return Name{}, fmt.Errorf("%w: extension name %s: %s", ErrMalformed, strconv.QuoteToASCII(scan.Clip(name)), flaw)
	}
	return n, nil
}

// splitName takes a name apart and says what is wrong with it; nothing is "".
func splitName(name string) (n Name, flaw string) {
	domain, local, third := strings.Cut(name, "/")
	if !third {
		return Name{Local: name}, localFlaw(name, false)
	}
	if flaw = domainFlaw(domain); flaw == "" {
		flaw = localFlaw(local, true)
	}
	return Name{Domain: domain, Local: local}, flaw
}

// localFlaw says what is wrong with the part of a name that is no domain.
func localFlaw(local string, third bool) string {
	for i := range len(local) {
		switch c := local[i]; {
		case lowerOrDigit(c) || c == '_' || c == '-':
		case c == '/':
			return "more than one slash"
		case c == '.' && !third:
			return "a dot in a name that the protocol would define; a third-party name is a domain, a slash and a name"
		default:
			return "want only a-z, 0-9, '_' and '-' in " + part(third)
		}
	}
	if local == "" {
		return part(third) + " is empty"
	}
	return ""
}

func part(third bool) string {
	if third {
		return "the part after the slash"
	}
	return "the name"
}

// What DNS allows, in bytes (RFC 1035 §2.3.4; a domain without the trailing dot).
const (
	longestDomain = 253
	longestLabel  = 63
)

// domainFlaw says what keeps a text from being a DNS domain of two or more labels.
func domainFlaw(domain string) string {
	if domain == "" {
		return "the domain before the slash is empty"
	}
	if len(domain) > longestDomain {
		return "the domain is longer than 253 bytes"
	}
	labels := strings.Split(domain, ".")
	for _, label := range labels {
		if flaw := labelFlaw(label); flaw != "" {
			return flaw
		}
	}
	if len(labels) < 2 {
		return "want a domain of two or more labels before the slash"
	}
	if numeric(labels[len(labels)-1]) {
		return "an IP address is no domain"
	}
	return ""
}

func labelFlaw(label string) string {
	switch {
	case label == "":
		return "the domain has an empty label"
	case len(label) > longestLabel:
		return "the domain has a label longer than 63 bytes"
	case label[0] == '-' || label[len(label)-1] == '-':
		return "a label of the domain starts or ends with '-'"
	}
	for i := range len(label) {
		if c := label[i]; !lowerOrDigit(c) && c != '-' {
			return "want only a-z, 0-9 and '-' in the labels of the domain"
		}
	}
	return ""
}

// numeric says whether the last label of a host makes it an IPv4 address for some parser: decimal, octal and hexadecimal
// numbers do.
func numeric(label string) bool {
	digits, hex := strings.CutPrefix(label, "0x")
	return strings.Trim(digits, "0123456789") == "" || hex && strings.Trim(digits, "0123456789abcdef") == ""
}

func lowerOrDigit(c byte) bool { return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' }
