// Vendor-extensions shows how a company adds its own fields and event kinds to ARCP, and how receivers that have never heard of
// them are not disturbed.
//
// A sender writes messages with the extension x-vendor.acme.priority and an event of the kind x-vendor.acme.thumbnail. Two
// receivers read them through pipes, one line a message: one knows the company, the other does not.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/arcp-go/arcp/envelope"
)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "vendor-extensions:", err)
		os.Exit(1)
	}
}

// run connects the sender to both receivers, waits for all of them, and prints what each has to say.
func run(ctx context.Context, stdout io.Writer) error {
	toAcme, fromSender := io.Pipe()
	toStranger, fromSender2 := io.Pipe()
	var sent, acme, stranger strings.Builder

	var wg sync.WaitGroup
	var sendErr, acmeErr, strangerErr error
	wg.Go(func() {
		sendErr = send(envelope.NewWriter(io.MultiWriter(&sent, fromSender, fromSender2)))
		fromSender.Close() // ends the receivers' input
		fromSender2.Close()
	})
	wg.Go(func() {
		acmeErr = receive(ctx, toAcme, newAcmeReceiver(&acme))
		toAcme.CloseWithError(acmeErr) // so that the sender does not wait for a receiver that gave up
	})
	wg.Go(func() {
		strangerErr = receive(ctx, toStranger, newStranger(&stranger))
		toStranger.CloseWithError(strangerErr)
	})
	wg.Wait()
	if err := errors.Join(sendErr, acmeErr, strangerErr); err != nil {
		return err
	}

	_, err := fmt.Fprintf(stdout, "On the wire:\n%s\nA receiver that knows acme:\n%s\nA receiver that does not:\n%s", sent.String(), acme.String(), stranger.String())
	return err
}
