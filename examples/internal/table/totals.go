package table

import (
	"github.com/arcp-go/arcp/event"
	"github.com/arcp-go/arcp/examples/internal/console"
)

// Totals adds up rows in bounded memory. The zero value is ready to use.
type Totals struct {
	Messages int // envelopes
	Refused  int // lines that are none
	Faulty   int // envelopes that break a rule of the protocol
	Types    console.Counts
	Kinds    console.Counts
	Names    console.Counts // of extensions
}

// Add counts a row.
func (t *Totals) Add(r Row) {
	if r.Envelope == nil {
		t.Refused++
		return
	}
	t.Messages++
	if len(r.Problems) > 0 {
		t.Faulty++
	}
	t.Types.Add(r.Envelope.Type)
	if r.Envelope.Type == event.MessageType {
		t.Kinds.Add(r.Event.Kind)
	}
	for _, name := range ExtensionNames(r.Envelope) {
		t.Names.Add(name)
	}
}
