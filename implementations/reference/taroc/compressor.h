// SPDX-License-Identifier: Apache-2.0
//
// The compressor of 7.1: selects the packets to compress, the state, and the window of references.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "headroom.h"
#include "taroc/config.h"
#include "taroc/contexts.h"

namespace headroom::taroc {

struct CompressorCounters {
  std::uint64_t ip = 0;            // no TCP, fragments, other header chains, ACK clear, SYN, FIN or RST set, or damaged
  std::uint64_t uncompressed = 0;  // of these:
  std::uint64_t new_contexts = 0, replaced_contexts = 0;
  std::uint64_t slow_start = 0;   // after F_PERIOD compressed packets
  std::uint64_t repeated = 0;     // retransmissions of data sent as UNCOMPRESSED_TCP, and those due to `rescue`
  std::uint64_t changed = 0;      // changes that a compressed header cannot express
  std::uint64_t fell_behind = 0;  // older than all packets of the window
  std::uint64_t compressed = 0;
};

struct Flow;
enum class Reason : std::uint8_t;

class Compressor {
 public:
  explicit Compressor(const Config& config);
  ~Compressor();

  // Compresses a packet: sets status, output octets, `out_type` and, unless it is nullptr, the detail. If the output
  // does not fit, nothing else changes. Allocates memory for the first packet of a CID; if there is none, the packet is
  // sent unchanged. REQUIRES: p.channel < config.channels, p.in_length > 0, the detail is set to "not known".
  [[nodiscard]] std::int32_t compress(headroom_packet& p, headroom_detail* detail) noexcept;

  [[nodiscard]] const CompressorCounters& counters() const noexcept { return counters_; }
  [[nodiscard]] std::size_t contexts_in_use() const noexcept;
  [[nodiscard]] std::size_t memory_bytes() const noexcept;

 private:
  struct Line {
    explicit Line(std::uint32_t contexts);
    ContextTable contexts;
    std::vector<std::unique_ptr<Flow>> flows;  // by CID
  };

  std::int32_t send_ip(headroom_packet& p, headroom_detail* detail) noexcept;
  void count(Reason reason) noexcept;

  Config config_;
  std::vector<Line> lines_;  // by channel
  CompressorCounters counters_;
};

}  // namespace headroom::taroc
