package tracecontext

import (
	"bytes"
	"strings"

	"github.com/arcp-go/arcp/internal/object"
	"github.com/arcp-go/arcp/internal/scan"
	"github.com/arcp-go/arcp/internal/traceparent"
)

// value is the object that stands under Key.
type value struct {
	text    []byte // never written into
	members []object.Member
}

var empty = value{text: []byte("{}")}

// parse reads a value. It gives false for anything but an object with no name twice.
func parse(raw []byte) (value, bool) {
	members, err := object.Members(nil, raw, object.Unlimited)
	if err != nil {
		return value{}, false
	}
	return value{text: raw, members: members}, true
}

// valid says whether the value has a well-formed traceparent.
func (v value) valid() bool {
	parent, _ := v.get(parentField)
	_, reason := traceparent.Parse(parent)
	return reason == ""
}

// get gives the text of the field of that name, and false where it is absent, not a string or not representable.
func (v value) get(name string) (string, bool) {
	i := v.find(name)
	if i < 0 {
		return "", false
	}
	return text(v.members[i].Raw(v.text))
}

func text(raw []byte) (string, bool) {
	if raw[0] != '"' {
		return "", false
	}
	decoded, ok := scan.AppendUnquoted(nil, raw)
	return string(decoded), ok
}

// find gives the index of the member of that name: the exact one, or else the first that differs in case only. It is -1 where
// there is none.
func (v value) find(name string) int {
	found := -1
	for i := range v.members {
		switch m := &v.members[i]; {
		case m.Is(v.text, name):
			return i
		case found < 0 && equalFold(m.Text(v.text), name):
			found = i
		}
	}
	return found
}

// equalFold says whether two names are equal without regard to case. No letter outside ASCII equals one inside, as the
// long s does under strings.EqualFold: those differ in length.
func equalFold(a, b string) bool { return len(a) == len(b) && strings.EqualFold(a, b) }

// with gives a copy of the value in which the member that find gives has the encoded text, or is gone where that is nil. Others
// whose names differ from it in case only go too, so that one text is left for every reader. The rest keeps its bytes.
func (v value) with(name string, encoded []byte) value {
	at := v.find(name)
	e := object.NewEditor(nil, v.text)
	for i := range v.members {
		switch m := &v.members[i]; {
		case i == at && encoded != nil:
			e.Replace(m, encoded)
		case i == at || equalFold(m.Text(v.text), name):
			e.Remove(m)
		default:
			e.Keep()
		}
	}
	if at < 0 && encoded != nil {
		e.Insert(bytes.LastIndexByte(v.text, '}'), name, encoded)
	}
	changed, _ := parse(e.Finish())
	return changed
}
