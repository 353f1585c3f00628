// SPDX-License-Identifier: Apache-2.0
#include "rohc/compressor/segment.h"

#include <algorithm>
#include <cstring>

#include "headroom.h"
#include "mutants.h"
#include "rohc/wire/packet_type.h"
#include "rohc/wire/segment.h"

namespace headroom::rohc {
namespace {

// One link packet: what stands in front of its segment, and how much of the unit it carries.
struct Piece {
  std::size_t padding = 0;
  std::size_t feedback = 0;
  std::size_t data = 0;
  bool final = false;

  [[nodiscard]] std::size_t octets() const noexcept { return padding + feedback + 1 + data; }
};

// The next piece of a unit of which `left` octets are left. REQUIRES: feedback + 1 < sizes.largest.
Piece next_piece(std::size_t left, std::size_t feedback, const LinkSizes& sizes) noexcept {
  Piece piece;
  piece.feedback = feedback;
  piece.data = std::min(left, sizes.largest - feedback - 1);
  piece.final = piece.data == left;
  const auto size = std::lower_bound(sizes.allowed.begin(), sizes.allowed.end(), piece.octets());
  if (size != sizes.allowed.end()) piece.padding = *size - piece.octets();
  return piece;
}

std::size_t octets_of_all(std::size_t unit, std::size_t feedback, const LinkSizes& sizes) noexcept {
  std::size_t octets = 0;
  for (std::size_t left = unit; left > 0; feedback = 0) {
    const Piece piece = next_piece(left, feedback, sizes);
    octets += HEADROOM_SEGMENT_LENGTH + piece.octets();
    left -= piece.data;
  }
  return octets;
}

// The smaller of two limits of which 0 stands for none.
constexpr std::uint32_t tighter(std::uint32_t a, std::uint32_t b) noexcept {
  return a == 0 || b == 0 ? a + b : std::min(a, b);
}

}  // namespace

std::uint32_t largest_link_packet(const CompressorConfig& config) noexcept {
  const std::vector<std::uint16_t>& sizes = config.packet_sizes;
  if (sizes.empty()) return config.largest_packet;
  const std::uint32_t limit = tighter(config.largest_packet, sizes.back());
  const auto above = std::upper_bound(sizes.begin(), sizes.end(), limit);
  return above == sizes.begin() ? limit : *(above - 1);
}

std::size_t cut_into_segments(std::span<std::uint8_t> room, std::size_t feedback, std::size_t packet,
                              const LinkSizes& sizes) noexcept {
  if (feedback + 1 >= sizes.largest) return 0;
  const std::size_t unit = packet + wire::kSegmentCrc;
  if (octets_of_all(unit, feedback, sizes) > room.size()) return 0;
  // The unit goes to the end of the room; the link packets then grow towards it and never reach what is not yet cut.
  const std::uint8_t* from = room.data() + room.size() - unit;
  std::memmove(room.data() + room.size() - unit, room.data() + feedback, packet);
  wire::write_segment_crc({from, packet}, room.data() + room.size() - wire::kSegmentCrc);

  std::uint8_t* out = room.data();
  for (std::size_t left = unit; left > 0; feedback = 0) {
    const Piece piece = next_piece(left, feedback, sizes);
    // Feedback is in front of the first piece only, and still where it was: at the beginning.
    std::memmove(out + HEADROOM_SEGMENT_LENGTH + piece.padding, room.data(), piece.feedback);
    wire::store16(out, static_cast<std::uint16_t>(piece.octets()));
    out += HEADROOM_SEGMENT_LENGTH;
    std::memset(out, wire::kPadding, piece.padding);
    out += piece.padding + piece.feedback;
    *out++ = static_cast<std::uint8_t>(wire::kSegmentType |
                                       (piece.final && !mutant("final-segment-not-marked") ? wire::kFinalSegment : 0));
    std::memmove(out, from, piece.data);
    out += piece.data;
    from += piece.data;
    left -= piece.data;
  }
  return static_cast<std::size_t>(out - room.data());
}

}  // namespace headroom::rohc
