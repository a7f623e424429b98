// Package event reads and writes job events (ARCP §8): the payload {"kind", "ts", "body"} of a message of type job.event.
//
// An [Event] is lossless, like the Envelope around it: fields that it does not know are kept, and what was not changed keeps
// its bytes. The ten kinds of the protocol have constants and typed bodies, which are lossless in the same way and whose numbers
// keep their text. Anybody may add kinds, by a name like x-vendor.acme.thumbnail; a receiver that does not know a kind is not
// disturbed: [Event.DecodeBody] gives the raw body, and a [Mux] ignores the event.
//
//	event         from                        to
//	whole         FromEnvelope, Decode        AppendJSON, MarshalJSON; into a message: env.Payload, err = ev.AppendJSON(nil)
//	body          DecodeBody, On, Get         New, SetBody
//	result        ResultChunk, Assembler      New(KindResultChunk, ...)
//
// Errors about what a peer sent are an [*Error] that matches one of the Err values of package envelope.
package event
