// SPDX-License-Identifier: Apache-2.0
#include "ule/encapsulator.h"

#include <algorithm>
#include <cstring>

#include "mutants.h"
#include "ule/wire/mpe.h"

namespace headroom::ule {
namespace {

using namespace wire;

constexpr std::uint64_t kHourUs = 3'600'000'000;
constexpr std::size_t kTimeStampOctets = 6;  // with the Type field after it (RFC 5163, 3.3)
constexpr std::size_t kPduTypeOctets = 2;    // PDU-Concat-Type (RFC 5163, 3.2)
constexpr std::size_t kPduLengthOctets = 2;  // in front of each PDU
constexpr std::size_t kPduLimit = 32'758;    // "The length of each PDU MUST be less than 32758 bytes"

}  // namespace

Encapsulator::Encapsulator(const Config& config)
    : config_(config),
      header_octets_(config.is_mpe() ? kSectionHeader
                                     : kBaseHeader + (config.address ? kNpaOctets : 0) + 2 * config.padding_words +
                                           (config.time_stamp ? kTimeStampOctets : 0)),
      needs_npa_(config.address || config.bridged || config.concat > 1),
      channels_(config.channels),
      sndu_(kLargestSndu) {}

// --- What an SNDU carries (4.4, 4.5, 5.2) ----------------------------------------------------------------------------

bool Encapsulator::read(const headroom_packet& p, Carried& carried) const noexcept {
  carried.octets = {p.in, p.in_length};
  carried.front_octets = 0;
  carried.npa = config_.npa;
  if (p.in_type == kTypeTsPacket) {
    const std::optional<TsHeader> header = read_ts_header(carried.octets);
    carried.type = kTypeTsConcat;
    carried.packet_type = static_cast<std::uint8_t>(PacketType::other);
    if (config_.is_mpe()) return false;
    // "NULL TS Packets SHOULD NOT be sent"
    return header && (header->pid != kNullPid || mutant("ule-null-packets-sent"));
  }
  const std::uint16_t type = ether_type_of(p);
  const bool is_frame = type == kTypeFrame;
  if (type == 0) return false;
  if (config_.is_mpe()) return read_for_section(type, carried);
  if (is_frame && !is_whole_frame(carried.octets) && !mutant("ule-llc-length-not-checked")) return false;
  const bool is_bridged = is_frame || config_.bridged;
  if (!is_frame && needs_npa_) carried.npa = npa_of(type, carried.octets, config_.npa, broadcasts());
  carried.type = is_bridged ? kTypeBridged : type;
  carried.packet_type = is_bridged ? static_cast<std::uint8_t>(PacketType::bridged) : packet_type_of(type);
  if (is_bridged && !is_frame) {
    const Npa& to = mutant("ule-bridged-as-unicast") ? config_.npa : carried.npa;
    std::uint8_t* at = std::copy(to.begin(), to.end(), carried.front.data());
    at = std::copy(config_.mac.begin(), config_.mac.end(), at);
    write16(at, type);
    carried.front_octets = kMacHeader;
  }
  return true;
}

std::span<const std::uint32_t> Encapsulator::broadcasts() const noexcept {
  return mutant("ule-broadcast-as-unicast") ? std::span<const std::uint32_t>() : config_.broadcasts;
}

// What a section carries: an IP packet alone, whose type and length its own header has; else LLC/SNAP in front.
bool Encapsulator::read_for_section(std::uint16_t type, Carried& carried) const noexcept {
  if (type == kTypeFrame) return false;
  carried.type = type;
  carried.packet_type = packet_type_of(type);
  carried.npa = npa_of(type, carried.octets, config_.npa, broadcasts());
  const std::uint16_t own_type = carried.octets[0] >> 4 == 4 ? kTypeIpv4 : kTypeIpv6;
  if (type == own_type && ip_octets(carried.octets) == carried.octets.size()) return true;
  write_llc_snap(carried.front.data(), type);
  carried.front_octets = kLlcSnap;
  return true;
}

// --- The SNDU (4, 5) -------------------------------------------------------------------------------------------------

// True if an SNDU has room for so many octets after its headers.
bool Encapsulator::fits(std::size_t octets) const noexcept {
  if (config_.is_mpe()) return header_octets_ + octets + kCrcOctets <= kLargestSection;
  // A length of all ones with a D-bit of 1 would be an End Indicator (4.3).
  const std::size_t reserved = config_.address || mutant("ule-length-of-all-ones") ? 0 : 1;
  return header_octets_ - kBaseHeader + octets + kCrcOctets <= kLargestLength - reserved;
}

// Writes the headers of an SNDU of length_ octets, or that of a section. Returns their end.
std::uint8_t* Encapsulator::write_header(std::uint8_t* sndu, const Carried& carried, std::uint64_t now_ns) noexcept {
  if (config_.is_mpe()) {
    write_section_header(sndu, length_, carried.npa, carried.front_octets != 0);
    return sndu + kSectionHeader;
  }
  const bool has_d_bit = mutant("ule-d-bit-inverted") ? config_.address : !config_.address;
  const std::size_t counted = length_ - (mutant("ule-length-of-the-whole-sndu") ? 0 : kBaseHeader);
  // The types of what follows.
  const bool is_short = mutant("ule-h-len-without-the-type") && config_.padding_words > 1;
  const unsigned behind_stamp =
      config_.padding_words != 0 ? (config_.padding_words - (is_short ? 1U : 0U)) << 8 | kHTypePadding : carried.type;
  const unsigned behind_base = config_.time_stamp ? 3U << 8 | kHTypeTimeStamp : behind_stamp;
  write32(sndu, static_cast<std::uint32_t>((has_d_bit ? 0x8000U : 0U) | counted) << 16 | behind_base);
  std::uint8_t* at = sndu + kBaseHeader;
  if (config_.address) at = std::copy(carried.npa.begin(), carried.npa.end(), at);
  if (config_.time_stamp) {
    const std::uint64_t zero_ns = mutant("ule-time-stamp-of-another-clock") ? 0 : config_.universal_time_ns;
    const std::uint64_t ticks = (zero_ns + now_ns) / (mutant("ule-time-stamp-in-milliseconds") ? 1'000'000 : 1000);
    write32(at, static_cast<std::uint32_t>(mutant("ule-time-stamp-past-the-day") ? ticks : ticks % kHourUs));
    write16(at + 4, behind_stamp);
    at += kTimeStampOctets;
  }
  if (config_.padding_words != 0) {
    std::memset(at, mutant("ule-padding-header-not-zero") ? 0xA5 : 0, 2 * config_.padding_words);
    at += 2 * config_.padding_words;
    write16(at - 2, carried.type);
  }
  return at;
}

// Begins to send an SNDU: writes it after the octets of the TS packet that waits, where it ends there, else apart.
// REQUIRES: fits(carried.size()).
void Encapsulator::make_sndu(std::uint32_t channel, const Carried& carried, std::uint64_t now_ns) noexcept {
  length_ = header_octets_ + carried.size() + kCrcOctets;
  Channel& target = channels_[channel];
  begin_sndu(target);
  const bool is_whole = length_ <= target.left();
  std::uint8_t* const sndu = is_whole ? target.payload() + target.used : sndu_.data();
  std::uint8_t* at = write_header(sndu, carried, now_ns);
  at = std::copy_n(carried.front.begin(), carried.front_octets, at);
  const std::size_t first = mutant("ule-crc-without-the-base-header") ? kBaseHeader : 0;
  // From the caller's octets: those that have just been copied would have to be waited for.
  const std::uint32_t crc = crc32(config_.crc, carried.octets, crc32(config_.crc, {sndu + first, at}));
  std::memcpy(at, carried.octets.data(), carried.octets.size());
  write32(at + carried.octets.size(), mutant("ule-crc-inverted") ? ~crc : crc);
  ++counters_.sndus;
  counters_.octets += length_;
  sending_ = channel;
  sent_ = is_whole ? length_ : 0;
  if (is_whole) target.used = static_cast<std::uint8_t>(target.used + length_);
}

// --- Several PDUs or TS packets in one SNDU (RFC 5163, 3.1 and 3.2) --------------------------------------------------

// Puts what an SNDU could carry into the group of the channel. True where an SNDU is sent because of it: the group is
// full now, or was of another type, for another address, or too long for one more. REQUIRES: it fits, with its length.
bool Encapsulator::concatenate(std::uint32_t number, const Carried& carried, std::uint64_t now_ns) {
  Group& group = channels_[number].group;
  const bool is_ts_packet = carried.type == kTypeTsConcat;
  const std::size_t more = carried.size() + (is_ts_packet ? 0 : kPduLengthOctets);
  const bool goes_along = (group.type == carried.type || mutant("ule-concat-mixes-types")) &&
                          (group.npa == carried.npa || mutant("ule-concat-mixes-addresses")) &&
                          fits((is_ts_packet ? 0 : kPduTypeOctets) + group.octets.size() + more);
  bool sends = group.count != 0 && !goes_along;
  if (sends) make_sndu_of_group(number, now_ns);
  if (group.count == 0) {
    group.type = carried.type;
    group.npa = carried.npa;
    const std::uint64_t wait_us = config_.concat_threshold_us + (mutant("ule-concat-threshold-late") ? 5000 : 0);
    concat_.push(channels_, number, now_ns + wait_us * 1000);
  }
  if (!is_ts_packet) {
    group.octets.push_back(
        static_cast<std::uint8_t>(carried.size() >> 8 | (mutant("ule-concat-r-bit-set") ? 0x80 : 0)));
    group.octets.push_back(static_cast<std::uint8_t>(carried.size()));
  }
  group.octets.insert(group.octets.end(), carried.front.begin(),
                      carried.front.begin() + static_cast<std::ptrdiff_t>(carried.front_octets));
  group.octets.insert(group.octets.end(), carried.octets.begin(), carried.octets.end());
  ++counters_.concatenated;
  if (++group.count == config_.concat) {
    make_sndu_of_group(number, now_ns);
    sends = true;
  }
  return sends;
}

void Encapsulator::make_sndu_of_group(std::uint32_t number, std::uint64_t now_ns) noexcept {
  Group& group = channels_[number].group;
  Carried carried;
  carried.npa = group.npa;
  carried.octets = group.octets;
  carried.type = kTypeTsConcat;
  carried.front_octets = 0;
  if (group.type != kTypeTsConcat) {
    carried.type = kTypePduConcat;
    write16(carried.front.data(), group.type);
    carried.front_octets = kPduTypeOctets;
  }
  make_sndu(number, carried, now_ns);
  group.octets.clear();
  group.count = 0;
  concat_.remove(channels_, number);
}

// --- Test SNDUs (5.1) ------------------------------------------------------------------------------------------------

bool Encapsulator::send_test(std::uint32_t channel, std::size_t octets) {
  if (config_.is_mpe() || !fits(octets)) return false;
  tests_.push_back({channel, octets});
  return true;
}

void Encapsulator::make_test_sndu(std::uint64_t now_ns) noexcept {
  const Test test = tests_.front();
  tests_.erase(tests_.begin());
  // "The structure of the Data portion of this SNDU is not defined" (5.1).
  static constexpr std::array<std::uint8_t, kLargestLength> kZeros{};
  Carried carried;
  carried.type = kTypeTest;
  carried.front_octets = 0;
  carried.npa = config_.npa;
  carried.octets = {kZeros.data(), test.octets};
  make_sndu(test.channel, carried, now_ns);
  ++counters_.test_sndus;
}

// --- TS packets (6) --------------------------------------------------------------------------------------------------

std::int32_t Encapsulator::encapsulate(headroom_packet& p, std::uint64_t now_ns, headroom_detail* detail) {
  if (p.out_capacity < kTsOctets) return HEADROOM_ERR_NO_SPACE;
  Carried carried;
  const bool shares = config_.concat > 1;
  if (!read(p, carried) || !fits(carried.size() + (shares ? kPduTypeOctets + kPduLengthOctets : 0)) ||
      (shares && carried.size() >= kPduLimit && !mutant("ule-concat-too-long"))) {
    ++counters_.refused;
    return HEADROOM_ERR_UNSUPPORTED;
  }
  bool sends = true;
  if (shares) {
    sends = concatenate(p.channel, carried, now_ns);
  } else {
    make_sndu(p.channel, carried, now_ns);
  }
  if (detail != nullptr) {
    detail->cid = config_.pid(p.channel);
    detail->packet_type = carried.packet_type;
    detail->plain_header = 0;
    detail->compressed_header =
        static_cast<std::uint16_t>(shares ? carried.front_octets + kPduLengthOctets : length_ - p.in_length);
  }
  if (!sends || !next_ts_packet(p.out, now_ns)) return HEADROOM_NOTHING;
  p.out_length = kTsOctets;
  // The end of an SNDU that leaves room for another waits in its TS packet: nothing is left to drain then.
  const bool leaves_room = config_.packing && length_ - sent_ < kTsPayload - kSectionPrefix;
  p.more = sending_ != kNoChannel && (!leaves_room || next_ts_packet(p.out, now_ns)) ? 1 : 0;
  return HEADROOM_OK;
}

// Sets the PUSI, and the Payload Pointer, for an SNDU that begins here (6.2 v). There is room for its Length.
void Encapsulator::begin_sndu(Channel& channel) noexcept {
  channel.is_used = true;
  if (channel.used != 0) ++counters_.packed;
  if (channel.payload_unit_start) return;
  const bool counts_itself = channel.used != 0 && mutant("ule-payload-pointer-counts-itself");
  channel.room[0] = static_cast<std::uint8_t>(channel.used + (counts_itself ? 1 : 0));
  ++channel.used;
  channel.payload_unit_start = true;
}

// Goes on with the SNDU that is being sent. True if a TS packet is in `out`; else the TS packet waits for more.
bool Encapsulator::next_ts_packet(std::uint8_t* out, std::uint64_t now_ns) noexcept {
  const std::uint32_t number = sending_;
  Channel& channel = channels_[number];
  const std::size_t left = channel.left();
  const std::size_t taken = std::min(length_ - sent_, left);
  const std::uint8_t* const from = sndu_.data() + sent_;
  sent_ += taken;
  if (sent_ == length_) sending_ = kNoChannel;
  if (taken == left) {  // (i): the octets go straight into the TS packet
    if (channel.used != 0) std::memcpy(out + kTsHeader, channel.payload(), kTsPayload);
    std::memcpy(out + kTsHeader + channel.used, from, left);
    finish_ts_packet(out, number);
    return true;
  }
  if (taken != 0) {
    std::memcpy(channel.payload() + channel.used, from, taken);
    channel.used = static_cast<std::uint8_t>(channel.used + taken);
  }
  if (finish(channel)) {
    put_out(out, number);
    return true;
  }
  if (mutant("ule-threshold-restarts")) packing_.remove(channels_, number);
  const std::uint64_t wait_us = mutant("ule-threshold-doubled")  ? 2 * std::uint64_t{config_.threshold_us}
                                : mutant("ule-threshold-halved") ? config_.threshold_us / 2
                                                                 : config_.threshold_us;
  packing_.push(channels_, number, now_ns + wait_us * 1000);
  return false;
}

// What becomes of the TS packet with the end of an SNDU: the five cases of 6.2. True if it is sent.
bool Encapsulator::finish(Channel& channel) noexcept {
  // What begins in a TS packet has its length there: a section would not have to, but then its receivers need no more.
  const std::size_t left = channel.left() - (config_.is_mpe() ? std::min<std::size_t>(1, channel.left()) : 0);
  // (ii) one octet; (iii) two, which would not hold a Payload Pointer and a Length
  const bool has_no_room = left < (mutant("ule-one-octet-left-used") ? 1 : 2) ||
                           (left == 2 && !channel.payload_unit_start && !mutant("ule-two-octets-left-used"));
  if (!has_no_room && (config_.packing || mutant("ule-padding-packs"))) return false;  // (v)
  fill(channel);
  return true;
}

// REQUIRES: the TS packet is full.
void Encapsulator::put_out(std::uint8_t* out, std::uint32_t number) noexcept {
  std::memcpy(out + kTsHeader, channels_[number].payload(), kTsPayload);
  finish_ts_packet(out, number);
}

// Writes the header of a TS packet whose payload is there.
void Encapsulator::finish_ts_packet(std::uint8_t* out, std::uint32_t number) noexcept {
  Channel& channel = channels_[number];
  const bool is_updated = channel.room[0] != 0 && mutant("ule-pusi-not-updated");
  write_ts_header(out, config_.pid(mutant("ule-pid-of-the-first-channel") ? 0 : number),
                  channel.payload_unit_start && !is_updated, channel.continuity_counter);
  ++counters_.ts_packets;
  const unsigned more = channel.payload_unit_start || !mutant("ule-counter-of-beginnings") ? 1 : 0;
  const unsigned bits = mutant("ule-counter-of-three-bits") ? 0x07 : 0x0F;
  channel.continuity_counter = static_cast<std::uint8_t>((channel.continuity_counter + more) & bits);
  channel.used = 0;
  channel.payload_unit_start = false;
  packing_.remove(channels_, number);
}

bool Encapsulator::drain(headroom_packet& p, std::uint64_t now_ns) noexcept {
  const bool has_room = p.out_capacity >= kTsOctets;
  std::array<std::uint8_t, kTsOctets> nowhere;
  if (!next_due(has_room ? p.out : nowhere.data(), p.channel, now_ns)) return false;
  p.status = has_room ? HEADROOM_OK : HEADROOM_ERR_NO_SPACE;
  p.out_length = has_room ? kTsOctets : 0;
  return true;
}

// The next TS packet to be put out, of channel `number`. False if there is none.
bool Encapsulator::next_due(std::uint8_t* out, std::uint32_t& number, std::uint64_t now_ns) noexcept {
  // What is due may fit into a TS packet that waits for its own threshold: then there is nothing to put out yet.
  while (sending_ != kNoChannel || begin_due(now_ns)) {
    number = sending_;
    if (next_ts_packet(out, now_ns)) return true;
  }
  if (packing_.deadline(channels_) > now_ns) return false;
  number = packing_.first();
  fill(channels_[number]);
  ++counters_.thresholds;
  put_out(out, number);
  return true;
}

// Begins to send an SNDU that is due: a Test SNDU, or a group whose threshold has passed. False if there is none.
bool Encapsulator::begin_due(std::uint64_t now_ns) noexcept {
  if (!tests_.empty()) {
    make_test_sndu(now_ns);
    return true;
  }
  if (concat_.deadline(channels_) > now_ns) return false;
  make_sndu_of_group(concat_.first(), now_ns);
  return true;
}

// An End Indicator, where there is room for one, and octets of 0xFF (4.3).
void Encapsulator::fill(Channel& channel) noexcept {
  const std::size_t left = channel.left();
  std::uint8_t* const from = channel.payload() + channel.used;
  std::memset(from, mutant("ule-no-end-indicator") ? 0 : 0xFF, left);
  if (left > 2 && mutant("ule-fill-of-zeros")) std::memset(from + 2, 0, left - 2);
  counters_.fill += left;
  channel.used = kTsPayload;
}

// --- Thresholds (6.2 v; RFC 5163, 3.1 and 3.2) -----------------------------------------------------------------------

std::uint64_t Encapsulator::next_deadline() const noexcept {
  if (!tests_.empty()) return 0;
  return std::min(packing_.deadline(channels_), concat_.deadline(channels_));
}

std::size_t Encapsulator::channels_in_use() const noexcept {
  return static_cast<std::size_t>(
      std::count_if(channels_.begin(), channels_.end(), [](const Channel& channel) { return channel.is_used; }));
}

std::size_t Encapsulator::memory_bytes() const noexcept {
  std::size_t octets = sizeof *this + channels_.size() * sizeof(Channel) + sndu_.size();
  for (const Channel& channel : channels_) octets += channel.group.octets.capacity();
  return octets;
}

}  // namespace headroom::ule
