// SPDX-License-Identifier: Apache-2.0
#include "ule/receiver.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>

#include "mutants.h"
#include "ule/wire/mpe.h"

namespace headroom::ule {

using namespace wire;

Receiver::Receiver(const Config& config) : config_(config), channels_(config.channels) {}

// --- A TS packet (7.1, 7.2.1, 7.3) -----------------------------------------------------------------------------------

std::int32_t Receiver::receive(headroom_packet& p, headroom_detail* detail) {
  if (go_on(p)) return HEADROOM_NOTHING;
  if (const std::int32_t status = open(p); status != HEADROOM_OK) {
    at_ = kTsOctets;
    return status;
  }
  Unit unit;
  const std::int32_t status = next_outcome(unit);
  put_out(status, unit, config_.pid(number_), p, detail);
  if (p.status == HEADROOM_OK) ++counters_.delivered;
  p.more = at_ != kTsOctets || !group_.empty() ? 1 : 0;
  if (p.more != 0) keep_packet();
  return p.status;
}

// Most TS packets are in the middle of an SNDU: nothing begins or ends in them, and their header is the one that
// follows. Takes such a packet, and returns whether it was one.
bool Receiver::go_on(const headroom_packet& p) noexcept {
  Channel& channel = channels_[p.channel];
  if (p.in_length != kTsOctets || channel.needed - channel.taken <= kTsPayload) return false;
  std::array<std::uint8_t, kTsHeader> next;
  const auto counter = static_cast<std::uint8_t>((channel.continuity_counter + 1U) & 0x0FU);
  write_ts_header(next.data(), config_.pid(p.channel), false, counter);
  if (std::memcmp(next.data(), p.in, kTsHeader) != 0) return false;
  std::memcpy(channel.sndu.data() + channel.taken, p.in + kTsHeader, kTsPayload);
  channel.taken += kTsPayload;
  channel.continuity_counter = counter;
  ++counters_.ts_packets;
  return true;
}

// Copies the TS packet, which is the caller's no longer when `drain` comes.
void Receiver::keep_packet() noexcept {
  std::memcpy(kept_.data(), packet_, kTsOctets);
  const std::less<> is_before;
  const bool is_inside = !is_before(group_.data(), packet_) && is_before(group_.data(), packet_ + kTsOctets);
  if (is_inside) group_ = {kept_.data() + (group_.data() - packet_), group_.size()};
  packet_ = kept_.data();
}

bool Receiver::drain(headroom_packet& p, headroom_detail* detail) {
  Unit unit;
  const std::int32_t status = next_outcome(unit);
  if (status == HEADROOM_NOTHING) return false;
  p.channel = number_;
  put_out(status, unit, config_.pid(number_), p, detail);
  if (p.status == HEADROOM_OK) ++counters_.delivered;
  return true;
}

// Checks the TS packet and what it means for the SNDU that it goes on with. HEADROOM_OK where it is to be read.
std::int32_t Receiver::open(const headroom_packet& p) {
  const std::optional<TsHeader> header = read_ts_header({p.in, p.in_length});
  if (!header) {
    ++counters_.sync_errors;
    return HEADROOM_ERR_MALFORMED;
  }
  if (header->pid != config_.pid(p.channel)) {
    ++counters_.other_pids;
    return HEADROOM_NOTHING;
  }
  ++counters_.ts_packets;
  number_ = mutant("ule-pids-together") ? 0 : p.channel;
  Channel& channel = channels_[number_];
  if (header->transport_error && !mutant("ule-transport-error-ignored")) {
    if (!mutant("ule-transport-error-not-counted")) ++counters_.transmission_errors;
    if (!mutant("ule-transport-error-keeps-the-part")) idle(channel);
    return HEADROOM_ERR_MALFORMED;
  }
  // "MUST discard TS Packets that carry other AFC values" (3)
  if (!header->payload_alone && !mutant("ule-adaptation-field-read")) {
    ++counters_.sync_errors;
    return HEADROOM_ERR_UNSUPPORTED;
  }
  const bool is_first = !std::exchange(channel.is_used, true);
  const std::uint8_t before = std::exchange(channel.continuity_counter, header->continuity_counter);
  if (!is_first && header->continuity_counter == before && !mutant("ule-duplicates-read")) {
    ++counters_.duplicates;
    return HEADROOM_NOTHING;
  }
  const unsigned next = (before + 1U) & (mutant("ule-counter-never-wraps") ? 0xFFU : 0x0FU);
  if (!is_first && header->continuity_counter != next && header->continuity_counter != before) {
    if (!mutant("ule-gap-not-counted")) ++counters_.continuity_errors;
    if (!mutant("ule-gap-keeps-the-part")) idle(channel);  // what this TS packet begins is whole
  }
  if (header->scrambled) {
    ++counters_.sync_errors;
    idle(channel);
    return HEADROOM_ERR_UNSUPPORTED;
  }
  packet_ = p.in;
  at_ = kTsHeader;
  begins_at_ = kTsOctets;
  payload_unit_start_ = header->payload_unit_start;
  if (!payload_unit_start_ && channel.needed == 0 && mutant("ule-idle-without-pusi-read")) {
    payload_unit_start_ = true;
    return HEADROOM_OK;
  }
  if (!payload_unit_start_) return channel.needed != 0 ? HEADROOM_OK : HEADROOM_NOTHING;
  const std::size_t pointer = packet_[at_++];
  begins_at_ = std::min(at_ + pointer, kTsOctets);
  const bool is_open = channel.needed == kSectionPrefix;  // the length of a section has not come
  const bool is_end =
      is_open ? ends_at(channel, pointer) : channel.needed != 0 && pointer == channel.needed - channel.taken;
  if (pointer > (config_.is_mpe() ? kLargestPointerField : kLargestPayloadPointer) &&
      !(is_end && mutant("ule-pointer-182-read"))) {
    if (!mutant("ule-pointer-error-not-counted")) ++counters_.payload_pointer_errors;
    if (!mutant("ule-pointer-error-keeps-the-part")) idle(channel);
    return HEADROOM_ERR_MALFORMED;
  }
  if (channel.needed != 0 && !is_end && !mutant("ule-pointer-mismatch-ignored")) {
    if (!mutant("ule-pointer-mismatch-not-counted")) ++counters_.delimiting_errors;  // 7.2.1
    idle(channel);
  }
  if (channel.needed == 0 && !mutant("ule-pointer-not-skipped")) at_ += pointer;  // 7.1.1
  return HEADROOM_OK;
}

// --- SNDUs (7.2) -----------------------------------------------------------------------------------------------------

// Reads on until there is something to pass on or to say. HEADROOM_NOTHING: the TS packet has been read.
std::int32_t Receiver::next_outcome(Unit& unit) {
  if (!group_.empty()) return next_of_group(unit);
  while (at_ != kTsOctets) {
    std::span<const std::uint8_t> sndu;
    if (const std::int32_t status = next_sndu(sndu); status != HEADROOM_OK) return status;
    skip_fill();
    if (const std::int32_t status = finish(sndu, unit); status != HEADROOM_NOTHING) return status;
  }
  return HEADROOM_NOTHING;
}

// The SNDU that ends next. HEADROOM_NOTHING: it goes on in the next TS packet.
std::int32_t Receiver::next_sndu(std::span<const std::uint8_t>& sndu) {
  Channel& channel = channels_[number_];
  if (channel.needed == 0) {
    const std::int32_t status = config_.is_mpe() ? begin_section(channel) : begin_sndu(channel);
    if (status != HEADROOM_OK) return status;
    if (channel.needed <= kTsOctets - at_) {
      sndu = {packet_ + at_, std::exchange(channel.needed, 0)};
      at_ += sndu.size();
      return HEADROOM_OK;
    }
  }
  return assemble(channel, sndu);
}

// Copies what has come of an SNDU that does not lie in one TS packet.
std::int32_t Receiver::assemble(Channel& channel, std::span<const std::uint8_t>& sndu) {
  if (channel.needed == kSectionPrefix && channel.taken != 0) {
    if (const std::int32_t status = complete_prefix(channel); status != HEADROOM_OK) return status;
  }
  if (channel.sndu.size() < channel.needed) {
    channel.sndu.reserve(channel.needed);  // no more than that: there may be thousands of PIDs
    channel.sndu.resize(channel.needed);
  }
  const std::size_t taken = std::min(kTsOctets - at_, channel.needed - channel.taken);
  std::memcpy(channel.sndu.data() + channel.taken, packet_ + at_, taken);
  at_ += taken;
  channel.taken += taken;
  if (channel.taken < channel.needed) return HEADROOM_NOTHING;
  sndu = {channel.sndu.data(), channel.needed};  // until the next SNDU begins
  idle(channel);
  return HEADROOM_OK;
}

// Reads the Length of an SNDU that begins here. HEADROOM_OK: the channel needs so many octets of it.
std::int32_t Receiver::begin_sndu(Channel& channel) {
  const std::uint16_t length = read16(packet_ + at_);
  if (!payload_unit_start_ && !mutant("ule-packed-without-pusi-read")) {
    ++counters_.delimiting_errors;  // iii
  } else if ((length & kLargestLength) < kCrcOctets + (mutant("ule-length-4-read") ? 0 : 1) ||
             (length == kEndIndicator && !mutant("ule-length-of-all-ones-read"))) {
    if (!mutant("ule-length-error-not-counted")) ++counters_.length_errors;
  } else {
    channel.needed = kBaseHeader + (length & kLargestLength);
    return HEADROOM_OK;
  }
  at_ = kTsOctets;
  return HEADROOM_ERR_MALFORMED;
}

// After an SNDU: ii, and the End Indicator of iii. After a section: stuffing.
void Receiver::skip_fill() noexcept {
  const std::size_t left = kTsOctets - at_;
  if (config_.is_mpe()) [[unlikely]] {
    if (left != 0 && packet_[at_] == kTableStuffing) at_ = kTsOctets;
    return;
  }
  if (left == 1 && (packet_[at_] != 0xFF || mutant("ule-last-octet-counted"))) ++counters_.padding_errors;
  const bool is_end = left > 1 && read16(packet_ + at_) == kEndIndicator;
  if (is_end && mutant("ule-end-indicator-counted")) return;
  if (left == 1 || is_end) at_ = is_end && left > 3 && mutant("ule-end-indicator-skipped") ? at_ + 2 : kTsOctets;
}

std::int32_t Receiver::finish(std::span<const std::uint8_t> sndu, Unit& unit) {
  // A section of another table need not have a CRC.
  if (config_.is_mpe() && sndu[0] != kTableDatagram) [[unlikely]] {
    ++counters_.type_errors;
    return HEADROOM_ERR_UNSUPPORTED;
  }
  const std::size_t covered = sndu.size() - kCrcOctets;
  const std::uint8_t* const sent = sndu.data() + covered;
  const std::uint32_t crc = std::uint32_t{read16(sent)} << 16 | read16(sent + 2);
  if (crc != crc32(config_.crc, sndu.first(covered)) && !mutant("ule-crc-not-checked")) {
    if (!mutant("ule-crc-error-not-counted")) ++counters_.crc_errors;
    // "SHOULD discard the remaining TS Packet payload … and return to the Idle State"
    if (!mutant("ule-crc-error-keeps-the-rest")) at_ = kTsOctets;
    return HEADROOM_ERR_CRC;
  }
  ++counters_.sndus;
  return config_.is_mpe() ? unpack_section(sndu.first(covered), unit) : unpack(sndu.first(covered), unit);
}

bool Receiver::is_for_us(const Npa& npa) const noexcept {
  const bool is_group = (npa[0] & 1U) != 0;  // broadcast is one, too
  if (mutant("ule-any-address-taken")) return true;
  if (npa == wire::kBroadcast) return !mutant("ule-broadcast-refused");
  if (is_group && mutant("ule-multicast-refused")) return false;
  return config_.takes(npa) || (is_group && mutant("ule-groups-not-filtered"));
}

// `sndu`: without its CRC.
std::int32_t Receiver::unpack(std::span<const std::uint8_t> sndu, Unit& unit) {
  const bool has_address = (sndu[0] & 0x80U) == 0;
  auto rest = sndu.subspan(kBaseHeader);
  if (has_address) {
    Npa npa{};
    if (rest.size() < npa.size()) {
      ++counters_.length_errors;
      return HEADROOM_ERR_MALFORMED;
    }
    std::copy_n(rest.begin(), npa.size(), npa.begin());
    if (!is_for_us(npa)) {
      ++(mutant("ule-unmatched-address-counted-as-error") ? counters_.length_errors : counters_.unmatched_addresses);
      return HEADROOM_NOTHING;
    }
    rest = rest.subspan(npa.size());
  }
  const std::uint16_t type = read16(sndu.data() + 2);
  if (type >= kFirstEtherType && !rest.empty()) {  // most have no extension header
    unit = {type, packet_type_of(type), rest};
    return HEADROOM_OK;
  }
  const Content content = content_of(type, rest);
  switch (content.kind) {
    case Content::Kind::pdu:
      if (content.octets.empty()) break;
      unit = {content.type, packet_type_of(content.type), content.octets};
      return HEADROOM_OK;
    case Content::Kind::bridged:
      return frame(content.octets, unit);
    case Content::Kind::ts_packets:
      if (content.octets.size() > kTsOctets && mutant("ule-ts-concat-parts-passed"))
        return begin_group(kTypeTsPacket, content.octets.first(content.octets.size() / kTsOctets * kTsOctets), unit);
      if (content.octets.empty() || content.octets.size() % kTsOctets != 0) {
        if (!mutant("ule-ts-concat-mismatch-not-counted")) ++counters_.ts_concat_size_mismatches;
        return HEADROOM_ERR_MALFORMED;
      }
      return begin_group(kTypeTsPacket, content.octets, unit);
    case Content::Kind::pdus:
      if (content.type != kTypeBridged && content.type < kFirstEtherType && !mutant("ule-concat-of-any-type")) break;
      if (!are_whole_pdus(content.octets)) {
        if (!mutant("ule-pdu-concat-mismatch-not-counted")) ++counters_.pdu_concat_size_mismatches;
        return HEADROOM_ERR_MALFORMED;
      }
      return begin_group(content.type, content.octets, unit);
    case Content::Kind::test:
      ++counters_.test_sndus;
      if (!mutant("ule-test-sndu-passed")) return HEADROOM_NOTHING;
      unit = {content.type, kNoPacketType, content.octets};
      return HEADROOM_OK;
    case Content::Kind::unknown_type:
      if (!mutant("ule-unknown-type-passed")) break;
      unit = {content.type, kNoPacketType, content.octets};
      return HEADROOM_OK;
    case Content::Kind::too_short:
      ++counters_.length_errors;
      return HEADROOM_ERR_MALFORMED;
  }
  if (!mutant("ule-type-error-not-counted"))
    ++(content.kind == Content::Kind::pdu ? counters_.length_errors : counters_.type_errors);
  return content.kind == Content::Kind::pdu ? HEADROOM_ERR_MALFORMED : HEADROOM_ERR_UNSUPPORTED;
}

// --- Several units in one SNDU (RFC 5163, 3.1 and 3.2), and bridged frames (5.2) -------------------------------------

std::int32_t Receiver::begin_group(std::uint16_t type, std::span<const std::uint8_t> octets, Unit& unit) {
  group_ = octets;
  if (type == kTypeTsPacket && mutant("ule-ts-concat-first-alone")) group_ = octets.first(kTsOctets);
  group_type_ = type;
  return next_of_group(unit);
}

std::int32_t Receiver::next_of_group(Unit& unit) {
  if (group_type_ == kTypeTsPacket) {
    unit = {kTypeTsPacket, static_cast<std::uint8_t>(PacketType::other), group_.first(kTsOctets)};
    group_ = group_.subspan(kTsOctets);
    return HEADROOM_OK;
  }
  const auto pdu = next_pdu(group_);
  if (group_type_ == kTypeBridged) return frame(pdu, unit);
  unit = {group_type_, packet_type_of(group_type_), pdu};
  return HEADROOM_OK;
}

std::int32_t Receiver::frame(std::span<const std::uint8_t> octets, Unit& unit) {
  if (octets.size() < kMacHeader) {  // one of several in an SNDU
    ++counters_.length_errors;
    return HEADROOM_ERR_MALFORMED;
  }
  if (!is_whole_frame(octets) && !mutant("ule-llc-length-not-read")) {
    if (!mutant("ule-llc-length-error-not-counted")) ++counters_.bridged_length_errors;
    return HEADROOM_ERR_MALFORMED;
  }
  constexpr auto kBridged = static_cast<std::uint8_t>(PacketType::bridged);
  const std::uint16_t type = read16(octets.data() + kMacHeader - 2);
  if (!config_.bridged || type < kFirstEtherType || octets.size() == kMacHeader) {
    unit = {kTypeFrame, kBridged, octets};
  } else {
    unit = {type, kBridged, octets.subspan(kMacHeader)};
  }
  return HEADROOM_OK;
}

std::size_t Receiver::channels_in_use() const noexcept {
  return static_cast<std::size_t>(
      std::count_if(channels_.begin(), channels_.end(), [](const Channel& channel) { return channel.is_used; }));
}

std::size_t Receiver::memory_bytes() const noexcept {
  std::size_t octets = sizeof *this + channels_.size() * sizeof(Channel);
  for (const Channel& channel : channels_) octets += channel.sndu.capacity();
  return octets;
}

}  // namespace headroom::ule
