// SPDX-License-Identifier: Apache-2.0
//
// Flow makes the packets of one flow of a profile, interval by interval. The packets depend only on profile, number of
// the flow, seed and direction.
#ifndef HEADROOM_TRAFFIC_FLOW_H
#define HEADROOM_TRAFFIC_FLOW_H

#include <cstdint>
#include <memory>
#include <vector>

#include "base/octets.h"
#include "link/link.h"
#include "traffic/connection.h"
#include "traffic/packet.h"
#include "traffic/profile.h"

namespace headroom::traffic {

struct FlowPacket {
  std::uint64_t time_ns = 0;
  Octets octets;
  std::uint32_t header_length = 0;  // octets in front of the payload; the whole packet if it is not IP
};

struct FlowOptions {
  bool reverse = false;          // the opposite direction: addresses and ports swapped, its own counters
  bool pattern_payload = false;  // as in `load`: the same payload in every packet, whatever the profile says
};

// Talk spurts and pauses, counted in intervals.
class SpeechState {
 public:
  static constexpr std::uint32_t kLongest = 32'000;  // intervals; `load` stores them in 15 bits
  enum class Activity : std::uint8_t { silent, talking, spurt_start, silence_frame };

  // Durations are drawn at the interval `n`.
  static std::uint32_t duration(const Speech& speech, const Timing& timing, std::uint32_t token, std::uint64_t n,
                                bool talking) noexcept;

  Activity step(const Speech& speech, const Timing& timing, std::uint32_t token, std::uint64_t n) noexcept;

 private:
  bool talking_ = false;
  std::uint32_t remaining_ = 0;
  std::uint32_t in_pause_ = 0;
};

class Flow {
 public:
  Flow(const Profile& profile, std::uint64_t number, std::uint64_t seed, FlowOptions options = {});

  // Appends the packets of the next interval: none, one, or several. Times never decrease.
  void advance(std::vector<FlowPacket>& packets);

  // Returns the start of the next interval; no later packet has an earlier time.
  [[nodiscard]] std::uint64_t next_time_ns() const noexcept { return (identity_.start_us + next_us_) * 1000; }

  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
  // Returns the number of packets made so far, counted before loss or fragmentation in front of the compressor.
  [[nodiscard]] std::uint64_t packets_made() const noexcept { return packet_; }

 private:
  void advance_connection(std::uint64_t time_ns, std::uint64_t index, std::vector<FlowPacket>& packets);
  void apply_changes();
  void move_identifications(std::uint64_t index);
  void make_packet(std::uint64_t time_ns, std::uint64_t index, std::uint32_t payload_length, bool marker,
                   std::vector<FlowPacket>& packets);
  void pass_on(FlowPacket packet, std::vector<FlowPacket>& packets);
  [[nodiscard]] Octets payload(std::uint64_t index, std::uint32_t length) const;
  [[nodiscard]] std::uint32_t payload_length(std::uint64_t index) const;
  [[nodiscard]] const Rtp* rtp() const noexcept;

  Variant variant_;
  std::uint64_t number_;
  FlowOptions options_;
  Identity identity_;
  Moment moment_;
  std::array<std::uint16_t, kMostHeaders> counters_{};  // counters of counting identifications
  SpeechState speech_;
  std::optional<ConnectionState> connection_;
  bool is_request_ = false;     // True if the packet being made is a request
  std::uint64_t interval_ = 0;  // number of the next interval
  std::uint64_t next_us_ = 0;
  std::uint64_t last_ns_ = 0;
  std::uint64_t packet_ = 0;
  std::size_t next_change_ = 0;
  bool marker_once_ = false;
  std::unique_ptr<Link> before_;
};

}  // namespace headroom::traffic

#endif  // HEADROOM_TRAFFIC_FLOW_H
