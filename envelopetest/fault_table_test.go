package envelopetest

import (
	"slices"
	"strings"
)

var faults = []struct {
	name   string
	codec  codec
	fails  func() []string // sorted
	asJSON func() []string // what fails with EqualAsJSON; nil: the same
	size   bool            // runs the cases of many megabytes too
}{
	{name: "no fault", codec: lossless, fails: list(``)},
	{name: "drops unknown fields", codec: editing(dropsUnknown), fails: func() []string {
		return names(func(f Fixture) bool { return f.Verdict == Carry && len(f.Want().Extensions) > 0 })
	}},
	{name: "folds case", codec: editing(foldsCase), fails: list(`
		name-long-s name-long-s-escaped name-long-s-event-seq name-mixed-case name-title-case
		name-upper-case name-upper-case-event-seq name-upper-case-payload name-upper-case-wrong-type`)},
	{name: "last duplicate wins", codec: lastWins, fails: list(`
		duplicate-both-escaped duplicate-emoji-escaped duplicate-empty-name duplicate-equal
		duplicate-escaped duplicate-event-seq duplicate-extension duplicate-extension-escaped
		duplicate-far-apart duplicate-long-name duplicate-null-first duplicate-null-last duplicate-payload
		duplicate-type`)},
	{name: "rewrites numbers", codec: rewritesNumbers, fails: list(`
		event-metric-huge event-progress-fraction number-100-digits number-1e-400 number-1e400
		number-2-53-plus-1 number-20-digits number-as-extension-at-end number-capital-exponent
		number-capital-exponent-plain number-exponent-leading-zeros number-in-extension number-many-digits
		number-minus-1e400 number-minus-zero-point-zero number-one-point-zero number-scientific number-small
		number-trailing-zeros number-zero-exponent seq-2-53-plus-1 seq-2-63 seq-2-64-minus-1
		type-job-accepted`)},
	{name: "reorders", codec: editing(reorders), asJSON: list(``), fails: func() []string {
		return names(func(f Fixture) bool {
			return f.Verdict == Carry && !slices.IsSortedFunc(split(f.Data()), func(a, b field) int { return strings.Compare(a.name, b.name) })
		})
	}},
	{name: "loses event_seq 0", codec: editing(losesZero), fails: list(`seq-zero`)},
	{name: "turns null into absent", codec: editing(dropsNull), fails: list(`
		null-arcp null-event-seq null-everywhere null-id null-job-id null-session-id null-trace-id null-type`)},
	{name: "splits lines", codec: splitsLines, fails: list(`
		space-leading space-line-breaks space-pretty space-pretty-crlf space-trailing space-trailing-crlf
		space-trailing-newline trailing-object-next-line`), asJSON: list(`
		space-leading space-line-breaks space-pretty space-pretty-crlf trailing-object-next-line`)},
	{name: "replaces lone surrogates", codec: replacesSurrogates, fails: list(`
		surrogate-before-escape-in-id surrogate-before-letter surrogate-high-in-name
		surrogate-high-in-payload surrogate-in-arcp surrogate-in-extension surrogate-in-id
		surrogate-in-job-id surrogate-in-nested-extension-name surrogate-in-nested-name
		surrogate-in-session-id surrogate-in-trace-id surrogate-in-type surrogate-low-in-name
		surrogate-low-in-payload surrogate-reversed surrogate-reversed-in-name surrogate-two-high
		surrogate-upper-hex`)},
	{name: "refuses lone surrogates", codec: refusesSurrogates, fails: list(`
		surrogate-before-letter surrogate-high-in-payload surrogate-in-extension
		surrogate-in-nested-extension-name surrogate-in-nested-name surrogate-low-in-payload
		surrogate-reversed surrogate-two-high surrogate-upper-hex`)},
	{name: "reformats", codec: reformats, asJSON: list(``), fails: list(`
		core-html name-any-html name-any-line-separator space-after-python-style space-carriage-returns
		space-empty-object space-everywhere space-leading space-line-breaks space-long-run space-pretty
		space-pretty-crlf space-trailing space-trailing-crlf space-trailing-newline string-raw-html
		string-raw-line-separators`)},
	{name: "trims", codec: trims, asJSON: list(``), fails: list(`
		space-carriage-returns space-empty-object space-everywhere space-leading space-trailing
		space-trailing-crlf space-trailing-newline`)},
	{name: "skips a byte order mark", codec: skipsMark, fails: list(`encoding-utf8-bom`)},
	{name: "takes the first of two messages", codec: takesFirst, fails: list(`
		encoding-bom-at-end space-bad-trailing-nul trailing-brace trailing-bracket trailing-comma
		trailing-comment trailing-letter trailing-null trailing-object trailing-object-next-line
		trailing-object-spaced trailing-semicolon utf8-after-message`)},
	{name: "accepts invalid UTF-8", codec: acceptsInvalidUTF8, fails: list(`
		encoding-latin1 utf8-5-byte utf8-f5 utf8-fe utf8-ff utf8-in-core-name utf8-in-core-string
		utf8-in-extension utf8-in-name utf8-in-nested-name utf8-late-in-long-string utf8-lone-continuation
		utf8-lone-lead utf8-over-10ffff utf8-overlong-2 utf8-overlong-3 utf8-overlong-4 utf8-overlong-nul
		utf8-surrogate-high utf8-surrogate-low utf8-surrogate-pair utf8-truncated-3 utf8-truncated-4`)},
	{name: "has no limit of depth", codec: without("too deep"), fails: list(`
		depth-1001-arrays depth-1001-in-extension depth-1001-mixed depth-1001-objects`)},
	{name: "has no limit of fields", codec: without("too many fields"), fails: list(`members-1025`)},
	{name: "has no limit of size", codec: without("too large"), size: true, fails: list(`size-over-limit-string size-over-limit-white-space`)},
	{name: "takes any type of core string", codec: without("is no string"), fails: list(`
		core-arcp-number core-escaped-name-wrong-type core-id-number core-id-object core-job-id-array
		core-job-id-number core-session-id-object core-trace-id-false core-type-array core-type-true`)},
	{name: "takes any event_seq", codec: without("event_seq is no whole"), fails: list(`
		seq-2-64 seq-30-digits seq-array seq-capital-exponent seq-empty-string seq-exponent seq-false
		seq-fraction seq-minus-one seq-minus-zero seq-object seq-string seq-true seq-zero-exponent`)},
	{name: "makes every payload an object", codec: editing(payloadAsObject), fails: list(`
		depth-100 depth-1000-arrays depth-1000-mixed depth-wide null-everywhere null-payload payload-array
		payload-empty-array payload-empty-string payload-false payload-number payload-string payload-true
		surrogate-before-letter surrogate-reversed surrogate-two-high surrogate-upper-hex`)},
	{name: "panics on a short payload", codec: panics, fails: list(`payload-number`)},
}

func list(names string) func() []string {
	return func() []string {
		sorted := strings.Fields(names)
		slices.Sort(sorted)
		return sorted
	}
}
