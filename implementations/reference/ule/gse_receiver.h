// SPDX-License-Identifier: Apache-2.0
//
// The receiver of Generic Stream Encapsulation (ETSI TS 102 606-1): it makes PDUs of the GSE packets of BBFRAMEs.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "headroom.h"
#include "ule/config.h"
#include "ule/pdu.h"
#include "ule/wire/gse.h"

namespace headroom::ule {

struct GseReceiverCounters {
  std::uint64_t frames = 0;  // BBFRAMEs
  std::uint64_t gse_packets = 0;
  std::uint64_t delivered = 0;           // PDUs that there was room for
  std::uint64_t header_crc_errors = 0;   // CRC-8 of a BBHEADER
  std::uint64_t unsupported_frames = 0;  // no generic continuous stream, or a data field that does not end
  std::uint64_t other_streams = 0;       // of another input stream identifier
  std::uint64_t length_errors = 0;       // GSE Length, Total Length
  std::uint64_t label_errors = 0;        // re-used where there is none, or of three octets
  std::uint64_t crc_errors = 0;          // CRC-32 of a PDU in fragments
  std::uint64_t type_errors = 0;         // extension headers that are not known
  std::uint64_t orphans = 0;             // fragments without a first one
  std::uint64_t discarded = 0;           // PDUs whose last fragment has not come
  std::uint64_t unmatched_addresses = 0;
};

// As Receiver, with a BBFRAME in place of a TS packet.
class GseReceiver {
 public:
  // PDUs of a stream that are put together at once; one more replaces the oldest one.
  static constexpr std::size_t kMostParts = 8;
  // BBFRAMEs that the fragments of a PDU may take: a Fragment ID means another one then.
  static constexpr std::uint64_t kLongestReassembly = 256;

  // REQUIRES: channels <= kMostStreams.
  explicit GseReceiver(const Config& config);

  // Takes one BBFRAME. REQUIRES: as Receiver::receive.
  [[nodiscard]] std::int32_t receive(headroom_packet& p, headroom_detail* detail);
  [[nodiscard]] bool drain(headroom_packet& p, headroom_detail* detail);

  [[nodiscard]] const GseReceiverCounters& counters() const noexcept { return counters_; }
  [[nodiscard]] std::size_t channels_in_use() const noexcept;
  [[nodiscard]] std::size_t memory_bytes() const noexcept;

 private:
  // A PDU whose fragments come.
  struct Part {
    std::vector<std::uint8_t> octets;  // Total Length, Protocol Type, label, PDU; empty: of no PDU
    std::size_t needed = 0;            // of them
    std::size_t label_octets = 0;
    std::uint64_t begun = 0;  // at which BBFRAME of the stream
    std::uint8_t frag_id = 0;
  };
  struct Channel {
    std::array<Part, kMostParts> parts{};
    std::bitset<256> others{};  // Fragment IDs of PDUs that are not for us: no part is kept of them
    std::uint64_t frames = 0;
  };

  [[nodiscard]] std::int32_t open(const headroom_packet& p);
  [[nodiscard]] bool takes(std::optional<std::uint8_t> stream, std::uint32_t channel) const noexcept;
  [[nodiscard]] std::int32_t next_outcome(Unit& unit);
  [[nodiscard]] std::int32_t take(const wire::GsePacket& packet, Unit& unit);
  [[nodiscard]] std::int32_t read_label(const wire::GsePacket& packet, bool& is_for_us) noexcept;
  void forget(Channel& channel, std::uint8_t frag_id) noexcept;
  [[nodiscard]] std::int32_t begin(Channel& channel, const wire::GsePacket& packet);
  [[nodiscard]] std::int32_t finish(Part& part, std::span<const std::uint8_t> crc, Unit& unit);
  [[nodiscard]] std::int32_t unpack(std::uint16_t type, std::span<const std::uint8_t> octets, Unit& unit);

  Config config_;
  std::vector<Channel> channels_;         // with Streams::all one for each input stream
  std::vector<std::uint8_t> kept_;        // the data field that is being read
  std::span<const std::uint8_t> rest_{};  // of it
  std::vector<std::uint8_t> pdu_;         // what has been put together last
  std::uint32_t number_ = 0;              // its channel
  std::size_t place_ = 0;                 // in channels_
  // What a label that is re-used stands for: whether the last one of this BBFRAME was for us; nothing in front of it.
  enum class LastLabel : std::uint8_t { none, ours, others } last_label_ = LastLabel::none;
  GseReceiverCounters counters_;
};

}  // namespace headroom::ule
