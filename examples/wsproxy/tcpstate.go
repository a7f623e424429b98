package main

// A tcpState is what the system knows about a connection.
type tcpState struct {
	acked uint64 // how many bytes the peer's system has acknowledged
	left  bool   // the peer has ended or reset the connection, even if bytes that nobody has read stand before that end
}
