// SPDX-License-Identifier: Apache-2.0
//
// Segments and acknowledgements as the octets of IPv4 and TCP packets, for header compressors. A packet follows from
// its plain values, so a receiver can build the expected packet.
#ifndef HEADROOM_TRANSFER_SEGMENTS_H
#define HEADROOM_TRANSFER_SEGMENTS_H

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/octets.h"
#include "transfer/tcp_receiver.h"

namespace headroom::transfer {

inline constexpr std::uint32_t kHeaders = 40;  // octets: IPv4 and TCP without options

// A segment that a host sends. Its IP packets are numbered by Identification.
struct Segment {
  std::uint64_t number = 0;
  std::uint16_t identification = 0;
};
struct Answer {
  Acknowledgement acknowledgement;
  std::uint16_t identification = 0;
};

// The fields of a packet that TCP uses.
template <typename Plain>
struct Reading {
  Plain plain;
  bool is_wrong = false;  // True if no host sends such a packet
};

class SegmentFormat {
 public:
  // `mss` is the number of octets of payload in a segment.
  explicit SegmentFormat(std::uint32_t mss) noexcept : mss_(mss) {}

  // Return the octets of the packet, and of its headers.
  [[nodiscard]] std::size_t length_of(const Segment&) const noexcept { return kHeaders + mss_; }
  [[nodiscard]] std::size_t length_of(const Answer& answer) const noexcept { return header_of(answer); }
  [[nodiscard]] std::size_t header_of(const Segment&) const noexcept { return kHeaders; }
  [[nodiscard]] std::size_t header_of(const Answer& answer) const noexcept {
    const std::size_t blocks = answer.acknowledgement.block_count;
    return kHeaders + (blocks == 0 ? 0 : 4 + 8 * blocks);
  }

  // Writes the packet that a host sends into `packet`, reusing its memory.
  void write(const Segment& segment, Octets& packet) const;
  void write(const Answer& answer, Octets& packet) const;

  // Reads a packet that the far end has received. Returns nothing if TCP discards it: a wrong checksum (RFC 793, 3.1),
  // or a packet of another connection or form. `near` is a number close to the expected one, as sequence numbers wrap.
  // `expected` is set to the packet that a host sends with these numbers; its memory is reused.
  template <typename Plain>
  [[nodiscard]] std::optional<Reading<Plain>> read(OctetView packet, std::uint64_t near, Octets& expected) const {
    const std::optional<Plain> plain = parse<Plain>(packet, near);
    if (!plain) return std::nullopt;
    write(*plain, expected);
    if (std::ranges::equal(expected, packet)) return Reading<Plain>{*plain, false};  // its checksums are right, too
    if (!has_right_checksums(packet)) return std::nullopt;
    return Reading<Plain>{*plain, true};
  }

  // Returns the number to be used as `near` for the next packet.
  [[nodiscard]] static std::uint64_t number_of(const Segment& segment) noexcept { return segment.number; }
  [[nodiscard]] static std::uint64_t number_of(const Answer& answer) noexcept {
    return answer.acknowledgement.expected;
  }

 private:
  // Returns the numbers in a packet of this connection and form, whatever its checksums are.
  template <typename Plain>
  [[nodiscard]] std::optional<Plain> parse(OctetView packet, std::uint64_t near) const;
  [[nodiscard]] static bool has_right_checksums(OctetView packet) noexcept;
  [[nodiscard]] std::optional<std::uint64_t> number_in(std::uint32_t sequence, std::uint64_t near) const noexcept;

  std::uint32_t mss_;
};

template <>
std::optional<Segment> SegmentFormat::parse<Segment>(OctetView packet, std::uint64_t near) const;
template <>
std::optional<Answer> SegmentFormat::parse<Answer>(OctetView packet, std::uint64_t near) const;

}  // namespace headroom::transfer

#endif  // HEADROOM_TRANSFER_SEGMENTS_H
