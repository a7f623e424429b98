package conformance

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// eventNames are the envelope's fields and what CloudEvents calls them.
var eventNames = map[string]string{
	"arcp":       "arcp",
	"id":         "id",
	"type":       "type",
	"session_id": "source",
	"trace_id":   "traceid",
	"job_id":     "subject",
	"event_seq":  "eventseq",
	"payload":    "data",
}

// coreField reports whether the name is one of the envelope's or, in a
// message for CloudEvents, what became of it.
func coreField(name string) bool {
	if _, ok := eventNames[name]; ok {
		return true
	}
	for _, event := range eventNames {
		if event == name {
			return true
		}
	}
	return false
}

// toEvent fits a message, which need not be well formed, to the rules of
// CloudEvents, so that what is measured is the library and not those rules:
// core and vendor fields get names of letters and digits, extensions that are
// objects or arrays become their text in a string, and the attributes that
// must be there are added. Every other byte stays.
func toEvent(message []byte) []byte {
	found, _ := members(message)
	open := bytes.IndexByte(message, '{')
	if open < 0 {
		return message
	}
	out := append([]byte(nil), message[:open+1]...)
	out = append(out, `"specversion":"1.0","datacontenttype":"application/json"`...)
	for _, name := range []string{"id", "type", "session_id"} {
		if !slices.ContainsFunc(found, func(m member) bool { return m.name == name }) {
			out = append(append(append(out, `,"`...), eventNames[name]...), `":"none"`...)
		}
	}
	// An object that has no field at all has no comma either.
	if rest := bytes.TrimLeft(message[open+1:], " \t\r\n"); len(rest) == 0 || rest[0] != '}' {
		out = append(out, ',')
	}
	copied := open + 1
	for _, m := range found {
		if name, ok := eventName(m.name); ok {
			out = append(out, message[copied:m.nameEnd-len(m.nameText)]...)
			out = append(append(append(out, '"'), name...), '"')
			copied = m.nameEnd
		}
		if m.name != "payload" && len(m.value) > 0 && (m.value[0] == '{' || m.value[0] == '[') {
			text, err := json.Marshal(string(m.value))
			if err != nil {
				continue // a string always marshals
			}
			out = append(out, message[copied:m.valueEnd-len(m.value)]...)
			out = append(out, text...)
			copied = m.valueEnd
		}
	}
	return append(out, message[copied:]...)
}

func eventName(field string) (string, bool) {
	if name, ok := eventNames[field]; ok {
		return name, name != field
	}
	if !strings.HasPrefix(field, "x-vendor.") {
		return field, false
	}
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, field), true
}
