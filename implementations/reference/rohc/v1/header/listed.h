// SPDX-License-Identifier: Apache-2.0
//
// Headers in lists, and third and further IP headers: extension headers after an IP header (RFC 3095 5.8), the CSRC
// list of an RTP header, and the third and further IP headers of profile 0x0004 (RFC 3843 3.2). A packet with any of
// these is split into its *core*, that is the headers that header/layout.h describes, without the listed headers, and
// the offsets of the listed headers.
//
// The core contains the headers of the static chain: the next-header field of an IP header in the core is the type of
// the next header in that chain (5.7.7.3, note), and CC is 0.
#pragma once

#include <array>
#include <cstdint>

#include "rohc/framework/wire/octets.h"
#include "rohc/v1/header/chain.h"
#include "rohc/v1/header/layout.h"

namespace headroom::rohc {

// IANA protocol numbers of the headers that a list of extension headers may contain (RFC 3095 5.8, RFC 4815 5.4),
// except the null ESP header, which cannot be distinguished from an encrypted ESP header.
inline constexpr std::uint8_t kHopByHop = 0;
inline constexpr std::uint8_t kRouting = 43;
inline constexpr std::uint8_t kGre = 47;
inline constexpr std::uint8_t kAuthentication = 51;
inline constexpr std::uint8_t kMinimalEncapsulation = 55;
inline constexpr std::uint8_t kDestinationOptions = 60;

[[nodiscard]] constexpr bool is_extension_header(std::uint8_t protocol) noexcept {
  return protocol == kHopByHop || protocol == kRouting || protocol == kGre || protocol == kAuthentication ||
         protocol == kMinimalEncapsulation || protocol == kDestinationOptions;
}

// Limits of this implementation. A chain ends before the first header that exceeds a limit, and a simpler profile
// compresses the packet.
inline constexpr std::size_t kMaxListItems = 15;    // CC has 4 bits (5.8.6.1)
inline constexpr std::size_t kMaxItemOctets = 128;  // a type 0 routing header with seven addresses has 120
inline constexpr std::size_t kMaxListOctets = 256;  // all extension headers of one IP header
inline constexpr std::size_t kMaxExtraIps = 14;     // IP headers after the first two: sixteen in all
inline constexpr std::size_t kMaxCsrcOctets = 4 * kMaxListItems;  // RFC 3550 5.1: CC is 4 bits
inline constexpr std::size_t kMaxHeaderOctets =
    2 * kImageSize + 2 * kMaxListOctets + kMaxExtraIps * kIpv6Header + kMaxCsrcOctets;

// The use of lists in a context. kIdle: the flow had lists, but all are empty now.
enum class ListUse : std::uint8_t { kNone, kIdle, kActive };

struct ExtensionHeader {
  std::uint8_t type;     // protocol number
  std::uint8_t octets;   // at most kMaxItemOctets
  std::uint16_t offset;  // from the first octet of the packet
};

struct ExtensionHeaders {
  std::uint8_t count = 0;
  std::uint16_t octets = 0;  // octets of all headers together
  std::array<ExtensionHeader, kMaxListItems> headers;
};

// The places of all headers, as offsets from the first octet of the packet.
struct ListedHeaders {
  ExtensionHeaders outer;           // extension headers of the outer IP header, if any
  ExtensionHeaders inner;           // extension headers of the core's innermost IP header
  std::uint16_t inner_at = 0;       // the core's innermost IP header
  std::uint16_t transport_at = 0;   // the header after that IP header and its extension headers
  std::uint8_t csrc_count = 0;      // CSRC identifiers
  std::uint16_t csrc_at = 0;        //
  std::uint8_t extra_count = 0;     // IP headers after the core's, consecutive from transport_at on
  std::uint16_t extras_octets = 0;  //
  std::uint8_t last_next = 0;       // protocol number after the last of these IP headers
  std::uint16_t octets = 0;         // all headers
  std::array<std::uint8_t, 2 * kImageSize> core;

