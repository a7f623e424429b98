package envelopetest

import (
	"bytes"
	"fmt"
)

const (
	senders    = 8
	perSender  = 50
	maxInOrder = 128 << 10 // fixtures above this size are left to the case "large"
)

var transportCases = []transportCase{
	{"order", "messages arrive whole and in order", func(l *link) string {
		return l.pass(carried(func(m []byte) bool { return !bytes.ContainsAny(m, "\r\n") }))
	}},
	{"line-breaks", "line breaks between tokens do not split a message", func(l *link) string {
		return l.pass(carried(func(m []byte) bool { return bytes.ContainsAny(m, "\r\n") }))
	}},
	{"both-directions", "messages of both directions do not mix", func(l *link) string {
		there, back := burst(0, 100), burst(1, 100)
		result := make(chan string, 1)
		go func() { result <- l.passBack(back) }()
		if problem := l.pass(there); problem != "" {
			return problem
		}
		return <-result
	}},
	{"large", "messages up to 15 MiB are carried, and small ones after them", func(l *link) string {
		var messages [][]byte
		for i, size := range []int{4095, 4096, 4097, 65535, 65536, 65537, 1 << 20, 4<<20 + 1, 15 << 20} {
			if size > l.largest {
				break
			}
			messages = append(messages, numbered(0, 2*i, size), numbered(0, 2*i+1, 0))
		}
		return l.pass(messages)
	}},
	{"concurrent", "messages sent by several goroutines at once arrive whole, and those of one goroutine in order", concurrent},
	{"buffers", "Send keeps no reference to its message, and what Receive returned does not change", func(l *link) string {
		messages := burst(0, 50)
		sent := send(l.a, messages, true)
		var got [][]byte
		for i := range messages {
			m, problem := l.next(l.b, "", fmt.Sprintf("message %d of %d", i+1, len(messages)), sent)
			if problem != "" {
				return problem
			}
			got = append(got, m)
		}
		if err := <-sent; err != nil {
			return err.Error()
		}
		for i, m := range got {
			if !l.arrived(messages[i], m) {
				return fmt.Sprintf("message %d of %d is not what was sent, once all have arrived", i+1, len(messages))
			}
		}
		return ""
	}},
	{"close-delivers", "what was sent before Close arrives, and then Receive gives an error", func(l *link) string {
		messages := burst(0, 20)
		closed := make(chan error, 1)
		sent := send(l.a, messages, false)
		go func() {
			err := <-sent
			if closeErr := l.a.Close(); err == nil {
				err = closeErr
			}
			closed <- err
		}()
		for i, want := range messages {
			got, problem := l.next(l.b, "", fmt.Sprintf("message %d of %d, sent before Close", i+1, len(messages)), closed)
			if problem != "" {
				return problem
			}
			if !l.arrived(want, got) {
				return fmt.Sprintf("message %d of %d: %s", i+1, len(messages), l.whatArrived(messages, i, got))
			}
		}
		l.waitFor("", "Close to return")
		if err := <-closed; err != nil {
			return err.Error()
		}
		for range 2 { // the end stays the end
			if problem := l.awaitEnd(l.b, "the peer"); problem != "" {
				return problem
			}
		}
		return ""
	}},
	{"close-releases-peer", "Close releases the peer's Receive", func(l *link) string {
		return l.releases(l.b, "the peer")
	}},
	{"close-releases-self", "Close releases the Receive of its own end", func(l *link) string {
		return l.releases(l.a, "the closed end")
	}},
	{"close-refuses", "after Close, Send and Receive give errors and Close returns", func(l *link) string {
		l.waitFor("", "Close to return")
		if err := l.a.Close(); err != nil {
			return fmt.Sprintf("Close: %v", err)
		}
		l.waitFor("", "Send after Close to return")
		if err := l.a.Send(numbered(0, 0, 0)); err == nil {
			return "Send after Close gave no error"
		}
		if problem := l.awaitEnd(l.a, "the closed end"); problem != "" {
			return problem
		}
		l.waitFor("", "the second Close to return")
		l.a.Close() // may give an error
		return ""
	}},
}

// releases closes a while an end waits in Receive.
func (l *link) releases(waiting Conn, name string) string {
	// One message first, so that the connection is known to work.
	if problem := l.pass(burst(0, 1)); problem != "" {
		return problem
	}
	result := make(chan string, 1)
	go func() { result <- l.awaitEnd(waiting, name) }()
	if err := l.a.Close(); err != nil {
		return fmt.Sprintf("Close: %v", err)
	}
	return <-result
}

func concurrent(l *link) string {
	type place struct{ sender, number int }
	places := map[string]place{}
	var results []chan error
	for s := range senders {
		var messages [][]byte
		for n := range perSender {
			m := numbered(s, n, 100+(s*perSender+n)*37%8000)
			places[l.key(m)] = place{s, n}
			messages = append(messages, m)
		}
		results = append(results, send(l.a, messages, false))
	}
	var next [senders]int
	for i := range senders * perSender {
		got, problem := l.next(l.b, "", fmt.Sprintf("message %d of %d", i+1, senders*perSender), results...)
		if problem != "" {
			return problem
		}
		p, ok := places[l.key(got)]
		if !ok {
			return fmt.Sprintf("message %d of %d, %d bytes, is none that was sent: interleaved, merged, split or changed", i+1, senders*perSender, len(got))
		}
		if p.number != next[p.sender] {
			return fmt.Sprintf("goroutine %d: its message %d arrived where its message %d was due: lost, repeated or out of order", p.sender+1, p.number+1, next[p.sender]+1)
		}
		next[p.sender]++
	}
	for _, r := range results {
		if err := <-r; err != nil {
			return err.Error()
		}
	}
	return ""
}

// key identifies one of the messages that numbered made.
func (l *link) key(m []byte) string {
	if !l.asJSON {
		return string(m)
	}
	n, err := parse(m)
	if err != nil {
		return "not JSON"
	}
	return canonical(n)
}

// carried returns the fixtures to be carried whose messages match, large ones left out.
func carried(match func([]byte) bool) [][]byte {
	var messages [][]byte
	for _, f := range Fixtures() {
		if f.Verdict != Carry || f.File == "" {
			continue
		}
		if m := f.Data(); len(m) <= maxInOrder && match(m) {
			messages = append(messages, m)
		}
	}
	return messages
}

// burst returns small messages of different sizes.
func burst(sender, n int) [][]byte {
	var messages [][]byte
	for i := range n {
		messages = append(messages, numbered(sender, i, i*53%700))
	}
	return messages
}
