package object

import "github.com/arcp-go/arcp/internal/scan"

// Each visits the members of the object in text, in their order, and gives the place of its closing brace, for an Editor. It
// gives false, and visits nothing, when text is not one JSON object.
//
// Unlike a Cursor it judges no name, for objects inside a field, which decoding carries as they are: it visits each of two
// members with one name, and a name that no text can represent, which equals none (see Member.Is).
func Each(text []byte, visit func(m *Member)) (closing int, ok bool) {
	start, _, err := scan.Only(text, scan.NoLimit)
	if err != nil || text[start] != '{' {
		return 0, false
	}
	i := scan.Space(text, start+1)
	for text[i] != '}' {
		m := Member{Name: i}
		m.NameEnd, m.Escaped, _ = scan.String(text, i)
		m.Value = scan.Space(text, scan.Space(text, m.NameEnd)+1)
		m.End, _ = scan.Value(text, m.Value, scan.NoLimit)
		visit(&m)
		if i = scan.Space(text, m.End); text[i] == ',' {
			i = scan.Space(text, i+1)
		}
	}
	return i, true
}
