// SPDX-License-Identifier: Apache-2.0
//
// A header during restoration: the context as it would be after the packet, the dynamic fields and the restored octets.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "rohc/framework/wire/octets.h"
#include "rohc/v1/decompressor/context.h"

namespace headroom::rohc {

// A context as it would be after a packet. Decoding changes a copy; the copy becomes the context only after
// verification ("if the reconstructed header fails the CRC check, these updates MUST be undone", 5.3.2.2.2).
struct ContextCopy {
  DecompressorContext c;
  DecompressorTunnel tunnel;  // meaningful if c.tunnel
  // A copy of the lists, whose octets are undefined while c.lists is kNone; nullptr if the copy has no place for lists.
  DecompressorLists* lists = nullptr;
  bool in_compressed_header = false;  // the lists were in a compressed header, not in IR or IR-DYN
  bool sent_in_r_mode = false;        // according to the packet's mode, which the decompressor may not have adopted yet
};

// Returns the lists of a copy and marks them as active; clears them first if c.lists is kNone. REQUIRES: copy.lists is
// not nullptr.
[[nodiscard]] DecompressorLists& lists_of(ContextCopy& copy) noexcept;

struct RestoredHeader {
  std::array<std::uint8_t, kMaxHeaderOctets> octets;
  std::size_t size = 0;
  ListedHeaders listed;  // with lists: the places of all headers (without the core's octets)
};

// Derives from the pattern the values for CRCs and fast path: the IPv4 sum and the CRC registers after the CRC-STATIC
// octets.
void derive_from_pattern(ContextCopy& copy) noexcept;

// Derives the fast path's IP-ID prediction and SN interval from flags and reference.
void derive_prediction(DecompressorContext& c) noexcept;

// Builds the header chain for a payload of `payload` octets: pattern, dynamic fields of `copy`, marker, lengths, IPv4
// checksums. `coverage`: the Checksum Coverage of UDP-Lite if the packet carries it; otherwise the context determines
// it. Returns false if a value does not fit into its length field.
[[nodiscard]] bool restore(const ContextCopy& copy, bool marker, std::uint16_t udp_checksum, std::size_t payload,
                           RestoredHeader& header, std::optional<std::uint16_t> coverage = std::nullopt) noexcept;

// Sets the context's treatment of the Checksum Coverage. `value` is used for Coverage::kFixed only. REQUIRES: the
// context has a UDP-Lite header.
void set_coverage(DecompressorContext& c, Coverage way, std::uint16_t value) noexcept;

// Returns the treatment after a Checksum Coverage of `value` in a header followed by `payload` octets, CSRC list
// included: kInferred if `value` is "equal to the packet length", else `otherwise` (context(CFI), RFC 4019 5.2.2,
// 5.3.2.3).
[[nodiscard]] Coverage coverage_for(const Layout& l, std::uint16_t value, std::size_t payload,
                                    Coverage otherwise) noexcept;

// Writes length, IP-ID and checksum of an IP header whose other octets are already at `h`; `length` counts octets from
// the header's first octet. Returns false if the length does not fit into its field.
[[nodiscard]] bool complete_ip(std::uint8_t* h, const Layout& l, std::size_t length, std::uint16_t id) noexcept;

// Builds the core: restore() without lists.
[[nodiscard]] bool restore_core(const ContextCopy& copy, bool marker, std::uint16_t udp_checksum, std::size_t payload,
                                RestoredHeader& header, std::optional<std::uint16_t> coverage) noexcept;

// Return pointers to the innermost and the outer headers in a restored header.
[[nodiscard]] inline const std::uint8_t* inner_of(const RestoredHeader& h, const DecompressorContext& c) noexcept {
  return h.octets.data() + h.size - layout_of(c.shape).header;
}
[[nodiscard]] inline const std::uint8_t* outer_of(const RestoredHeader& h, const DecompressorContext& c) noexcept {
  return c.tunnel ? h.octets.data() : nullptr;
}

}  // namespace headroom::rohc
