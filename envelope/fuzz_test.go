package envelope_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/arcp-go/arcp/envelope"
)

// seeds gives every message of the tables and of the recordings.
func seeds(t testing.TB) []string {
	list := append(recordings(t), plain, spaced, nested(40), manyFields(30, `"z":1`), fields(20))
	for _, row := range accepted {
		list = append(list, row.input)
	}
	for _, row := range refused {
		list = append(list, row.input)
	}
	for _, row := range encodings {
		list = append(list, row.want)
	}
	return list
}

// seedChoices are seeds for targets that generate their input.
var seedChoices = []string{"", "\x17", "\x08abcdefghijklmnopqrstuvwxyz", "\x06\x00\x17the quick brown fox jumps over the lazy dog and back again, twice",
	"\x00\x00\x17\x02\x03\x01\x00\x04\x03\x07\x01\x02\x02\x05\x06\x01\x04\x09\x00\x01\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f"}

// FuzzDecode: the codec accepts what the oracle accepts, reads what it reads, and writes back what came. What is refused is
// refused alike by every function, and changes nothing.
func FuzzDecode(f *testing.F) {
	for _, text := range seeds(f) {
		f.Add([]byte(text), "")
	}
	for i, text := range seedChoices {
		f.Add([]byte{byte(i)}, text)
	}
	f.Fuzz(func(t *testing.T, data []byte, generate string) {
		options := []envelope.Options{{}, {RejectLookalikes: true}, {MaxBytes: 60, MaxDepth: 3, MaxMembers: 5}}
		if generate != "" {
			c := choices{generate}
			data = []byte(c.damaged())
		}
		for _, o := range options {
			checkDecode(t, data, o)
		}
	})
}

func checkDecode(t *testing.T, data []byte, o envelope.Options) {
	members, refused := oracle(data, o)
	first := bytes.Clone(data)
	e, err := o.Decode(data)
	if (err == nil) != (refused == nil) {
		t.Fatalf("Decode(%q) gives %v, the oracle %v", data, err, refused)
	}
	h, peeked := o.Peek(data)
	if err != nil {
		checkRefusal(t, data, o, err, peeked)
		return
	}
	if !e.Equal(*oracleEnvelope(members)) {
		t.Fatalf("Decode(%q)\n got %v\nwant %v", data, fieldsOf(e), fieldsOf(oracleEnvelope(members)))
	}
	if peeked != nil {
		t.Fatalf("Peek(%q): %v", data, peeked)
	}
	checkHeader(t, h, e)
	if got := encode(t, e); got != string(first) || !bytes.Equal(data, first) {
		t.Fatalf("AppendJSON gives %q for %q", got, first)
	}
	again, err := o.Decode([]byte(encode(t, e)))
	if err != nil || !again.Equal(*e) {
		t.Fatalf("a second time: %v, %v", again, err)
	}
	checkStandardLibrary(t, data, e)
	_, _, _ = e.Validate(), e.String(), e.LogValue()
}

func checkRefusal(t *testing.T, data []byte, o envelope.Options, err, peeked error) {
	want := fault(t, err)
	got := fault(t, peeked)
	if *got != *want {
		t.Fatalf("Peek(%q) gives %v, Decode %v", data, got, want)
	}
	if want.Offset < 0 || want.Offset > len(data) || want.Reason == "" || want.Err == nil || !utf8.ValidString(err.Error()) {
		t.Fatalf("Decode(%q): %#v", data, want)
	}
	for name, call := range readings(o, data) {
		if err := call(); err == nil || err.Error() != want.Error() {
			t.Fatalf("%s(%q): %v, want %v", name, data, err, want)
		}
	}
	if o == (envelope.Options{}) {
		checkReceiver(t, string(data))
	}
}

