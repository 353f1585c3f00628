// SPDX-License-Identifier: Apache-2.0
//
// Headers that come in lists, or deeper than two: extension headers after an IP header (RFC 3095 5.8), the CSRC list of
// an RTP header, and the third and further IP headers of profile 0x0004 (RFC 3843 3.2). A packet that has any of them
// is taken apart here into its *core*, the headers that header/layout.h describes, as if the others were not there, and
// the places of the others.
//
// The core is what the static chain speaks of: the next-header field of an IP header in it is the type of the next
// header in that chain (5.7.7.3, note), and CC is 0.
#pragma once

#include <array>
#include <cstdint>

#include "rohc/framework/wire/octets.h"
#include "rohc/v1/header/chain.h"
#include "rohc/v1/header/layout.h"

namespace headroom::rohc {

// IANA protocol numbers of what may stand in a list of extension headers (RFC 3095 5.8, RFC 4815 5.4), but for the null
// ESP header, which looks like an encrypted one.
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

// Limits of ours. A chain ends before whatever exceeds them, and a simpler profile takes the rest.
inline constexpr std::size_t kMaxListItems = 15;    // CC has 4 bits (5.8.6.1)
inline constexpr std::size_t kMaxItemOctets = 128;  // a type 0 routing header with seven addresses has 120
inline constexpr std::size_t kMaxListOctets = 256;  // all extension headers of one IP header
inline constexpr std::size_t kMaxExtraIps = 14;     // IP headers after the first two: sixteen in all
inline constexpr std::size_t kMaxCsrcOctets = 4 * kMaxListItems;  // RFC 3550 5.1: CC is 4 bits
inline constexpr std::size_t kMaxHeaderOctets =
    2 * kImageSize + 2 * kMaxListOctets + kMaxExtraIps * kIpv6Header + kMaxCsrcOctets;

// How lists take part in a context. kIdle: there have been lists, but all are empty now.
enum class ListUse : std::uint8_t { kNone, kIdle, kActive };

struct ExtensionHeader {
  std::uint8_t type;     // protocol number
  std::uint8_t octets;   // at most kMaxItemOctets
  std::uint16_t offset;  // from the first octet of the packet
};

struct ExtensionHeaders {
  std::uint8_t count = 0;
  std::uint16_t octets = 0;  // of all together
  std::array<ExtensionHeader, kMaxListItems> headers;
};

// Where everything is, as offsets from the first octet of the packet.
struct ListedHeaders {
  ExtensionHeaders outer;           // of the outer IP header; empty without one
  ExtensionHeaders inner;           // of the innermost IP header of the core
  std::uint16_t inner_at = 0;       // that IP header
  std::uint16_t transport_at = 0;   // what follows it and its extension headers
  std::uint8_t csrc_count = 0;      // CSRC identifiers
  std::uint16_t csrc_at = 0;        //
  std::uint8_t extra_count = 0;     // IP headers after the core's, which follow one another from transport_at on
  std::uint16_t extras_octets = 0;  //
  std::uint8_t last_next = 0;       // what follows the last of those
  std::uint16_t octets = 0;         // all headers
  std::array<std::uint8_t, 2 * kImageSize> core;

  [[nodiscard]] bool empty() const noexcept {
    return outer.count == 0 && inner.count == 0 && csrc_count == 0 && extra_count == 0;
  }
};

// True when what parse_chain() found may be but a part of what can be compressed with lists.
[[nodiscard]] bool may_be_listed(Octets packet, const HeaderChain& chain, ChainLimits limits) noexcept;

// Takes `packet` apart, lists and all. `chain` is then that of the core. False when there is nothing that would need
// lists: then neither has a meaning. REQUIRES: parse_chain() has accepted the packet.
[[nodiscard]] bool parse_listed(Octets packet, ChainLimits limits, HeaderChain& chain, ListedHeaders& listed) noexcept;

// Takes the chain back to a shorter one: without RTP header (and CSRC list), or without any transport header.
// `chain.listed` tells whether there are lists still.
void shorten(HeaderChain& chain, ListedHeaders& listed, Transport transport) noexcept;

// Octets of one extension header that begins `octets`, of protocol `type`; 0 when it is truncated, longer than
// kMaxItemOctets, or none that may be compressed (5.8.4.4: of GRE, only without routing, in version 0 and before IP).
// `next` becomes the protocol number of what follows.
[[nodiscard]] std::size_t extension_header_octets(std::uint8_t type, Octets octets, std::uint8_t& next) noexcept;

// --- Items: extension headers as they stand in a compressed list (5.8.4) ---------------------------------------------

// "All communicated uncompressed extension header items indicate their own type in their Next Header field" (5.8.4.1);
// GRE is given such a field (5.8.4.4), the others have it in front.
struct Item {
  std::uint8_t octets = 0;
  std::array<std::uint8_t, kMaxItemOctets> data;

  [[nodiscard]] std::uint8_t type() const noexcept { return data[0]; }
};

// REQUIRES: extension_header_octets() has accepted the header.
void item_of(const std::uint8_t* header, std::uint8_t type, std::size_t octets, Item& item) noexcept;

// In a generic list a GRE item may have "the type of the subsequent header" instead of its own in front: so 5.8.4.4,
// which 5.8.4.1 contradicts. IP headers cannot be items, so that both can be understood.
[[nodiscard]] constexpr bool is_gre_by_what_follows(std::uint8_t type) noexcept { return is_ip(type); }

// Octets of the item that begins `octets`, by the type in its first octet; 0 when it is truncated, too long or of a
// type that is no extension header. `generic`: of a list of encoding type 0.
[[nodiscard]] std::size_t item_octets(Octets octets, bool generic = false) noexcept;

// Octets of the extension header that an item stands for.
[[nodiscard]] std::size_t header_octets_of(Octets item) noexcept;

// Writes that header, with `next` as what follows it. REQUIRES: item_octets() has accepted the item; `header` has
// header_octets_of() octets; for GRE, `next` is IPv4 or IPv6.
void write_header_of(Octets item, std::uint8_t next, std::uint8_t* header) noexcept;

// Fields of an item that change with each packet and are no part of what makes it the same item (5.8.4.2, 5.8.4.4).
// Offsets from the item's first octet; 0: there is none.
struct ItemFields {
  std::uint8_t sequence_at = 0;  // 4 octets
  std::uint8_t as_is_at = 0;     // Integrity Check Value of AH, checksum of GRE: sent as it is
  std::uint8_t as_is_octets = 0;
};
[[nodiscard]] ItemFields fields_of_item(Octets item) noexcept;

// Where the same fields are in the extension header itself.
[[nodiscard]] ItemFields fields_of_header(std::uint8_t type, const std::uint8_t* header, std::size_t octets) noexcept;

}  // namespace headroom::rohc
