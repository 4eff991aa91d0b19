package web

import (
	"fmt"
	"net/netip"
	"strings"
)

// A block is a range of addresses that no page on the internet has, with the
// words for one of them.
type block struct {
	prefix netip.Prefix
	what   string
}

// blocked4 are the ranges of IPv4 that are not read from. Sources: the registry
// of special-purpose addresses (RFC 6890), and the addresses where clouds hand
// out credentials.
var blocked4 = []block{
	{netip.MustParsePrefix("0.0.0.0/8"), "an address of this machine"},
	{netip.MustParsePrefix("10.0.0.0/8"), "a private address"},
	{netip.MustParsePrefix("100.64.0.0/10"), "an address behind a carrier's NAT"},
	{netip.MustParsePrefix("127.0.0.0/8"), "a loopback address"},
	{netip.MustParsePrefix("168.63.129.16/32"), "the metadata service of a cloud"},
	{netip.MustParsePrefix("169.254.0.0/16"), "a link-local address, as metadata services of clouds have"},
	{netip.MustParsePrefix("172.16.0.0/12"), "a private address"},
	{netip.MustParsePrefix("192.0.0.0/24"), "a reserved address"},
	{netip.MustParsePrefix("192.0.2.0/24"), "an address for documentation"},
	{netip.MustParsePrefix("192.88.99.0/24"), "a relay of 6to4"},
	{netip.MustParsePrefix("192.168.0.0/16"), "a private address"},
	{netip.MustParsePrefix("198.18.0.0/15"), "an address for benchmarks"},
	{netip.MustParsePrefix("198.51.100.0/24"), "an address for documentation"},
	{netip.MustParsePrefix("203.0.113.0/24"), "an address for documentation"},
	{netip.MustParsePrefix("224.0.0.0/4"), "a multicast address"},
	{netip.MustParsePrefix("240.0.0.0/4"), "a reserved address"},
}

// blocked6 are those of IPv6, within 2000::/3 and with good words for some of
// the others.
var blocked6 = []block{
	{netip.MustParsePrefix("::/128"), "an address of this machine"},
	{netip.MustParsePrefix("::1/128"), "a loopback address"},
	{netip.MustParsePrefix("2001::/23"), "a reserved address, as tunnels have"},
	{netip.MustParsePrefix("2001:db8::/32"), "an address for documentation"},
	{netip.MustParsePrefix("2002::/16"), "an address of a 6to4 tunnel"},
	{netip.MustParsePrefix("3fff::/20"), "an address for documentation"},
	{netip.MustParsePrefix("fc00::/7"), "a private address"},
	{netip.MustParsePrefix("fe80::/10"), "a link-local address"},
	{netip.MustParsePrefix("fec0::/10"), "a private address"},
	{netip.MustParsePrefix("ff00::/8"), "a multicast address"},
}

var (
	global6 = netip.MustParsePrefix("2000::/3")     // what is given out so far
	nat64   = netip.MustParsePrefix("64:ff9b::/96") // an IPv4 address stands at its end
)

// refusal says what is wrong with an address, "" when it may be any page's.
func refusal(ip netip.Addr) string {
	ip = ip.Unmap().WithZone("")
	if nat64.Contains(ip) {
		raw := ip.As16()
		ip = netip.AddrFrom4([4]byte(raw[12:]))
	}
	blocks := blocked6
	if ip.Is4() {
		blocks = blocked4
	}
	for _, b := range blocks {
		if b.prefix.Contains(ip) {
			return b.what
		}
	}
	if ip.Is6() && !global6.Contains(ip) {
		return "a reserved address"
	}
	return ""
}

// A RefusedError says that a URL leads where nothing is read from unless a
// setting says so.
type RefusedError struct {
	Host string // as it was asked for, "" when the address says it all
	IP   netip.Addr
	What string // what the address is
}

func (e *RefusedError) Error() string {
	where := e.IP.String()
	if !e.IP.IsValid() {
		where = e.Host
	} else if e.Host != "" && e.Host != where {
		where = fmt.Sprintf("%s (%s)", e.Host, where)
	}
	return fmt.Sprintf("%s is %s, which is not read from unless the setting fetch.allowPrivate is on", where, e.What)
}

// localName tells whether a name stands for this machine or its network
// whatever is resolved, for requests that a proxy resolves.
func localName(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	for _, zone := range []string{"localhost", "local", "internal", "home.arpa"} {
		if host == zone || strings.HasSuffix(host, "."+zone) {
			return true
		}
	}
	return false
}
