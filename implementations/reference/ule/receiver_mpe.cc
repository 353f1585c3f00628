// SPDX-License-Identifier: Apache-2.0
//
// What a receiver does otherwise with Encapsulation::mpe: sections in place of SNDUs.
#include <algorithm>
#include <array>

#include "mutants.h"
#include "ule/receiver.h"
#include "ule/wire/mpe.h"

namespace headroom::ule {

using namespace wire;

namespace {

// A section of another table may have no more than its prefix. It is skipped by its length, so that length is believed.
// REQUIRES: kSectionPrefix octets.
bool is_section_length(const std::uint8_t* prefix) noexcept {
  const std::size_t least = prefix[0] == kTableDatagram ? kSectionHeader + kCrcOctets : kSectionPrefix;
  const std::size_t octets = section_octets(prefix);
  return octets >= least && octets <= kLargestSection;
}

}  // namespace

// Reads the length of a section that begins here. HEADROOM_OK: the channel needs so many octets of it, or of its prefix
// where the TS packet ends in front of its length. HEADROOM_NOTHING: stuffing.
std::int32_t Receiver::begin_section(Channel& channel) {
  if (packet_[at_] == kTableStuffing) {
    at_ = kTsOctets;
    return HEADROOM_NOTHING;
  }
  if (!payload_unit_start_) {
    ++counters_.delimiting_errors;
    at_ = kTsOctets;
    return HEADROOM_ERR_MALFORMED;
  }
  channel.needed = kSectionPrefix;
  return kTsOctets - at_ < kSectionPrefix ? HEADROOM_OK : measure_section(channel, packet_ + at_, kTsOctets);
}

// True if a section whose length comes with this TS packet ends where the pointer_field says. A length that no section
// has is left to `complete_prefix`.
bool Receiver::ends_at(const Channel& channel, std::size_t pointer) const noexcept {
  if (pointer < kSectionPrefix - channel.taken) return false;
  std::array<std::uint8_t, kSectionPrefix> prefix{};
  const auto missing = std::copy_n(channel.sndu.begin(), channel.taken, prefix.begin());
  std::copy_n(packet_ + at_, prefix.end() - missing, missing);
  return !is_section_length(prefix.data()) || section_octets(prefix.data()) - channel.taken == pointer;
}

// HEADROOM_OK: the channel needs the whole section, which is as long as one can be. Else what follows it in the TS
// packet is at `go_on_at`.
std::int32_t Receiver::measure_section(Channel& channel, const std::uint8_t* prefix, std::size_t go_on_at) {
  channel.needed = section_octets(prefix);
  if (is_section_length(prefix)) return HEADROOM_OK;
  ++counters_.length_errors;
  idle(channel);
  at_ = go_on_at;
  return HEADROOM_ERR_MALFORMED;
}

// Goes on with a section whose length has not come. HEADROOM_OK: it has.
std::int32_t Receiver::complete_prefix(Channel& channel) {
  while (channel.taken < kSectionPrefix) channel.sndu[channel.taken++] = packet_[at_++];
  return measure_section(channel, channel.sndu.data(), begins_at_);
}

// A section without its CRC.
std::int32_t Receiver::unpack_section(std::span<const std::uint8_t> octets, Unit& unit) {
  const std::optional<DatagramSection> section = read_section(octets);
  if (!section || section->is_scrambled || !section->is_whole) {
    ++counters_.type_errors;
    return HEADROOM_ERR_UNSUPPORTED;
  }
  if (!is_for_us(section->mac)) {
    ++counters_.unmatched_addresses;
    return HEADROOM_NOTHING;
  }
  std::span<const std::uint8_t> content = section->content;
  if (section->has_llc_snap) {
    const std::optional<std::uint16_t> type = read_llc_snap(content);
    if (!type || content.size() == kLlcSnap) {
      ++counters_.type_errors;
      return HEADROOM_ERR_UNSUPPORTED;
    }
    unit = {*type, packet_type_of(*type), content.subspan(kLlcSnap)};
    return HEADROOM_OK;
  }
  const std::size_t length = ip_octets(content);  // stuffing may follow
  if (length == 0) {
    ++counters_.length_errors;
    return HEADROOM_ERR_MALFORMED;
  }
  const std::uint16_t type = content[0] >> 4 == 4 ? kTypeIpv4 : kTypeIpv6;
  unit = {type, packet_type_of(type), content.first(length)};
  return HEADROOM_OK;
}

}  // namespace headroom::ule
