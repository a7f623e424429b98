package negotiate

import (
	"net/netip"
	"net/url"
	"strings"
	"testing"
)

var endpoints = []struct {
	rule     string
	endpoint string
	ok       bool
}{
	{"https", "https://api.example.com/poppy/operations", true},
	{"scheme in capitals", "HTTPS://api.example.com/", true},
	{"host in capitals", "https://API.example.com/", true},
	{"host alone", "https://example.com", true},
	{"port", "https://example.com:8443/x", true},
	{"query and fragment", "https://example.com/x?y=z&w[]=1#f", true},
	{"percent-encoded path", "https://example.com/a%2Fb", true},
	{"at sign in the path", "https://example.com/@acme", true},
	{"colon in the path", "https://example.com/a:b", true},
	{"one label", "https://intranet/x", true},
	{"underscore in a private name", "https://my_service/x", true},
	{"trailing dot", "https://example.com./x", true},
	{"punycode", "https://xn--bcher-kva.example/", true},
	{"IPv4 by https", "https://192.0.2.1/", true},
	{"IPv6 by https", "https://[2001:db8::1]:8443/", true},
	{"http for localhost", "http://localhost:8080/x", true},
	{"http for LOCALHOST", "http://LOCALHOST/x", true},
	{"http for localhost with a trailing dot", "http://localhost./x", true},
	{"http for 127.0.0.1", "http://127.0.0.1:8080/x", true},
	{"http for all of 127.0.0.0/8", "http://127.255.0.9/x", true},
	{"http for IPv6 loopback", "http://[::1]:8080/x", true},
	{"http for IPv6 loopback, long", "http://[0:0:0:0:0:0:0:1]/x", true},
	{"http for IPv4 loopback in IPv6", "http://[::ffff:127.0.0.1]/x", true},

	{"http", "http://api.example.com/x", false},
	{"http for a name that starts like localhost", "http://localhost.evil.com/x", false},
	{"http for a name that ends like localhost", "http://evil.localhost/x", false},
	{"http for a name that starts like 127.0.0.1", "http://127.0.0.1.evil.com/x", false},
	{"http for another IPv6 address", "http://[::2]/x", false},
	{"http for an unspecified address", "http://0.0.0.0/x", false},
	{"http for a private address", "http://10.0.0.1/x", false},
	{"http for localhost, percent-encoded", "http://%6cocalhost/x", false},
	{"http for localhost in another script", "http://l\u043ecalhost/x", false},
	{"short IPv4", "http://127.1/x", false},
	{"IPv4 as one number", "https://2130706433/x", false},
	{"IPv4 in hexadecimal", "https://0x7f.0x1/x", false},
	{"IPv4 in octal", "https://0177.0.0.1/x", false},
	{"IPv4 in brackets", "http://[127.0.0.1]/x", false},
	{"IPv6 without brackets", "http://::1/x", false},
	{"IPv6 with a zone", "http://[::1%25lo]/x", false},
	{"user", "https://user@example.com/", false},
	{"user and password", "https://user:secret@example.com/", false},
	{"empty user", "https://@example.com/", false},
	{"user that looks like a host", "https://example.com@evil.com/", false},
	{"user that looks like a host and port", "http://localhost:80@evil.com/", false},
	{"backslash before the at sign", "https://evil.com\\@example.com/", false},
	{"backslashes for slashes", "https:\\\\example.com/", false},
	{"percent-encoded host", "https://ex%61mple.com/", false},
	{"percent-encoded byte outside ASCII", "https://%C3%A9.example/", false},
	{"host outside ASCII", "https://\u00e9.example/", false},
	{"path outside ASCII", "https://example.com/\u00e9", false},
	{"no scheme", "//example.com/x", false},
	{"path", "/x", false},
	{"host without scheme", "example.com/x", false},
	{"another scheme", "ftp://example.com/x", false},
	{"websocket", "wss://example.com/x", false},
	{"javascript", "javascript:alert(1)", false},
	{"no slashes", "https:example.com", false},
	{"one slash", "https:/example.com", false},
	{"no host", "https:///x", false},
	{"port without host", "https://:443/x", false},
	{"port 0", "https://example.com:0/", false},
	{"port too large", "https://example.com:65536/", false},
	{"port not a number", "https://example.com:https/", false},
	{"empty label", "https://example..com/", false},
	{"label too long", "https://" + strings.Repeat("a", 64) + ".com/", false},
	{"host too long", "https://" + strings.Repeat("a.", 127) + "com/", false},
	{"hyphen starts a label", "https://-a.com/", false},
	{"comma in the host", "https://a,b.com/", false},
	{"space", "https://exa mple.com/", false},
	{"space in the path", "https://example.com/a b", false},
	{"space around it", " https://example.com/", false},
	{"tab", "https://exam\tple.com/", false},
	{"line break", "https://example.com/\r\nX: y", false},
	{"NUL", "https://example.com/\x00", false},
	{"DEL", "https://example.com/\x7f", false},
	{"invalid UTF-8", "https://example.com/\xff", false},
	{"malformed percent-encoding", "https://example.com/%zz", false},
	{"template", "https://{tenant}.example.com/", false},
	{"quotes", "https://example.com/\"", false},
	{"white space alone", " ", false},
}

func TestEndpoint(t *testing.T) {
	for _, row := range endpoints {
		t.Run(row.rule, func(t *testing.T) {
			flaw := endpointFlaw(row.endpoint)
			if (flaw == "") != row.ok {
				t.Errorf("%q: %q", row.endpoint, flaw)
			}
			if strings.Contains(flaw, "secret") {
				t.Errorf("the reason quotes the URL: %q", flaw)
			}
		})
	}
}

// FuzzEndpoint asks net/url, which programs connect with, where an accepted endpoint leads.
func FuzzEndpoint(f *testing.F) {
	for _, row := range endpoints {
		f.Add(row.endpoint)
	}
	f.Fuzz(func(t *testing.T, endpoint string) {
		if endpointFlaw(endpoint) != "" {
			return
		}
		u, err := url.Parse(endpoint)
		if err != nil {
			t.Fatal(err)
		}
		if u.User != nil || u.Hostname() == "" || !u.IsAbs() {
			t.Fatalf("accepted %q", endpoint)
		}
		// The host has to stand in the text as it is, right after the scheme, so that a parser with other rules finds the same.
		rest := endpoint[len(u.Scheme):]
		if !strings.HasPrefix(rest, "://"+u.Host) {
			t.Fatalf("%q: host %q", endpoint, u.Host)
		}
		if after := rest[len("://"+u.Host):]; after != "" && strings.IndexByte("/?#", after[0]) < 0 {
			t.Fatalf("%q: %q follows the host", endpoint, after)
		}
		switch u.Scheme {
		case "https":
		case "http":
			addr, err := netip.ParseAddr(u.Hostname())
			name := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
			if name != "localhost" && (err != nil || !addr.Unmap().IsLoopback()) {
				t.Fatalf("accepted http for %q", u.Hostname())
			}
		default:
			t.Fatalf("accepted scheme %q", u.Scheme)
		}
	})
}
