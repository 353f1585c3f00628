// SPDX-License-Identifier: Apache-2.0
//
// GseReceiver is the receiver of Generic Stream Encapsulation (ETSI TS 102 606-1). It makes PDUs of the GSE packets in
// BBFRAMEs.
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
  std::uint64_t delivered = 0;           // PDUs passed to the caller
  std::uint64_t header_crc_errors = 0;   // CRC-8 of a BBHEADER
  std::uint64_t unsupported_frames = 0;  // not GSE, or the data field is longer than the BBFRAME or not of whole octets
  std::uint64_t other_streams = 0;       // BBFRAMEs with another input stream identifier
  std::uint64_t length_errors = 0;       // errors of GSE Length and Total Length
  std::uint64_t label_errors = 0;        // re-used labels without a label to re-use, and labels of three octets
  std::uint64_t crc_errors = 0;          // CRC-32 errors of fragmented PDUs
  std::uint64_t type_errors = 0;         // unknown extension headers
  std::uint64_t orphans = 0;             // fragments whose first fragment is missing
  std::uint64_t discarded = 0;           // PDUs whose last fragment has not arrived
  std::uint64_t unmatched_addresses = 0;
};

// Works as Receiver does, with BBFRAMEs instead of TS packets.
class GseReceiver {
 public:
  // The number of PDUs of a stream that are reassembled at the same time; a further PDU replaces the oldest one.
  static constexpr std::size_t kMostParts = 8;
  // The number of BBFRAMEs over which the fragments of a PDU may extend; later, the same Fragment ID means another PDU.
  static constexpr std::uint64_t kLongestReassembly = 256;

  // REQUIRES: channels <= kMostStreams.
  explicit GseReceiver(const Config& config);

  // Processes one BBFRAME. REQUIRES: as Receiver::receive.
  [[nodiscard]] std::int32_t receive(headroom_packet& p, headroom_detail* detail);
  [[nodiscard]] bool drain(headroom_packet& p, headroom_detail* detail);

  [[nodiscard]] const GseReceiverCounters& counters() const noexcept { return counters_; }
  [[nodiscard]] std::size_t channels_in_use() const noexcept;
  [[nodiscard]] std::size_t memory_bytes() const noexcept;

 private:
  // A PDU that is being reassembled.
  struct Part {
    std::vector<std::uint8_t> octets;  // Total Length, Protocol Type, label, PDU; empty: no PDU
    std::size_t needed = 0;            // octets of the complete part
    std::size_t label_octets = 0;
    std::uint64_t begun = 0;  // number of the stream's BBFRAME with the first fragment
    std::uint8_t frag_id = 0;
  };
  struct Channel {
    std::array<Part, kMostParts> parts{};
    std::bitset<256> others{};  // Fragment IDs of PDUs for other receivers, whose fragments are dropped
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
  std::vector<Channel> channels_;         // with Streams::all, one channel for each input stream
  std::vector<std::uint8_t> kept_;        // the data field that is being read
  std::span<const std::uint8_t> rest_{};  // unread part of `kept_`
  std::vector<std::uint8_t> pdu_;         // the PDU reassembled last
  std::uint32_t number_ = 0;              // channel of the BBFRAME
  std::size_t place_ = 0;                 // index in channels_
  // The meaning of a re-used label: the previous label of the same BBFRAME was ours or of other receivers, or there is
  // none.
  enum class LastLabel : std::uint8_t { none, ours, others } last_label_ = LastLabel::none;
  GseReceiverCounters counters_;
};

}  // namespace headroom::ule
