// SPDX-License-Identifier: Apache-2.0
//
// The compressor of RFC 1144, 3.2.3. A packet is sent as one of three types (config.h).
#pragma once

#include <cstdint>
#include <vector>

#include "headroom.h"
#include "vj/config.h"
#include "vj/slots.h"
#include "vj/wire/changes.h"

namespace headroom::vj {

struct CompressorCounters {
  std::uint64_t ip = 0;            // no TCP, fragments, ACK clear, SYN, FIN or RST set, or damaged headers
  std::uint64_t uncompressed = 0;  // sent with the connection number
  std::uint64_t compressed = 0;
  std::uint64_t new_connections = 0;       // uncompressed packets of new connections
  std::uint64_t replaced_connections = 0;  // new connections whose slot had another one
  std::uint64_t resynchronised = 0;        // uncompressed because TCP seems to repair a loss (4.2)
};

class Compressor {
 public:
  explicit Compressor(const Config& config);

  // Compresses a packet: sets status, output octets, `out_type` and, unless it is nullptr, the detail. If the output
  // does not fit, nothing else changes. REQUIRES: p.channel < config.channels, p.in_length > 0, the detail is set to
  // "not known".
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
