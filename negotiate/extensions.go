package negotiate

import (
	"maps"
	"slices"
	"strconv"

	"github.com/arcp-go/arcp/internal/scan"
)

// Reason says what became of one extension, in words for a log.
type Reason string

// The reasons. Where several apply the first of this list is given, except that Agreed stands for none of them.
const (
	Agreed              Reason = "agreed"
	MalformedName       Reason = "malformed name"
	MalformedDescriptor Reason = "malformed descriptor" // not an object, or a field twice
	MalformedVersion    Reason = "malformed version"    // also an absent one
	MalformedEndpoint   Reason = "malformed endpoint"   // not an absolute https URL without user info
	OnlyCompany         Reason = "only the company lists it"
	OnlyAgent           Reason = "only the agent lists it"
	MajorDiffers        Reason = "major version differs"
	NotImplemented      Reason = "not implemented here"
)

// Agreement is what two peers agree on about one extension.
type Agreement struct {
	Version  string // the lower one of the two; the company's text where they are equal, such as 1 and 1.0
	Endpoint string // the company's; empty when it gives none
}

// Outcome is what became of one extension that somebody lists.
type Outcome struct {
	Name   string // as it was listed, well-formed or not
	Reason Reason
	Detail string // for people: the side and what is wrong there; may be empty
}

// String gives the outcome in one printable line, a long name cut.
func (o Outcome) String() string {
	line := strconv.QuoteToASCII(scan.Clip(o.Name)) + ": " + string(o.Reason)
	if o.Detail != "" {
		line += " (" + o.Detail + ")"
	}
	return line
}

// Result is what two peers agree on.
type Result struct {
	// Agreed holds the extensions that may be used, by name. It is never nil.
	Agreed map[string]Agreement
	// Outcomes has one entry for every name that either side lists, agreed or not, sorted by name.
	Outcomes []Outcome
}

// Extensions decides which extensions a company and a personal agent may use together. company and agent are what
// [Descriptors] gives for the two documents; supported names the extensions that this program, on whichever side it runs,
// implements, each with the major versions: {"operations": {1, 2}}.
//
// An extension is agreed when both sides list it at the same major version, which is the number before the first dot, and
// this program implements that one. A malformed entry on either side is left out and reported, and is never an error for the
// rest. An endpoint, on either side, has to be an absolute https URL without user info; http is for 127.0.0.0/8, ::1 and localhost only.
//
// An extension that is agreed never weakens a check that the protocol makes mandatory; see the package comment.
func Extensions(company, agent map[string]Descriptor, supported map[string][]int) Result {
	names := append(sortedNames(company), sortedNames(agent)...)
	slices.Sort(names)
	names = slices.Compact(names)

	result := Result{Agreed: make(map[string]Agreement), Outcomes: make([]Outcome, 0, len(names))}
	for _, name := range names {
		reason, detail := decide(name, company, agent, supported[name])
		result.Outcomes = append(result.Outcomes, Outcome{Name: name, Reason: reason, Detail: detail})
		if reason == Agreed {
			version := company[name].Version
			if compareVersions(agent[name].Version, version) < 0 {
				version = agent[name].Version
			}
			result.Agreed[name] = Agreement{Version: version, Endpoint: company[name].Endpoint}
		}
	}
	return result
}

func decide(name string, company, agent map[string]Descriptor, majors []int) (reason Reason, detail string) {
	if _, flaw := splitName(name); flaw != "" {
		return MalformedName, flaw
	}
	c, inCompany := company[name]
	a, inAgent := agent[name]
	if inCompany {
		if reason, flaw := c.check(); flaw != "" {
			return reason, "company: " + flaw
		}
	}
	if inAgent {
		if reason, flaw := a.check(); flaw != "" {
			return reason, "agent: " + flaw
		}
	}
	number, other := major(c.Version), major(a.Version)
	switch {
	case !inAgent:
		return OnlyCompany, ""
	case !inCompany:
		return OnlyAgent, ""
	case number != other:
		return MajorDiffers, "company: " + scan.Clip(number) + ", agent: " + scan.Clip(other)
	case !slices.ContainsFunc(majors, func(n int) bool { return strconv.Itoa(n) == number }):
		return NotImplemented, "major version " + scan.Clip(number)
	}
	return Agreed, ""
}

// check says what is wrong with one side's descriptor, and the reason that this is; nothing is "".
func (d Descriptor) check() (reason Reason, flaw string) {
	if d.flaw != "" {
		return MalformedDescriptor, d.flaw
	}
	if !wellFormed(d.Version) {
		if d.Version == "" && d.badVersion != "" {
			return MalformedVersion, d.badVersion
		}
		return MalformedVersion, versionForm
	}
	if d.Endpoint == "" {
		return MalformedEndpoint, d.badEndpoint
	}
	return MalformedEndpoint, endpointFlaw(d.Endpoint)
}

func sortedNames(descriptors map[string]Descriptor) []string {
	return slices.Sorted(maps.Keys(descriptors))
}

// Features gives the features that both sides name: those of hello that are in welcome too, in the order of hello and each
// one once (ARCP §6.2). It is nil when there are none. Features are compared byte for byte.
func Features(hello, welcome []string) []string {
	offered := make(map[string]bool, len(welcome))
	for _, feature := range welcome {
		offered[feature] = true
	}
	var both []string
	for _, feature := range hello {
		if offered[feature] {
			both = append(both, feature)
			offered[feature] = false
		}
	}
	return both
}
