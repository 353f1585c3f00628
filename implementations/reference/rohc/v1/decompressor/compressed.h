// SPDX-License-Identifier: Apache-2.0
//
// Compressed headers (RFC 3095 5.7.1 to 5.7.5, 5.11; RFC 4019 5.3): taking them apart by a context, and decoding their
// fields from its reference.
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
  std::uint16_t outer_id = 0;  // fields after the extension, if the flags call for them
  std::uint16_t inner_id = 0;
  std::uint16_t udp_checksum = 0;
  wire::Cce cce = wire::Cce::kNone;       // around the base header
  std::optional<std::uint16_t> coverage;  // UDP-Lite Checksum Coverage, if the packet carries it
  Octets payload;
  std::uint64_t arrived_ns = 0;  // for decode()
  // The lists with what the packet says of them applied; the octets are there if `list_use` is not kNone.
  DecompressorLists* lists = nullptr;
  ListUse list_use = ListUse::kNone;

  [[nodiscard]] wire::Bits sn() const noexcept { return base.extension ? base.sn.followed_by(extension.sn) : base.sn; }
  [[nodiscard]] wire::Bits ts() const noexcept { return base.extension ? base.ts.followed_by(extension.ts) : base.ts; }
  [[nodiscard]] wire::Bits id() const noexcept { return base.extension ? base.id.followed_by(extension.id) : base.id; }
  [[nodiscard]] bool has_extension_3() const noexcept { return base.extension && extension.kind == 3; }
  // To something else than 0, which would say that there is no timer-based compression.
  [[nodiscard]] bool sets_time_stride() const noexcept {
    return has_extension_3() && extension.rtp.has_time_stride && extension.rtp.time_stride != 0;
  }
};

// The types of R-mode that update nothing and have no CRC to be verified by.
[[nodiscard]] constexpr bool is_without_crc(const CompressedHeader& h) noexcept { return h.base.crc_width == 0; }

// The octet that tells the type of a packet: the first one, or in a CCE packet of a UDP-Lite context the one after the
// CID (RFC 4019 5.3.2). Where that is missing, the CCE octet itself.
[[nodiscard]] std::uint8_t type_octet(const DecompressorContext& c, std::uint8_t first, Octets rest) noexcept;

// The lists of a context, and a place for the copy that a packet works on.
struct ListPlaces {
  const DecompressorLists* context = nullptr;  // meaningful unless the context's `lists` is kNone
  DecompressorLists* copy = nullptr;
};

// Takes apart a packet whose first octet is `first` and that goes on with `rest` after the CID. Empty when it is too
// short or contradicts itself or the context.
[[nodiscard]] std::optional<CompressedHeader> read_compressed(const DecompressorContext& c,
                                                              const DecompressorTunnel& tunnel, ListPlaces lists,
                                                              std::uint8_t first, Octets rest) noexcept;

// What decoding gives: the context that the packet describes, and the marker. For UO-1-ID with extension 3 that is more
// than the context may keep (5.7.3, RFC 4815 6.2): see keep_context().
struct Decoded {
  ContextCopy header;
  bool marker = false;
  wire::Mode mode = wire::Mode::kCancel;  // mode information in the packet
  bool has_mode = false;
};

// Decodes by context `c`, taking `reference_sn` for the last SN. False when the packet must be discarded without a CRC
// verdict.
[[nodiscard]] bool decode(const DecompressorContext& c, const DecompressorTunnel& tunnel,
                          const CompressedHeader& header, std::uint16_t reference_sn, Decoded& decoded) noexcept;

// True when the CRC of the packet is that of the restored header, or it has none.
[[nodiscard]] bool verify(const Decoded& decoded, const CompressedHeader& compressed,
                          const RestoredHeader& restored) noexcept;

// Turns the context that made the header into the one to keep.
void keep_context(const DecompressorContext& before, const DecompressorTunnel& tunnel_before,
                  const DecompressorLists& lists_before, const CompressedHeader& compressed, Decoded& decoded) noexcept;

}  // namespace headroom::rohc