// checkStandardLibrary checks that encoding/json takes the message through MarshalJSON and UnmarshalJSON, and changes no more
// than it says: white space, and HTML escapes.
func checkStandardLibrary(t *testing.T, data []byte, e *envelope.Envelope) {
	if len(data) > 16<<20 || depthOf(data) > 1000 {
		return
	}
	var u envelope.Envelope
	if err := json.Unmarshal(data, &u); err != nil {
		if _, limited := envelope.Decode(data); limited == nil {
			t.Fatalf("json.Unmarshal(%q): %v", data, err)
		}
		return
	}
	if !u.Equal(*e) {
		t.Fatalf("json.Unmarshal(%q) gives %v", data, u)
	}
	out, err := json.Marshal(e)
	if err != nil {
		t.Fatalf("json.Marshal of %q: %v", data, err)
	}
	var compact, want bytes.Buffer
	if err := json.Compact(&compact, data); err != nil {
		t.Fatal(err)
	}
	json.HTMLEscape(&want, compact.Bytes())
	if !bytes.Equal(out, want.Bytes()) {
		t.Fatalf("json.Marshal of %q gives %q, want %q", data, out, want.Bytes())
	}
}

// FuzzEncode: what is built in memory and can be encoded is decoded to the same; what cannot is refused with dst as it was.
func FuzzEncode(f *testing.F) {
	for _, text := range seedChoices {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, generate string) {
		c := choices{generate}
		e := c.envelope()
		dst := newUnchanged()
		out, err := e.AppendJSON(dst.dst)
		encodable := true
		for _, text := range []string{e.ARCP, e.ID, e.Type, e.SessionID, e.TraceID, e.JobID} {
			encodable = encodable && utf8.ValidString(text)
		}
		encodable = encodable && (e.Payload == nil || json.Valid(e.Payload))
		for name, value := range e.Extensions {
			encodable = encodable && json.Valid(value) && !isCore(name)
		}
		if (err == nil) != encodable {
			t.Fatalf("AppendJSON of %v: %v", fieldsOf(e), err)
		}
		if err != nil {
			dst.check(t, out)
			fault(t, err)
			return
		}
		back, err := envelope.Decode([]byte(appended(t, out)))
		if err != nil || !back.Equal(*e) {
			t.Fatalf("%v\nis written as %s\nand read as %v, %v", fieldsOf(e), out, back, err)
		}
	})
}

// FuzzOneEdit: one edit of a decoded Envelope gives the same bytes as the same edit on the wire, and as the oracle's; undoing it
// gives the first bytes back.
func FuzzOneEdit(f *testing.F) {
	for _, text := range seedChoices {
		f.Add(text, text)
	}
	for _, text := range seeds(f) {
		f.Add(text, "")
	}
	f.Fuzz(func(t *testing.T, message, generate string) {
		c := choices{generate}
		if generate != "" {
			c2 := choices{message}
			message = c2.message()
		}
		members, err := oracle([]byte(message), envelope.Options{})
		if err != nil {
			return
		}
		e := decode(t, message)
		before := e.Clone()
		name, value, ok := c.change(e)
		if !ok {
			return
		}
		wire, err := wireEdit([]byte(message), name, value)
		if err != nil {
			t.Fatalf("the wire edit of %q in %q: %v", name, message, err)
		}
		want := splice([]byte(message), members, name, value)
		if string(wire) != want {
			t.Fatalf("%q = %q in %q:\n wire %s\n want %s", name, value, message, wire, want)
		}
		if got := encode(t, e); got != want {
			t.Fatalf("%q = %q in %q:\nenvelope %s\n    want %s", name, value, message, got, want)
		}
		back, err := envelope.Options{MaxMembers: 2000}.Decode(wire)
		if err != nil || !back.Equal(*e) {
			t.Fatalf("decoded again: %v, %v", back, err)
		}
		if _, was := find(members, name); !was {
			undone, err := envelope.Options{MaxMembers: 2000}.AppendDelete(nil, wire, name)
			if err != nil || string(undone) != message {
				t.Fatalf("AppendDelete gives %q, %v\nwant %q", undone, err, message)
			}
		}
		restore(e, before)
		if got := encode(t, e); got != message {
			t.Fatalf("undone: %q\nwant %q", got, message)
		}
	})
}

func find(members []member, name string) (member, bool) {
	for _, m := range members {
		if m.name == name {
			return m, true
		}
	}
	return member{}, false
}

