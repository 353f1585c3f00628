// SPDX-License-Identifier: Apache-2.0
//
// GseEncapsulator is the encapsulator of Generic Stream Encapsulation (ETSI TS 102 606-1). It puts PDUs into GSE
// packets, in fragments if they do not fit, and GSE packets into BBFRAMEs of a fixed length, separately for each input
// stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "headroom.h"
#include "ule/config.h"
#include "ule/wait_queue.h"
#include "ule/wire/gse.h"

namespace headroom::ule {

struct GseEncapsulatorCounters {
  std::uint64_t pdus = 0;
  std::uint64_t gse_packets = 0;
  std::uint64_t fragmented = 0;  // fragmented PDUs
  std::uint64_t frames = 0;      // BBFRAMEs
  std::uint64_t fill = 0;        // octets of BBFRAMEs after the data field
  std::uint64_t thresholds = 0;  // BBFRAMEs that were sent because the Packing Threshold had passed
  std::uint64_t refused = 0;     // refused PDUs
};

// Works as Encapsulator does, with BBFRAMEs instead of TS packets.
class GseEncapsulator {
 public:
  // REQUIRES: channels <= kMostStreams, kSmallestFrame <= frame_octets <= kLargestFrame.
  explicit GseEncapsulator(const Config& config);

  // Encapsulates a PDU. The first BBFRAME that the PDU completes is put into `p`; further BBFRAMEs wait for `drain`.
  // REQUIRES: as Encapsulator::encapsulate.
  [[nodiscard]] std::int32_t encapsulate(headroom_packet& p, std::uint64_t now_ns, headroom_detail* detail);
  // Puts the next BBFRAME of the last PDU into `p`, or a BBFRAME whose threshold has passed. Returns false if there is
  // none.
  [[nodiscard]] bool drain(headroom_packet& p, std::uint64_t now_ns) noexcept;
  [[nodiscard]] std::uint64_t next_deadline() const noexcept { return waiting_.deadline(channels_); }

  [[nodiscard]] const GseEncapsulatorCounters& counters() const noexcept { return counters_; }
  [[nodiscard]] std::size_t channels_in_use() const noexcept;
  [[nodiscard]] std::size_t memory_bytes() const noexcept;

 private:
  // The state of an input stream, with its BBFRAME that is not full yet.
  struct Channel {
    std::vector<std::uint8_t> data;  // the data field
    std::size_t used = 0;            // used octets of the data field; 0: nothing waits
    bool is_used = false;
    std::uint8_t frag_id = 0;  // Fragment ID of the next fragmented PDU
    Wait packing;
  };

  [[nodiscard]] std::size_t capacity() const noexcept { return config_.frame_octets - wire::kBbHeader; }
  [[nodiscard]] std::span<const std::uint8_t> label() const noexcept;
  [[nodiscard]] bool next_frame(std::uint8_t* out, std::uint64_t now_ns) noexcept;
  [[nodiscard]] bool add(Channel& channel) noexcept;
  void begin_fragments(Channel& channel, std::size_t octets) noexcept;
  void write(Channel& channel, const wire::GsePacket& packet) noexcept;
  void put_out(std::uint8_t* out, std::uint32_t number) noexcept;

  Config config_;
  std::vector<Channel> channels_;

  // The PDU that is being sent.
  std::vector<std::uint8_t> pdu_;
  std::size_t length_ = 0, sent_ = 0;
  std::uint16_t type_ = 0;
  wire::Npa npa_{};
  std::uint32_t crc_ = 0;  // CRC-32 of a fragmented PDU
  std::uint32_t sending_ = kNoChannel;
  WaitQueue<Channel> waiting_{&Channel::packing};
  GseEncapsulatorCounters counters_;
};

}  // namespace headroom::ule
