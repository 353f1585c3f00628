// SPDX-License-Identifier: Apache-2.0
//
// A header being restored: what the context would be after the packet, the dynamic fields, and the octets they make.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "rohc/framework/wire/octets.h"
#include "rohc/v1/decompressor/context.h"

namespace headroom::rohc {

// A context as a packet would leave it. Decoding works on a copy; only verification makes it the context ("if the
// reconstructed header fails the CRC check, these updates MUST be undone", 5.3.2.2.2).
struct ContextCopy {
  DecompressorContext c;
  DecompressorTunnel tunnel;  // meaningful if c.tunnel
  // A copy of the lists, with their octets all undefined while c.lists is kNone; nullptr where there is no place for
  // any.
  DecompressorLists* lists = nullptr;
  bool in_compressed_header = false;  // what the lists say was in one, not in IR or IR-DYN
  bool sent_in_r_mode = false;        // as its mode says, which the decompressor may not have followed yet
};

// The lists of a copy, made if there are none. REQUIRES: copy.lists.
[[nodiscard]] DecompressorLists& lists_of(ContextCopy& copy) noexcept;

struct RestoredHeader {
  std::array<std::uint8_t, kMaxHeaderOctets> octets;
  std::size_t size = 0;
  ListedHeaders listed;  // with lists: where everything is (but for the core's octets)
};

// Derives what CRCs and fast path use from the pattern: the IPv4 sum and the registers after the CRC-STATIC octets.
void derive_from_pattern(ContextCopy& copy) noexcept;

// Derives the fast path's IP-ID prediction and SN interval from flags and reference.
void derive_prediction(DecompressorContext& c) noexcept;

// Builds the header chain for a payload of `payload` octets: pattern, dynamic fields of `copy`, marker, lengths, IPv4
// checksums. `coverage`: the Checksum Coverage of UDP-Lite where the packet carries it; else the context says it. False
// when a length field could not hold its value.
[[nodiscard]] bool restore(const ContextCopy& copy, bool marker, std::uint16_t udp_checksum, std::size_t payload,
                           RestoredHeader& header, std::optional<std::uint16_t> coverage = std::nullopt) noexcept;

// Lets the context treat the Checksum Coverage that way from now on. `value` is for Coverage::kFixed. REQUIRES: the
// context has a UDP-Lite header.
void set_coverage(DecompressorContext& c, Coverage way, std::uint16_t value) noexcept;

// What a Checksum Coverage of `value` in a header with `payload` octets behind it, CSRC list included, makes of
// context(CFI): inferred if it is "equal to the packet length", `otherwise` if not (RFC 4019 5.2.2, 5.3.2.3).
[[nodiscard]] Coverage coverage_for(const Layout& l, std::uint16_t value, std::size_t payload,
                                    Coverage otherwise) noexcept;

// Lengths, IP-ID and checksum of one IP header whose other octets already stand at `h`; `length` counts from the
// header's first octet. False when the length field could not hold its value.
[[nodiscard]] bool complete_ip(std::uint8_t* h, const Layout& l, std::size_t length, std::uint16_t id) noexcept;

// restore() without any lists: the core.
[[nodiscard]] bool restore_core(const ContextCopy& copy, bool marker, std::uint16_t udp_checksum, std::size_t payload,
                                RestoredHeader& header, std::optional<std::uint16_t> coverage) noexcept;

// Pointers into a restored header.
[[nodiscard]] inline const std::uint8_t* inner_of(const RestoredHeader& h, const DecompressorContext& c) noexcept {
  return h.octets.data() + h.size - layout_of(c.shape).header;
}
[[nodiscard]] inline const std::uint8_t* outer_of(const RestoredHeader& h, const DecompressorContext& c) noexcept {
  return c.tunnel ? h.octets.data() : nullptr;
}

}  // namespace headroom::rohc
