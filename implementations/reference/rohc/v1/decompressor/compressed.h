// SPDX-License-Identifier: Apache-2.0
//
// Compressed headers (RFC 3095 5.7.1 to 5.7.5, 5.11; RFC 4019 5.3): parses them according to a context and decodes
// their fields relative to the context's reference.
#pragma once

#include <cstdint>
#include <optional>

#include "rohc/v1/decompressor/header.h"
#include "rohc/v1/wire/base_header.h"
#include "rohc/v1/wire/extension.h"

namespace headroom::rohc {

struct CompressedHeader {
  wire::BaseHeader base;
  wire::Extension extension;   // meaningful if base.extension
  std::uint16_t outer_id = 0;  // fields after the extension, if the context's flags require them
  std::uint16_t inner_id = 0;
  std::uint16_t udp_checksum = 0;
  wire::Cce cce = wire::Cce::kNone;       // CCE octet around the base header
  std::optional<std::uint16_t> coverage;  // UDP-Lite Checksum Coverage, if the packet carries it
  Octets payload;
  std::uint64_t arrived_ns = 0;  // for decode()
  // The lists after applying the packet's lists; valid if `list_use` is not kNone.
  DecompressorLists* lists = nullptr;
  ListUse list_use = ListUse::kNone;

  [[nodiscard]] wire::Bits sn() const noexcept { return base.extension ? base.sn.followed_by(extension.sn) : base.sn; }
  [[nodiscard]] wire::Bits ts() const noexcept { return base.extension ? base.ts.followed_by(extension.ts) : base.ts; }
  [[nodiscard]] wire::Bits id() const noexcept { return base.extension ? base.id.followed_by(extension.id) : base.id; }
  [[nodiscard]] bool has_extension_3() const noexcept { return base.extension && extension.kind == 3; }
  // True if the packet sets TIME_STRIDE to another value than 0; 0 would mean no timer-based compression.
  [[nodiscard]] bool sets_time_stride() const noexcept {
    return has_extension_3() && extension.rtp.has_time_stride && extension.rtp.time_stride != 0;
  }
};

// True for the R-mode types that have no CRC and do not update the context.
[[nodiscard]] constexpr bool is_without_crc(const CompressedHeader& h) noexcept { return h.base.crc_width == 0; }

// Returns the octet that determines the type of a packet: the first octet, or in a CCE packet of a UDP-Lite context the
// octet after the CID (RFC 4019 5.3.2). If the latter is missing, returns the CCE octet.
[[nodiscard]] std::uint8_t type_octet(const DecompressorContext& c, std::uint8_t first, Octets rest) noexcept;

// The lists of a context, and the place for the copy that a packet changes.
struct ListPlaces {
  const DecompressorLists* context = nullptr;  // meaningful unless the context's `lists` is kNone
  DecompressorLists* copy = nullptr;
};

// Parses a packet with the first octet `first` and the octets `rest` after the CID. Returns nothing if the packet is
// too short or contradicts itself or the context.
[[nodiscard]] std::optional<CompressedHeader> read_compressed(const DecompressorContext& c,
                                                              const DecompressorTunnel& tunnel, ListPlaces lists,
                                                              std::uint8_t first, Octets rest) noexcept;

// The result of decoding: the context that the packet describes, and the marker. UO-1-ID with extension 3 may update
// only parts of the context (5.7.3, RFC 4815 6.2): see keep_context().
struct Decoded {
  ContextCopy header;
  bool marker = false;
  wire::Mode mode = wire::Mode::kCancel;  // mode information in the packet
  bool has_mode = false;
};

// Decodes a header with context `c` and `reference_sn` as the last SN. Returns false if the packet must be discarded
// without checking its CRC.
[[nodiscard]] bool decode(const DecompressorContext& c, const DecompressorTunnel& tunnel,
                          const CompressedHeader& header, std::uint16_t reference_sn, Decoded& decoded) noexcept;

// True if the CRC of the packet equals the CRC of the restored header, or the packet has no CRC.
[[nodiscard]] bool verify(const Decoded& decoded, const CompressedHeader& compressed,
                          const RestoredHeader& restored) noexcept;

// Reduces the decoded context to the parts that the packet may update.
void keep_context(const DecompressorContext& before, const DecompressorTunnel& tunnel_before,
                  const DecompressorLists& lists_before, const CompressedHeader& compressed, Decoded& decoded) noexcept;

}  // namespace headroom::rohc
