// SPDX-License-Identifier: Apache-2.0
//
// The compressor of RFC 1144, 3.2.3. A packet leaves as one of three types (config.h).
#pragma once

#include <cstdint>
#include <vector>

#include "headroom.h"
#include "vj/config.h"
#include "vj/slots.h"
#include "vj/wire/changes.h"

namespace headroom::vj {

struct CompressorCounters {
  std::uint64_t ip = 0;            // not TCP, fragments, without an acknowledgement, SYN, FIN, RST; damaged headers
  std::uint64_t uncompressed = 0;  // with the connection number
  std::uint64_t compressed = 0;
  std::uint64_t new_connections = 0;       // of the uncompressed ones
  std::uint64_t replaced_connections = 0;  // of these: the slot had another connection
  std::uint64_t resynchronised = 0;        // uncompressed because TCP seems to repair a loss (4.2)
};

class Compressor {
 public:
  explicit Compressor(const Config& config);

  // Compresses one packet: status, octets, `out_type` and, where it is not nullptr, the detail. A packet without room
  // leaves no trace. REQUIRES: p.channel < config.channels, p.in_length > 0, the detail is set to "not known".
  [[nodiscard]] std::int32_t compress(headroom_packet& p, headroom_detail* detail) noexcept;

  [[nodiscard]] const CompressorCounters& counters() const noexcept { return counters_; }
  [[nodiscard]] std::size_t contexts_in_use() const noexcept;
  [[nodiscard]] std::size_t memory_bytes() const noexcept;

 private:
  struct Line {
    SlotTable slots;
    std::uint32_t last = SlotTable::kNone;  // "the last connection sent"
  };

  std::int32_t send_ip(headroom_packet& p, headroom_detail* detail) noexcept;
  std::int32_t send_uncompressed(headroom_packet& p, headroom_detail* detail, Line& line, std::uint32_t slot,
                                 const wire::Lengths& lengths) noexcept;

  Config config_;
  std::vector<Line> lines_;  // by channel
  CompressorCounters counters_;
};

}  // namespace headroom::vj
