// SPDX-License-Identifier: Apache-2.0
//
// The encapsulator of RFC 4326, 6: it makes SNDUs of PDUs, and TS packets of SNDUs, for each PID apart.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "headroom.h"
#include "ule/config.h"
#include "ule/wire/ts_packet.h"

namespace headroom::ule {

struct EncapsulatorCounters {
  std::uint64_t sndus = 0;
  std::uint64_t octets = 0;  // of SNDUs
  std::uint64_t ts_packets = 0;
  std::uint64_t packed = 0;      // SNDUs that begin in a TS packet with the end of another one
  std::uint64_t fill = 0;        // octets of 0xFF at the end of TS packets
  std::uint64_t thresholds = 0;  // TS packets that left because the Packing Threshold had passed
  std::uint64_t refused = 0;     // PDUs
};

class Encapsulator {
 public:
  explicit Encapsulator(const Config& config);

  // Encapsulates one PDU of the type p.in_type (0: an IP packet, as its version says). The TS packet that it completes
  // is in `p`, further ones wait for `drain`: then p.more is 1. HEADROOM_NOTHING when it completes none. Without room
  // for a TS packet the PDU leaves no trace. REQUIRES: all that waits has been drained; p.channel < config.channels,
  // p.in_length > 0, the detail is set to "not known".
  [[nodiscard]] std::int32_t encapsulate(headroom_packet& p, std::uint64_t now_ns, headroom_detail* detail) noexcept;

  // The next TS packet of the last PDU, or one whose Packing Threshold has passed. False when there is none (any more).
  [[nodiscard]] bool drain(headroom_packet& p, std::uint64_t now_ns) noexcept;

  // When the next Packing Threshold passes; HEADROOM_NO_DEADLINE.
  [[nodiscard]] std::uint64_t next_deadline() const noexcept;

  [[nodiscard]] const EncapsulatorCounters& counters() const noexcept { return counters_; }
  [[nodiscard]] std::size_t channels_in_use() const noexcept;
  [[nodiscard]] std::size_t memory_bytes() const noexcept;

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  // A PID, and its TS packet that is not full.
  struct Channel {
    std::array<std::uint8_t, wire::kTsPayload> payload{};
    std::uint8_t used = 0;  // octets of it; 0: nothing waits
    bool payload_unit_start = false;
    bool is_used = false;
    std::uint8_t continuity_counter = 0;
    std::uint64_t deadline = 0;
    std::uint32_t earlier = kNone, later = kNone;  // in the order of deadlines
  };

  [[nodiscard]] bool make_sndu(const headroom_packet& p, std::uint64_t now_ns, headroom_detail* detail) noexcept;
  void begin_sndu(Channel& channel) noexcept;
  [[nodiscard]] bool next_ts_packet(headroom_packet& p, std::uint64_t now_ns) noexcept;
  [[nodiscard]] bool finish(Channel& channel) noexcept;
  void fill(Channel& channel) noexcept;
  void put_out(headroom_packet& p, std::uint32_t number) noexcept;
  void wait(std::uint32_t number, std::uint64_t now_ns) noexcept;
  void leave_queue(Channel& channel) noexcept;

  Config config_;
  std::vector<Channel> channels_;
  std::vector<std::uint8_t> sndu_;              // the one that is being sent
  std::size_t length_ = 0;                      // of it
  std::size_t sent_ = 0;                        // octets of it that are in TS packets
  std::uint32_t sending_ = kNone;               // its channel
  std::uint32_t first_ = kNone, last_ = kNone;  // of the channels that wait
  EncapsulatorCounters counters_;
};

}  // namespace headroom::ule
