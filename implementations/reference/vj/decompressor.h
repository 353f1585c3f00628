// SPDX-License-Identifier: Apache-2.0
//
// The decompressor of RFC 1144, 3.2.4, with error handling (section 4).
#pragma once

#include <cstdint>
#include <vector>

#include "headroom.h"
#include "vj/config.h"
#include "vj/slots.h"

namespace headroom::vj {

struct DecompressorCounters {
  std::uint64_t ip = 0, uncompressed = 0, compressed = 0;  // packets passed on, by type
  std::uint64_t errors = 0;                                // reports of damaged frames
  std::uint64_t tossed = 0;                                // compressed packets tossed before a connection number
  std::uint64_t bad_slot = 0;                              // connection numbers out of range
  std::uint64_t no_context = 0;                            // connections without a saved header
  std::uint64_t malformed = 0;
};

class Decompressor {
 public:
  explicit Decompressor(const Config& config);

  // Decompresses a packet of the type `in_type`. REQUIRES: p.channel < config.channels, the detail is nullptr or set to
  // "not known". Statuses: ERR_STATE for a packet that is tossed, ERR_NO_CONTEXT without a saved header, ERR_CRC for a
  // wrong header checksum in UNCOMPRESSED_TCP, ERR_MALFORMED for any other invalid packet. A refused packet changes no
  // saved header, and sets the toss flag as a damaged frame does.
  [[nodiscard]] std::int32_t decompress(headroom_packet& p, headroom_detail* detail) noexcept;

  [[nodiscard]] const DecompressorCounters& counters() const noexcept { return counters_; }
  [[nodiscard]] std::size_t contexts_in_use() const noexcept;
  [[nodiscard]] std::size_t memory_bytes() const noexcept;

 private:
  struct Line {
    std::vector<SavedHeader> slots;
    std::uint8_t last = 0;  // "last connection received"
    // "Packets should be tossed until one arrives with an explicit connection number" (note 23); the first packet needs
    // a connection number, too.
    bool toss = true;
  };

  std::int32_t refuse(Line& line, std::uint64_t& counter, std::int32_t status) noexcept;
  std::int32_t pass_ip(headroom_packet& p, headroom_detail* detail) noexcept;
  std::int32_t take_uncompressed(Line& line, headroom_packet& p, headroom_detail* detail) noexcept;
  std::int32_t take_compressed(Line& line, headroom_packet& p, headroom_detail* detail) noexcept;

  std::vector<Line> lines_;  // by channel
  DecompressorCounters counters_;
};

}  // namespace headroom::vj
