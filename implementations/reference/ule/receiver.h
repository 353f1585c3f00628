// SPDX-License-Identifier: Apache-2.0
//
// Receiver is the receiver of RFC 4326, 7. It reassembles SNDUs from TS packets, separately for each PID, and takes
// PDUs out of SNDUs. With Encapsulation::mpe it reads sections instead of SNDUs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "headroom.h"
#include "ule/config.h"
#include "ule/pdu.h"
#include "ule/wire/ts_packet.h"

namespace headroom::ule {

// The counters of the events that RFC 4326 asks a receiver to record, and of some more.
struct ReceiverCounters {
  std::uint64_t ts_packets = 0;
  std::uint64_t sndus = 0;                       // complete SNDUs with the right CRC
  std::uint64_t delivered = 0;                   // PDUs, frames and TS packets passed to the caller
  std::uint64_t payload_pointer_errors = 0;      // above 181 (7)
  std::uint64_t length_errors = 0;               // SNDU Length (7.2), and SNDUs too short for their headers
  std::uint64_t crc_errors = 0;                  // 7.2
  std::uint64_t type_errors = 0;                 // unknown mandatory extension headers (7.2)
  std::uint64_t delimiting_errors = 0;           // 7.2 iii, 7.2.1
  std::uint64_t padding_errors = 0;              // the single octet after an SNDU is not 0xFF (7.2 ii)
  std::uint64_t transmission_errors = 0;         // transport error indicator (7.3)
  std::uint64_t continuity_errors = 0;           // 7.3
  std::uint64_t duplicates = 0;                  // TS packets (7.3)
  std::uint64_t sync_errors = 0;                 // not a TS packet, or one that cannot carry ULE (3)
  std::uint64_t other_pids = 0;                  // including null packets
  std::uint64_t unmatched_addresses = 0;         // 7.2: discarded silently
  std::uint64_t test_sndus = 0;                  // 5.1
  std::uint64_t bridged_length_errors = 0;       // 5.2
  std::uint64_t ts_concat_size_mismatches = 0;   // RFC 5163, 3.1
  std::uint64_t pdu_concat_size_mismatches = 0;  // RFC 5163, 3.2
};

class Receiver {
 public:
  explicit Receiver(const Config& config);

  // Processes a TS packet and puts its first outcome into `p`: a PDU of the type p.out_type, an error, or
  // HEADROOM_NOTHING. If p.more is 1, further outcomes may wait for `drain`. REQUIRES: all waiting outcomes have been
  // drained; p.channel < config.channels.
  [[nodiscard]] std::int32_t receive(headroom_packet& p, headroom_detail* detail);

  // Puts the next outcome of the last TS packet into `p`. Returns false if there is none.
  [[nodiscard]] bool drain(headroom_packet& p, headroom_detail* detail);

  [[nodiscard]] const ReceiverCounters& counters() const noexcept { return counters_; }
  [[nodiscard]] std::size_t channels_in_use() const noexcept;
  [[nodiscard]] std::size_t memory_bytes() const noexcept;

 private:
  // The state of a PID. It is idle if `needed` is 0.
  struct Channel {
    std::vector<std::uint8_t> sndu;  // the Current SNDU buffer, which keeps its size
    std::size_t needed = 0;          // octets of the whole SNDU
    std::size_t taken = 0;           // octets of the SNDU that have arrived
    bool is_used = false;
    std::uint8_t continuity_counter = 0;
  };
  // Functions with one or two calls, all in the source file, are inline.
  [[nodiscard]] inline bool go_on(const headroom_packet& p) noexcept;
  [[nodiscard]] inline std::int32_t open(const headroom_packet& p);
  // The functions with a unit return a status, and fill the unit if the status is HEADROOM_OK.
  [[nodiscard]] inline std::int32_t next_outcome(Unit& unit);
  [[nodiscard]] inline std::int32_t next_sndu(std::span<const std::uint8_t>& sndu);
  [[nodiscard]] std::int32_t assemble(Channel& channel, std::span<const std::uint8_t>& sndu);
  [[nodiscard]] inline std::int32_t begin_sndu(Channel& channel);
  inline void skip_fill() noexcept;
  [[nodiscard]] std::int32_t begin_section(Channel& channel);
  [[nodiscard]] bool ends_at(const Channel& channel, std::size_t pointer) const noexcept;
  [[nodiscard]] std::int32_t measure_section(Channel& channel, const std::uint8_t* prefix, std::size_t go_on_at);
  [[nodiscard]] std::int32_t complete_prefix(Channel& channel);
  [[nodiscard]] std::int32_t unpack_section(std::span<const std::uint8_t> octets, Unit& unit);
  [[nodiscard]] std::int32_t begin_group(std::uint16_t type, std::span<const std::uint8_t> octets, Unit& unit);
  [[nodiscard]] std::int32_t next_of_group(Unit& unit);
  [[nodiscard]] inline std::int32_t finish(std::span<const std::uint8_t> sndu, Unit& unit);
  [[nodiscard]] inline std::int32_t unpack(std::span<const std::uint8_t> sndu, Unit& unit);
  [[nodiscard]] std::int32_t frame(std::span<const std::uint8_t> octets, Unit& unit);
  static void idle(Channel& channel) noexcept { channel.needed = channel.taken = 0; }
  inline void keep_packet() noexcept;
  [[nodiscard]] bool is_for_us(const wire::Npa& npa) const noexcept;

  Config config_;
  std::vector<Channel> channels_;

  // The TS packet that is being read: the caller's, or a copy from which `drain` goes on.
  const std::uint8_t* packet_ = nullptr;
  std::array<std::uint8_t, wire::kTsOctets> kept_{};
  std::size_t at_ = wire::kTsOctets;  // position of the next octet in the packet
  bool payload_unit_start_ = false;
  std::size_t begins_at_ = wire::kTsOctets;  // position to which the packet's Payload Pointer points
  std::uint32_t number_ = 0;                 // channel of the packet
  std::span<const std::uint8_t> group_{};    // remaining PDUs or TS packets of an SNDU that carries several
  std::uint16_t group_type_ = 0;             // type of the PDUs in `group_`
  ReceiverCounters counters_;
};

}  // namespace headroom::ule
