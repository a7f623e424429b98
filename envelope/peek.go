package envelope

// Header is what [Peek] reads of a message: the core fields (ARCP §5), decoded. A field is nil where the message has none or
// null, but for a null payload, which is a value here as it is in an [Envelope]; a string that is there but empty is not nil. All share memory with the message, strings that hold an escape excepted:
// do not write into them. Their capacity ends with them.
type Header struct {
	ARCP, ID, Type, SessionID, TraceID, JobID []byte

	EventSeq    uint64
	HasEventSeq bool
	Payload     []byte // any JSON value, null included, as it stands in the message
}

// Peek checks a message as [Decode] does, accepting exactly the same, and reads its core fields without building an Envelope.
// Under the default limits it allocates nothing but one string for each core string that holds an escape.
//
// On an error, an [*Error], the Header has the core fields that were read before it, for logs.
func Peek(data []byte) (h Header, err error) {
	err = h.read(data, Options{})
	return h, err
}

// Peek is the function [Peek] under these Options.
func (o Options) Peek(data []byte) (h Header, err error) {
	err = h.read(data, o)
	return h, err
}

// read fills an empty Header in place: it is large for what is done with it, and a copy would show.
func (h *Header) read(data []byte, o Options) error {
	w := walker{target: noTarget}
	err := w.run(data, o)
	h.ARCP = w.text(data, fieldARCP)
	h.ID = w.text(data, fieldID)
	h.Type = w.text(data, fieldType)
	h.SessionID = w.text(data, fieldSessionID)
	h.TraceID = w.text(data, fieldTraceID)
	h.JobID = w.text(data, fieldJobID)
	if w.hasSeq(data) {
		h.EventSeq, h.HasEventSeq = w.seq, true
	}
	h.Payload = w.payload(data)
	return err
}