  [[nodiscard]] bool empty() const noexcept {
    return outer.count == 0 && inner.count == 0 && csrc_count == 0 && extra_count == 0;
  }
};

// True if more headers may be compressible with lists than parse_chain() found.
[[nodiscard]] bool may_be_listed(Octets packet, const HeaderChain& chain, ChainLimits limits) noexcept;

// Parses `packet` including lists. `chain` then describes the core. Returns false, with `chain` and `listed` invalid,
// if no header needs lists. REQUIRES: parse_chain() has accepted the packet.
[[nodiscard]] bool parse_listed(Octets packet, ChainLimits limits, HeaderChain& chain, ListedHeaders& listed) noexcept;

// Shortens the chain so that it ends with `transport`: removes the RTP header (and CSRC list), or any transport header.
// `chain.listed` is then true if there are still lists.
void shorten(HeaderChain& chain, ListedHeaders& listed, Transport transport) noexcept;

// Returns the octets of the extension header of protocol `type` at the start of `octets`; 0 if the header is truncated,
// longer than kMaxItemOctets or not compressible (5.8.4.4: GRE only without routing, in version 0 and before IP). Sets
// `next` to the protocol number of the next header.
[[nodiscard]] std::size_t extension_header_octets(std::uint8_t type, Octets octets, std::uint8_t& next) noexcept;

// --- Items: extension headers as they stand in a compressed list (5.8.4) ---------------------------------------------

// "All communicated uncompressed extension header items indicate their own type in their Next Header field" (5.8.4.1);
// a GRE item gets such a field (5.8.4.4), the other items begin with this field.
struct Item {
  std::uint8_t octets = 0;
  std::array<std::uint8_t, kMaxItemOctets> data;

  [[nodiscard]] std::uint8_t type() const noexcept { return data[0]; }
};

// Makes the item of an extension header. REQUIRES: extension_header_octets() has accepted the header.
void item_of(const std::uint8_t* header, std::uint8_t type, std::size_t octets, Item& item) noexcept;

// True if this type at the start of a generic list's item means GRE. According to 5.8.4.4, which 5.8.4.1 contradicts, a
// GRE item begins with "the type of the subsequent header" instead of its own type. Both can be supported, because IP
// headers cannot be items.
[[nodiscard]] constexpr bool is_gre_by_what_follows(std::uint8_t type) noexcept { return is_ip(type); }

// Returns the octets of the item at the start of `octets`, by the type in its first octet; 0 if the item is truncated,
// too long or not an extension header. `generic`: true for an item of a list of encoding type 0.
[[nodiscard]] std::size_t item_octets(Octets octets, bool generic = false) noexcept;

// Returns the octets of an item's extension header.
[[nodiscard]] std::size_t header_octets_of(Octets item) noexcept;

// Writes an item's extension header, with `next` as its next-header number. REQUIRES: item_octets() has accepted the
// item; `header` has header_octets_of() octets; for GRE, `next` is IPv4 or IPv6.
void write_header_of(Octets item, std::uint8_t next, std::uint8_t* header) noexcept;

// The fields of an item that change with each packet and are ignored when items are compared (5.8.4.2, 5.8.4.4), as
// offsets from the item's first octet; 0: no such field.
struct ItemFields {
  std::uint8_t sequence_at = 0;  // 4 octets
  std::uint8_t as_is_at = 0;     // Integrity Check Value of AH or checksum of GRE, sent uncompressed
  std::uint8_t as_is_octets = 0;
};
[[nodiscard]] ItemFields fields_of_item(Octets item) noexcept;

// Returns the offsets of the same fields in the extension header itself.
[[nodiscard]] ItemFields fields_of_header(std::uint8_t type, const std::uint8_t* header, std::size_t octets) noexcept;

}  // namespace headroom::rohc