// wireEdit makes the edit in a buffer that has something in it already.
func wireEdit(data []byte, name string, value []byte) ([]byte, error) {
	dst := []byte(already)
	var err error
	if value == nil {
		dst, err = envelope.AppendDelete(dst, data, name)
	} else {
		dst, err = envelope.AppendSet(dst, data, name, value)
	}
	return bytes.TrimPrefix(dst, []byte(already)), err
}

// restore gives the exported fields of e their former values again; where e came from stays.
func restore(e, before *envelope.Envelope) {
	e.ARCP, e.ID, e.Type, e.SessionID, e.TraceID, e.JobID = before.ARCP, before.ID, before.Type, before.SessionID, before.TraceID, before.JobID
	e.EventSeq, e.Payload, e.Extensions = before.EventSeq, before.Payload, before.Extensions
}

// FuzzManyEdits: after any edits the message is decoded to what the Envelope says, every field that was not touched has the
// bytes and the order it had, and undoing all of them gives the first bytes back.
func FuzzManyEdits(f *testing.F) {
	for i, text := range seedChoices {
		f.Add(text, seedChoices[len(seedChoices)-1-i])
	}
	f.Fuzz(func(t *testing.T, message, edits string) {
		m, c := choices{message}, choices{edits}
		source := m.message()
		members, err := oracle([]byte(source), envelope.Options{})
		if err != nil {
			return
		}
		e := decode(t, source)
		before := e.Clone()
		touched := map[string]bool{}
		for range 1 + c.n(12) {
			name, _, _ := c.change(e)
			touched[name] = true
		}
		text := encode(t, e)
		back, err := envelope.Decode([]byte(text))
		if err != nil || !back.Equal(*e) {
			t.Fatalf("%q\nedited to %q\nis %v, %v", source, text, back, err)
		}
		after, err := oracle([]byte(text), envelope.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var kept, still []string
		for _, m := range members {
			if !touched[m.name] {
				kept = append(kept, source[m.nameStart:m.end])
			}
		}
		for _, m := range after {
			if !touched[m.name] {
				still = append(still, text[m.nameStart:m.end])
			}
		}
		if len(kept) != len(still) {
			t.Fatalf("untouched were %q, are %q", kept, still)
		}
		for i := range kept {
			if kept[i] != still[i] {
				t.Fatalf("untouched was %q, is %q", kept[i], still[i])
			}
		}
		restore(e, before)
		if got := encode(t, e); got != source {
			t.Fatalf("undone: %q\nwant %q", got, source)
		}
	})
}

// FuzzAppendSet: any name and value, against the oracle; AppendDelete of a name that was added gives the first bytes back.
func FuzzAppendSet(f *testing.F) {
	for _, text := range seeds(f) {
		f.Add([]byte(text), "x-vendor.acme.k", []byte(` {"a":1} `))
	}
	for _, name := range append(otherNames, coreNames...) {
		f.Add([]byte(spaced), name, []byte(`"v"`))
	}
	for _, row := range refused {
		f.Add([]byte(plain), "x", []byte(row.input))
	}
	f.Fuzz(func(t *testing.T, data []byte, name string, value []byte) {
		members, refused := oracle(data, envelope.Options{})
		trimmed := bytes.Trim(value, " \t\r\n")
		valid := refused == nil && utf8.ValidString(name) && utf8.Valid(value) && json.Valid(value) && coreAccepts(name, trimmed)
		dst := newUnchanged()
		out, err := envelope.AppendSet(dst.dst, data, name, value)
		if (err == nil) != valid {
			t.Fatalf("AppendSet(%q, %q, %q): %v", data, name, value, err)
		}
		if err != nil {
			fault(t, err)
			dst.check(t, out)
			return
		}
		if got, want := appended(t, out), splice(data, members, name, trimmed); got != want {
			t.Fatalf("AppendSet(%q, %q, %q)\n got %q\nwant %q", data, name, value, got, want)
		}
		set := envelope.Options{MaxBytes: 32 << 20, MaxMembers: 2000}
		deleted, err := set.AppendDelete(nil, []byte(appended(t, out)), name)
		if err != nil {
			t.Fatalf("AppendDelete: %v", err)
		}
		want := splice(data, members, name, nil)
		if string(deleted) != want {
			t.Fatalf("AppendDelete gives %q, want %q", deleted, want)
		}
	})
}
