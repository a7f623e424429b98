// Package envelope reads, edits and writes ARCP messages without losing a byte.
//
// Every ARCP message is one JSON object, the envelope (ARCP §5), with eight core fields; anybody may add others, which whoever
// stands between two peers must pass on unharmed. encoding/json with a struct does not: it drops fields that it does not know,
// takes TYPE for type, lets the last of two equal names win, and rewrites numbers. This package keeps all of it, and refuses
// what two readers could take for two different messages.
//
// [Decode] gives an [Envelope], whose fields are read and assigned like those of any struct; [Envelope.AppendJSON] writes it
// again. [Peek], [AppendSet] and [AppendDelete] do their work on the bytes and build nothing. [Reader] and [Writer] are for
// streams of lines, [Options] for limits, [Envelope.Validate] for the rules of the protocol, which decoding does not judge.
//
// # What is preserved, and by which function
//
// In every field that was not changed; of a changed one, its place and its name as written are preserved. The last column is
// encoding/json given an Envelope: it reformats what [Envelope.MarshalJSON] returns.
//
//	                              AppendJSON, AppendSet,   Writer            json.Marshal
//	                              AppendDelete
//	order of fields               kept                     kept              kept
//	fields that nobody knows      kept                     kept              kept
//	letter case of names          kept                     kept              kept
//	null against absent           kept                     kept              kept
//	text of numbers               kept                     kept              kept
//	escapes in strings            kept                     kept              kept, and <, >, & and U+2028 escaped
//	half of a surrogate pair (1)  kept                     kept              kept
//	one name twice (2)            kept                     kept              kept
//	white space                   kept                     no line breaks    taken out
//	invalid UTF-8                 refused by Decode, Peek and whatever else reads a message
//
// (1) An escape like \ud83d without its other half, in the payload or an extension. In a name or a core string it is refused: no
// text can represent it. (2) Inside the payload or an extension. At top level it is refused.
//
// encoding/json/v2 goes by its own options, see MarshalJSONTo and UnmarshalJSONFrom, which are there from Go 1.27 on: by default
// it writes strings with other escapes, and refuses (1) and (2).
//
// # Memory
//
// [Decode] takes its input over; [Envelope.UnmarshalJSON] and Reader copy. The payload and the values of extensions share memory
// with the message: replace them, never write into them. Every function that changes an extension replaces the map.
package envelope
