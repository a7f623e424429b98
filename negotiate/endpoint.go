package negotiate

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// endpointFlaw says what keeps a text from being an absolute https URL without user info, or such an http URL of a loopback
// host; nothing is "". It is strict, since programs with other URL parsers will send requests and tokens there: what two
// parsers may read as two hosts is refused.
func endpointFlaw(endpoint string) string {
	for i := range len(endpoint) {
		// The bytes that RFC 3986 has in no URL. Some parsers drop a tab, or read a backslash as a slash.
		if c := endpoint[i]; c <= ' ' || c >= 0x7F || strings.IndexByte("\"<>\\^`{|}", c) >= 0 {
			return "a character that no URL may hold"
		}
	}
	u, err := url.Parse(endpoint)
	switch {
	case err != nil: // its text quotes the URL
		return "not a URL"
	case u.Scheme != "https" && u.Scheme != "http":
		return "want an absolute https URL"
	case u.User != nil:
		return "user info in the URL"
	case u.Host == "" || u.Hostname() == "":
		return "no host in the URL"
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return "want a port from 1 to 65535"
		}
	}
	loopback, ok := hostKind(u)
	switch {
	case !ok:
		return "the host is neither a DNS name nor an IP address"
	case u.Scheme == "http" && !loopback:
		return "plain http is for loopback hosts only"
	}
	return ""
}

// hostKind says whether a host is well-formed, and whether it is this machine without asking a resolver.
func hostKind(u *url.URL) (loopback, ok bool) {
	host := u.Hostname()
	if addr, err := netip.ParseAddr(host); err == nil {
		bracketed := u.Host[0] == '['
		return addr.Unmap().IsLoopback(), addr.Is6() == bracketed && addr.Zone() == ""
	}
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if len(host) > longestDomain {
		return false, false
	}
	labels := strings.Split(host, ".")
	for _, label := range labels {
		// An underscore is no DNS host name, but names of machines in private networks have them.
		if labelFlaw(strings.ReplaceAll(label, "_", "0")) != "" {
			return false, false
		}
	}
	// 127.1 and 0x7f000001 are 127.0.0.1 for some resolvers and a name for others.
	return host == "localhost", !numeric(labels[len(labels)-1])
}
