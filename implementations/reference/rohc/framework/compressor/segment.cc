// SPDX-License-Identifier: Apache-2.0
#include "rohc/framework/compressor/segment.h"

#include <algorithm>
#include <cstring>

#include "mutants.h"
#include "rohc/framework/wire/segment.h"
#include "rohc/framework/wire/type_octet.h"

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

}  // namespace

void Segmenter::begin(Octets packet, std::uint32_t channel) {
  unit_.assign(packet.begin(), packet.end());
  unit_.resize(packet.size() + wire::kSegmentCrc);
  wire::write_segment_crc(Octets(unit_).first(packet.size()), unit_.data() + packet.size());
  taken_ = 0;
  channel_ = channel;
}

std::size_t Segmenter::next(std::span<std::uint8_t> room, std::size_t feedback, const LinkSizes& sizes) noexcept {
  const Piece piece = next_piece(unit_.size() - taken_, feedback, sizes);
  if (piece.octets() > room.size()) return 0;
  std::uint8_t* out = room.data();
  std::memmove(out + piece.padding, out, piece.feedback);
  std::memset(out, wire::kPadding, piece.padding);
  out += piece.padding + piece.feedback;
  *out++ = static_cast<std::uint8_t>(wire::kSegmentType |
                                     (piece.final && !mutant("final-segment-not-marked") ? wire::kFinalSegment : 0));
  std::memcpy(out, unit_.data() + taken_, piece.data);
  taken_ += piece.data;
  return piece.octets();
}

}  // namespace headroom::rohc
