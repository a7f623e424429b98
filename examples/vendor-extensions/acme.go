package main

import "github.com/arcp-go/arcp/xvendor"

// What the company Acme publishes about its extensions: names and types, for senders and receivers alike.
var priority = xvendor.MustKey[string]("x-vendor.acme.priority")

// kindThumbnail is an event kind; its body is a thumbnail.
const kindThumbnail = "x-vendor.acme.thumbnail"

type thumbnail struct {
	URL    string `json:"url"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
}
