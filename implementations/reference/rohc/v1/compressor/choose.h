// SPDX-License-Identifier: Apache-2.0
//
// "The compressor chooses the smallest possible packet format that can communicate the desired changes, and has the
// required number of bits for W-LSB encoded values" (RFC 3095 5.3.1.2): a table of the formats, smallest first, and the
// needs of a packet.
#pragma once

#include <cstdint>
#include <optional>

#include "rohc/v1/compressor/window.h"
#include "rohc/v1/wire/extension.h"
#include "rohc/v1/wire/packet_type.h"

namespace headroom::rohc {

// The needs of a packet: the information that its compressed header must carry.
struct Needs {
  wire::Format format = wire::Format::kRtp;
  bool t_bit = false;         // the context has an IPv4 header with RND = 0 (5.7.3)
  bool generated_sn = false;  // p = -1
  bool reliable = false;      // types 0 and 1 have the formats of R-mode
  bool update = false;        // R-mode: the packet has to update the context

  Span sn;                        // distances from the references
  bool ts_bits = false;           // linear extrapolation from the SN does not give the TS
  bool ts_unscaled = false;       // the TS cannot be sent scaled
  Span ts;                        // distances, in strides or, if unscaled, in units of the timestamp
  bool ts_plain = true;           // the decompressor may decode TS bits relative to its reference (4.5.1)
  bool ts_timed = false;          // the decompressor may decode TS bits relative to its clock (4.5.4)
  Span ts_jitter;                 // range of the clock's deviation, in strides
  bool id_bits = false;           // the offset of the compressed IP-ID has changed
  std::uint32_t id_distance = 0;  // largest distance of that offset from the references, modulo 2^16
  bool outer_id_bits = false;     // the offset of the outer header's compressed IP-ID has changed
  std::uint32_t outer_id_distance = 0;

  bool marker = false;
  bool long_crc = false;     // packet types 0 and 1 are ruled out
  bool extension_3 = false;  // there are flags or fields that only extension 3 carries
};

struct Choice {
  wire::PacketType type = wire::PacketType::kUnknown;
  std::int8_t extension = -1;        // -1: none
  wire::Cce cce = wire::Cce::kNone;  // set by choose_cce() (coverage.h), not by choose()

  // The fields of extension 3.
  bool sn_octet = false;
  std::uint8_t ts_width = 0;  // 0, 7, 14, 21 or 29
  bool id_field = false;
  bool outer_id_field = false;
};

// Returns the smallest suitable format, or nothing if no compressed header suffices, for example because the SN is too
// far from a reference; an IR-DYN packet is then needed.
[[nodiscard]] std::optional<Choice> choose(const Needs& needs) noexcept;

}  // namespace headroom::rohc
