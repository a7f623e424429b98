package envelope_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/arcp-go/arcp/envelope"
)

// choices makes messages, Envelopes and edits out of the bytes of a fuzzer; each byte is one choice, and after the last one
// every choice is the first.
type choices struct{ rest string }

func (c *choices) n(of int) int {
	if c.rest == "" {
		return 0
	}
	choice := int(c.rest[0]) % of
	c.rest = c.rest[1:]
	return choice
}

func (c *choices) of(list []string) string { return list[c.n(len(list))] }

var (
	coreNames  = append([]string{"payload", "event_seq"}, coreTexts...)
	otherNames = []string{"x-vendor.acme.priority", "x-vendor.arcp.k", "TYPE", "ſession_id", "", "\"\\\n", "é😀", "type\x00", "a.b", "extensions", "<\u2028>", "n"}
	spaces     = []string{"", "", "", "", " ", "\n", "\t\r\n "}
	values     = []string{`0`, `null`, `true`, `"text"`, `{}`, `[]`, `{"a" : [ 1.0 ] , "a":2}`, `"\ud83d"`, `-0.5E+10`, `[[],{"x":"}"}]`, `"\u0061<"`, "\"\u2028\"", `18446744073709551616`, `{"` + `x-vendor.acme.priority":1}`}
	texts      = []string{`x`, `1.1`, ``, `job.event`, `\u0061`, `\ud83d\ude00`, `é`, `\"\\\/\n`, `<&>`, strings.Repeat(`long`, 40)}
	numbers    = []string{`1`, `0`, `18446744073709551615`, `77`}
)

func (c *choices) space() string { return c.of(spaces) }

// name gives a field's name, seldom a new one.
func (c *choices) name() string {
	switch c.n(5) {
	case 0, 1:
		return c.of(coreNames)
	case 2, 3:
		return c.of(otherNames)
	}
	return fmt.Sprintf("n%d", c.n(256))
}

// value gives a value that may stand under a name, but for one time in a while.
func (c *choices) value(name string) string {
	if c.n(40) == 39 {
		return c.of(values)
	}
	switch {
	case name == "payload" || !isCore(name):
		return c.of(values)
	case c.n(8) == 7:
		return `null`
	case name == "event_seq":
		return c.of(numbers)
	}
	return `"` + c.of(texts) + `"`
}

func isCore(name string) bool {
	for _, core := range coreNames {
		if name == core {
			return true
		}
	}
	return false
}

// quoted writes a name, some letters as escapes.
func (c *choices) quoted(name string) string {
	out, _ := json.Marshal(name)
	if c.n(4) == 3 {
		for i, r := range name {
			if r >= 'a' && r <= 'z' && c.n(2) == 1 {
				return `"` + name[:i] + fmt.Sprintf(`\u%04x`, r) + name[i+1:] + `"`
			}
		}
	}
	return string(out)
}

// message makes a message that is mostly valid: one name twice, or a value of the wrong type, is rare.
func (c *choices) message() string {
	var b strings.Builder
	b.WriteString(c.space() + "{" + c.space())
	seen := map[string]bool{}
	first := true
	for range c.n(24) {
		name := c.name()
		if seen[name] && c.n(30) != 29 {
			continue
		}
		seen[name] = true
		if !first {
			b.WriteString(c.space() + "," + c.space())
		}
		first = false
		quoted := c.quoted(name)
		if strings.ContainsAny(name, "\"\\\n") {
			quoted = mustQuote(name)
		}
		b.WriteString(quoted + c.space() + ":" + c.space() + c.value(name))
	}
	b.WriteString(c.space() + "}" + c.space())
	return b.String()
}

func mustQuote(name string) string {
	out, err := json.Marshal(name)
	if err != nil {
		panic(err)
	}
	return string(out)
}

// damaged is a message with a byte or two changed, left out or put in.
func (c *choices) damaged() string {
	text := []byte(c.message())
	for range c.n(3) {
		i := (c.n(256)<<8 | c.n(256)) % (len(text) + 1)
		switch junk := []byte("\"\\{}[],:0\x00\xff\xed\n u"); {
		case i == len(text) || c.n(3) == 0:
			text = append(text[:i:i], append([]byte{junk[c.n(len(junk))]}, text[i:]...)...)
		case c.n(2) == 0:
			text = append(text[:i:i], text[i+1:]...)
		default:
			text[i] = junk[c.n(len(junk))]
		}
	}
	return string(text)
}

// change makes one change to one field of e, in memory, and gives the same edit for the wire; a nil value deletes. ok is false
// where it would change nothing, or where the two are not to be the same: an empty string for a field that is null or empty.
func (c *choices) change(e *envelope.Envelope) (name string, value []byte, ok bool) {
	name = c.name()
	remove := c.n(3) == 2
	switch {
	case name == "payload" && remove:
		ok = e.Payload != nil
		e.Payload = nil
	case name == "payload":
		e.Payload, ok = raw(c.of(values)), true
		value = e.Payload
	case name == "event_seq" && remove:
		ok = e.EventSeq != nil
		e.EventSeq = nil
	case name == "event_seq":
		n := uint64(c.n(256)) << c.n(50)
		ok = e.EventSeq == nil || *e.EventSeq != n
		e.EventSeq, value = &n, fmt.Appendf(nil, "%d", n)
	case !isCore(name):
		if _, there := e.Extensions[name]; remove && !there {
			return name, nil, false
		}
		if remove {
			e.DeleteExtension(name)
			return name, nil, true
		}
		value = []byte(c.of(values))
		set(name, string(value))(e)
		return name, value, true
	default:
		field := map[string]*string{"arcp": &e.ARCP, "id": &e.ID, "type": &e.Type, "session_id": &e.SessionID, "trace_id": &e.TraceID, "job_id": &e.JobID}[name]
		if remove {
			ok = *field != ""
			*field = ""
			return name, nil, ok
		}
		text := fmt.Sprintf("changed%d", c.n(256))
		ok = *field != text
		*field, value = text, []byte(`"`+text+`"`)
	}
	return name, value, ok
}

// envelope builds an Envelope in memory; what Decode could give, and at times what cannot be encoded.
func (c *choices) envelope() *envelope.Envelope {
	decodedTexts := []string{"", "x", "1.1", "<&>\u2028\"\\\x00", "é😀", strings.Repeat("long", 40), "\xff"}
	e := &envelope.Envelope{ARCP: c.of(decodedTexts), ID: c.of(decodedTexts), Type: c.of(decodedTexts), SessionID: c.of(decodedTexts),
		TraceID: c.of(decodedTexts), JobID: c.of(decodedTexts)}
	if c.n(2) == 1 {
		e.EventSeq = seq(uint64(c.n(256)) << c.n(60))
	}
	if c.n(2) == 1 {
		e.Payload = raw(c.of(append(values, "", "x")))
	}
	for range c.n(8) {
		set(c.name(), c.of(append(values, "", "{")))(e)
	}
	return e
}
