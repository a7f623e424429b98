package object

import "github.com/arcp-go/arcp/internal/scan"

// Add notes the name of a member, or gives an error when it was there before.
func (c *Cursor) Add(text []byte, m *Member, t *Table) *scan.Error {
	if m.Escaped {
		c.escaped = true
		c.seen = ^uint64(0) // it could stand for anything
	} else if c.AddNew(text, m.Name, m.NameEnd) {
		return nil
	}
	switch {
	case c.names >= crowd:
		return c.addCrowded(text, m, t)
	case c.isSmall(text, m):
		return Duplicate(text, m)
	}
	c.small[c.names] = uint32(m.Name)
	c.names++
	return nil
}

// AddNew is Add for a name without an escape at text[name:end]. It gives false, and notes nothing, where Add has to be asked.
// It is small enough to become part of its caller.
func (c *Cursor) AddNew(text []byte, name, end int) bool {
	bit := uint64(1) << ((uint(end-name)*11 ^ uint(text[end-2])*5 ^ uint(text[(name+end)/2])) & 63)
	if c.names >= crowd || c.seen&bit != 0 {
		return false
	}
	c.seen |= bit
	c.small[c.names] = uint32(name)
	c.names++
	return true
}

// isSmall says whether one of the first names is that of m.
func (c *Cursor) isSmall(text []byte, m *Member) bool {
	for _, at := range c.small[:c.names] {
		if sameName(text, m, int(at), c.escaped) {
			return true
		}
	}
	return false
}

// addCrowded is Add for an object that has outgrown the list of its first names.
func (c *Cursor) addCrowded(text []byte, m *Member, t *Table) *scan.Error {
	if t == nil {
		if c.heap == nil {
			c.heap = new(Table)
		}
		t = c.heap
	}
	t.escapes = c.escaped
	if t.used == 0 {
		for _, at := range c.small {
			t.insert(text, memberAt(text, int(at)))
		}
	}
	if !t.insert(text, m) {
		return Duplicate(text, m)
	}
	return nil
}

// sameName says whether the name of m is, unescaped, the one before it whose opening quote is at at, which holds no escape unless
// escapes says that it may.
func sameName(text []byte, m *Member, at int, escapes bool) bool {
	if !m.Escaped {
		name := text[m.Name+1 : m.NameEnd-1]
		if end := at + 1 + len(name); text[end] == '"' && string(text[at+1:end]) == string(name) {
			return true
		}
	}
	if !escapes {
		return false
	}
	other := memberAt(text, at)
	switch {
	case m.Escaped:
		return scan.EqualQuoted(m.Quoted(text), other.Quoted(text))
	case other.Escaped:
		return scan.EqualText(other.Quoted(text), text[m.Name+1:m.NameEnd-1])
	}
	return false
}

// Duplicate is the error for a name that was there before.
func Duplicate(text []byte, m *Member) *scan.Error {
	return named(&scan.Error{Kind: scan.Duplicate, Offset: m.Name, Reason: "the name is there twice"}, text, m)
}

// TableSize is the number of slots that take the names of an object with 1,024 members.
const TableSize = 2048

// Table holds the names of an object with many members, so that finding one twice takes the same time however many there are.
// Its zero value is empty.
type Table struct {
	slots   []uint64 // the hash of a name in the high half, its offset and 1 in the low half, or 0; a power of two of them
	used    int
	escapes bool // a name may hold an escape
}

// NewTable makes a Table from slots, all zero, for a caller that must not allocate.
func NewTable(slots *[TableSize]uint64) Table { return Table{slots: slots[:]} }

// memberAt gives the name at an offset where one was found before.
func memberAt(text []byte, at int) *Member {
	end, escaped, _ := scan.String(text, at)
	return &Member{Name: at, NameEnd: end, Escaped: escaped}
}

// insert adds a name, or gives false when it is there.
func (t *Table) insert(text []byte, m *Member) bool {
	if t.used >= len(t.slots)/2 {
		t.grow()
	}
	h := hash(text, m) >> 32
	mask := len(t.slots) - 1
	slot := int(h) & mask
	for ; t.slots[slot] != 0; slot = (slot + 1) & mask {
		if other := t.slots[slot]; other>>32 == h && sameName(text, m, int(uint32(other))-1, t.escapes) {
			return false
		}
	}
	t.slots[slot] = h<<32 | uint64(m.Name+1)
	t.used++
	return true
}

func (t *Table) grow() {
	old := t.slots
	t.slots = make([]uint64, max(64, 4*len(old)))
	mask := len(t.slots) - 1
	for _, entry := range old {
		if entry == 0 {
			continue
		}
		slot := int(entry>>32) & mask
		for t.slots[slot] != 0 {
			slot = (slot + 1) & mask
		}
		t.slots[slot] = entry
	}
}
