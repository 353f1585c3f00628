// SPDX-License-Identifier: Apache-2.0
//
// The encapsulator of RFC 4326, 6: it makes SNDUs of PDUs, and TS packets of SNDUs, for each PID apart. With
// Encapsulation::mpe it makes sections in place of SNDUs, which share TS packets in the same way.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "headroom.h"
#include "ule/config.h"
#include "ule/pdu.h"
#include "ule/wait_queue.h"
#include "ule/wire/sndu.h"
#include "ule/wire/ts_packet.h"

namespace headroom::ule {

struct EncapsulatorCounters {
  std::uint64_t sndus = 0;
  std::uint64_t octets = 0;        // of SNDUs
  std::uint64_t concatenated = 0;  // PDUs and TS packets in SNDUs with several
  std::uint64_t test_sndus = 0;
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
  // for a TS packet the PDU leaves no trace. A PDU of the type kTypeTsPacket is a TS packet. REQUIRES: all that waits
  // has been drained; p.channel < config.channels, p.in_length > 0, the detail is set to "not known".
  [[nodiscard]] std::int32_t encapsulate(headroom_packet& p, std::uint64_t now_ns, headroom_detail* detail);

  // The next TS packet of the last SNDU, or one of an SNDU or TS packet whose threshold has passed. False when there is
  // none (any more).
  [[nodiscard]] bool drain(headroom_packet& p, std::uint64_t now_ns) noexcept;

  // Has a Test SNDU sent (5.1), with `octets` of content: its TS packets are due at once. False where it would be too
  // long, and of MPE, which has none. REQUIRES: channel < config.channels.
  [[nodiscard]] bool send_test(std::uint32_t channel, std::size_t octets);

  // When the next threshold passes, or 0 where a Test SNDU waits; HEADROOM_NO_DEADLINE.
  [[nodiscard]] std::uint64_t next_deadline() const noexcept;

  [[nodiscard]] const EncapsulatorCounters& counters() const noexcept { return counters_; }
  [[nodiscard]] std::size_t channels_in_use() const noexcept;
  [[nodiscard]] std::size_t memory_bytes() const noexcept;

 private:
  // What one SNDU carries behind its extension headers.
  struct Carried {
    std::uint16_t type;        // of the Type field in front of it
    std::uint8_t packet_type;  // PacketType
    wire::Npa npa;
    std::array<std::uint8_t, wire::kMacHeader> front;  // a MAC header, or the type of concatenated PDUs
    std::size_t front_octets;
    std::span<const std::uint8_t> octets;

    [[nodiscard]] std::size_t size() const noexcept { return front_octets + octets.size(); }
  };

  // PDUs, or TS packets, that wait for others to share an SNDU with.
  struct Group {
    std::vector<std::uint8_t> octets;  // each PDU behind its length (RFC 5163, 3.2)
    unsigned count = 0;
    std::uint16_t type = 0;  // of the PDUs
    wire::Npa npa{};
  };

  // A PID, and its TS packet that is not full.
  struct Channel {
    std::array<std::uint8_t, 1 + wire::kTsPayload> room{};  // the first octet is that of a Payload Pointer
    std::uint8_t used = 0;                                  // octets of the payload; 0: nothing waits
    bool payload_unit_start = false;
    bool is_used = false;
    std::uint8_t continuity_counter = 0;
    Wait packing, concat;
    Group group;

    [[nodiscard]] std::uint8_t* payload() noexcept { return room.data() + (payload_unit_start ? 0 : 1); }
    [[nodiscard]] std::size_t left() const noexcept { return wire::kTsPayload - used; }
  };

  struct Test {
    std::uint32_t channel;
    std::size_t octets;
  };

  // Inline are those with one or two calls, all in the source.
  // Fills `carried`. False where the PDU is none that can be carried.
  [[nodiscard]] inline bool read(const headroom_packet& p, Carried& carried) const noexcept;
  [[nodiscard]] std::span<const std::uint32_t> broadcasts() const noexcept;
  [[nodiscard]] bool read_for_section(std::uint16_t type, Carried& carried) const noexcept;
  [[nodiscard]] inline std::uint8_t* write_header(std::uint8_t* sndu, const Carried& carried,
                                                  std::uint64_t now_ns) noexcept;
  [[nodiscard]] inline bool fits(std::size_t octets) const noexcept;
  inline void make_sndu(std::uint32_t channel, const Carried& carried, std::uint64_t now_ns) noexcept;
  [[nodiscard]] bool concatenate(std::uint32_t number, const Carried& carried, std::uint64_t now_ns);
  void make_sndu_of_group(std::uint32_t number, std::uint64_t now_ns) noexcept;
  void make_test_sndu(std::uint64_t now_ns) noexcept;
  inline void begin_sndu(Channel& channel) noexcept;
  [[nodiscard]] inline bool next_ts_packet(std::uint8_t* out, std::uint64_t now_ns) noexcept;
  [[nodiscard]] inline bool finish(Channel& channel) noexcept;
  inline void fill(Channel& channel) noexcept;
  inline void put_out(std::uint8_t* out, std::uint32_t number) noexcept;
  inline void finish_ts_packet(std::uint8_t* out, std::uint32_t number) noexcept;
  [[nodiscard]] bool next_due(std::uint8_t* out, std::uint32_t& number, std::uint64_t now_ns) noexcept;
  [[nodiscard]] bool begin_due(std::uint64_t now_ns) noexcept;

  Config config_;
  std::size_t header_octets_;  // with the extension headers
  bool needs_npa_;             // whether the address of a PDU matters, though an SNDU may not have it
  std::vector<Channel> channels_;
  std::vector<std::uint8_t> sndu_;      // the one that is being sent
  std::size_t length_ = 0;              // of it
  std::size_t sent_ = 0;                // octets of it that are in TS packets
  std::uint32_t sending_ = kNoChannel;  // its channel
  WaitQueue<Channel> packing_{&Channel::packing}, concat_{&Channel::concat};
  std::vector<Test> tests_;  // that wait
  EncapsulatorCounters counters_;
};

}  // namespace headroom::ule
