// SPDX-License-Identifier: Apache-2.0
//
// Encapsulator is the encapsulator of RFC 4326, 6. It puts PDUs into SNDUs, and SNDUs into TS packets, separately for
// each PID. With Encapsulation::mpe it makes sections instead of SNDUs, which share TS packets in the same way.
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
  std::uint64_t octets = 0;        // octets of SNDUs
  std::uint64_t concatenated = 0;  // PDUs and TS packets in SNDUs that carry several of them
  std::uint64_t test_sndus = 0;
  std::uint64_t ts_packets = 0;
  std::uint64_t packed = 0;      // SNDUs that begin in a TS packet with the end of another SNDU
  std::uint64_t fill = 0;        // octets of 0xFF at the end of TS packets
  std::uint64_t thresholds = 0;  // TS packets that were sent because the Packing Threshold had passed
  std::uint64_t refused = 0;     // refused PDUs
};

class Encapsulator {
 public:
  explicit Encapsulator(const Config& config);

  // Encapsulates a PDU of the type p.in_type (0: an IP packet, whose version is read from it; kTypeTsPacket: a TS
  // packet). The first TS packet that the PDU completes is put into `p`; if p.more is 1, further TS packets wait for
  // `drain`. Returns HEADROOM_NOTHING if the PDU completes none. If `p` has no room for a TS packet, the PDU leaves no
  // trace. REQUIRES: all waiting TS packets have been drained; p.channel < config.channels, p.in_length > 0, and the
  // detail is set to "not known".
  [[nodiscard]] std::int32_t encapsulate(headroom_packet& p, std::uint64_t now_ns, headroom_detail* detail);

  // Puts the next TS packet of the last SNDU into `p`, or the TS packet of an SNDU or TS packet whose threshold has
  // passed. Returns false if there is none.
  [[nodiscard]] bool drain(headroom_packet& p, std::uint64_t now_ns) noexcept;

  // Queues a Test SNDU (5.1) with `octets` octets of content, whose TS packets are due at once. Returns false if the
  // SNDU would be too long, and for MPE, which has no Test SNDUs. REQUIRES: channel < config.channels.
  [[nodiscard]] bool send_test(std::uint32_t channel, std::size_t octets);

  // Returns the time at which the next threshold passes, 0 if a Test SNDU waits, or HEADROOM_NO_DEADLINE.
  [[nodiscard]] std::uint64_t next_deadline() const noexcept;

  [[nodiscard]] const EncapsulatorCounters& counters() const noexcept { return counters_; }
  [[nodiscard]] std::size_t channels_in_use() const noexcept;
  [[nodiscard]] std::size_t memory_bytes() const noexcept;

 private:
  // The content of an SNDU after its extension headers.
  struct Carried {
    std::uint16_t type;        // value of the Type field in front of the content
    std::uint8_t packet_type;  // PacketType
    wire::Npa npa;
    std::array<std::uint8_t, wire::kMacHeader> front;  // a MAC header, or the type of the concatenated PDUs
    std::size_t front_octets;
    std::span<const std::uint8_t> octets;

    [[nodiscard]] std::size_t size() const noexcept { return front_octets + octets.size(); }
  };

  // PDUs, or TS packets, that wait for others with which they share an SNDU.
  struct Group {
    std::vector<std::uint8_t> octets;  // the PDUs, each with its length in front (RFC 5163, 3.2)
    unsigned count = 0;
    std::uint16_t type = 0;  // type of the PDUs
    wire::Npa npa{};
  };

  // The state of a PID, with its TS packet that is not full yet.
  struct Channel {
    std::array<std::uint8_t, 1 + wire::kTsPayload> room{};  // the first octet is for a Payload Pointer
    std::uint8_t used = 0;                                  // used octets of the payload; 0: nothing waits
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

  // Functions with one or two calls, all in the source file, are inline.
  // Fills `carried`. Returns false if the PDU cannot be carried.
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
  std::size_t header_octets_;  // octets of an SNDU's header with its extension headers
  bool needs_npa_;             // True if the address of a PDU matters, even if the SNDU has none
  std::vector<Channel> channels_;
  std::vector<std::uint8_t> sndu_;      // the SNDU that is being sent
  std::size_t length_ = 0;              // length of the SNDU
  std::size_t sent_ = 0;                // octets of the SNDU that are in TS packets
  std::uint32_t sending_ = kNoChannel;  // channel of the SNDU
  WaitQueue<Channel> packing_{&Channel::packing}, concat_{&Channel::concat};
  std::vector<Test> tests_;  // waiting Test SNDUs
  EncapsulatorCounters counters_;
};

}  // namespace headroom::ule
