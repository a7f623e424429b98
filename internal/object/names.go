package object

import (
	"hash/maphash"

	"github.com/arcp-go/arcp/internal/scan"
)

// Add notes the name of a member, or gives an error when it was there before.
func (c *Cursor) Add(text []byte, m *Member, t *Table) *scan.Error {
	bit := ^uint64(0) // an escape could stand for anything
	if n := m.NameEnd - 1; !m.Escaped {
		bit = 1 << ((uint(n-m.Name)*11 ^ uint(text[n-1])*5 ^ uint(text[(m.Name+n)/2])) & 63)
	}
	switch {
	case c.names >= crowd:
		return c.addCrowded(text, m, t)
	case c.seen&bit != 0 && c.isSmall(text, m):
		return Duplicate(text, m)
	}
	c.seen |= bit
	c.small[c.names] = m.Name
	c.names++
	return nil
}

// isSmall says whether one of the first names is that of m.
func (c *Cursor) isSmall(text []byte, m *Member) bool {
	for _, at := range c.small[:c.names] {
		if sameName(text, m, at) {
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
	if t.used == 0 {
		for _, at := range c.small {
			t.insert(text, memberAt(text, at))
		}
	}
	if !t.insert(text, m) {
		return Duplicate(text, m)
	}
	return nil
}

// sameName says whether the name of m is, unescaped, the one whose opening quote is at at.
func sameName(text []byte, m *Member, at int) bool {
	if !m.Escaped {
		name := text[m.Name+1 : m.NameEnd-1]
		if end := at + 1 + len(name); end < len(text) && text[end] == '"' && string(text[at+1:end]) == string(name) {
			return true
		}
	}
	end, escaped, _ := scan.String(text, at)
	switch other := text[at:end]; {
	case m.Escaped:
		return scan.EqualQuoted(m.Quoted(text), other)
	case escaped:
		return scan.EqualText(other, text[m.Name+1:m.NameEnd-1])
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
// Its zero value is empty. A caller that must not allocate lends it slots by Lend.
type Table struct {
	slots []int // the offset of a name and 1, or 0; the length is a power of two
	used  int
}

// Lend gives the table its first slots, all zero.
func (t *Table) Lend(slots *[TableSize]int) { t.slots = slots[:] }

// seed makes hashes that a peer cannot foresee, and so no name list that takes quadratic time.
var seed = maphash.MakeSeed()

// memberAt gives the name at an offset where one was found before.
func memberAt(text []byte, at int) *Member {
	end, escaped, _ := scan.String(text, at)
	return &Member{Name: at, NameEnd: end, Escaped: escaped}
}

// insert adds a name, or gives false when it is there.
func (t *Table) insert(text []byte, m *Member) bool {
	if t.used >= len(t.slots)/2 {
		t.grow(text)
	}
	slot := t.slot(text, m)
	if t.slots[slot] != 0 {
		return false
	}
	t.slots[slot] = m.Name + 1
	t.used++
	return true
}

// slot gives the place of a name, which holds 0 if the name is new.
func (t *Table) slot(text []byte, m *Member) int {
	mask := len(t.slots) - 1
	slot := int(hash(text, m)) & mask
	for t.slots[slot] != 0 && !sameName(text, m, t.slots[slot]-1) {
		slot = (slot + 1) & mask
	}
	return slot
}

func (t *Table) grow(text []byte) {
	old := t.slots
	t.slots = make([]int, max(64, 4*len(old)))
	for _, at := range old {
		if at != 0 {
			t.slots[t.slot(text, memberAt(text, at-1))] = at
		}
	}
}

// hash is the same for two names that are equal after unescaping.
func hash(text []byte, m *Member) uint64 {
	if !m.Escaped {
		return maphash.Bytes(seed, text[m.Name+1:m.NameEnd-1])
	}
	var h maphash.Hash
	h.SetSeed(seed)
	scan.EachChunk(m.Quoted(text), func(chunk []byte) { h.Write(chunk) })
	return h.Sum64()
}
