// SPDX-License-Identifier: Apache-2.0
#include "ule/encapsulator.h"

#include <algorithm>
#include <cstring>

namespace headroom::ule {
namespace {

using namespace wire;

constexpr std::uint64_t kHourUs = 3'600'000'000;

// The EtherType of a PDU; 0 where it is none.
std::uint16_t ether_type_of(const headroom_packet& p) noexcept {
  if (p.in_type >= kFirstEtherType) return p.in_type;
  if (p.in_type != HEADROOM_TYPE_DEFAULT) return 0;
  const unsigned version = p.in[0] >> 4;
  return version == 4 ? kTypeIpv4 : version == 6 ? kTypeIpv6 : 0;
}

PacketType packet_type_of(std::uint16_t type, bool bridged) noexcept {
  if (bridged) return PacketType::bridged;
  return type == kTypeIpv4 ? PacketType::ipv4 : type == kTypeIpv6 ? PacketType::ipv6 : PacketType::other;
}

}  // namespace

Encapsulator::Encapsulator(const Config& config) : config_(config), channels_(config.channels), sndu_(kLargestSndu) {}

// --- The SNDU (4, 5) -------------------------------------------------------------------------------------------------

bool Encapsulator::make_sndu(const headroom_packet& p, std::uint64_t now_ns, headroom_detail* detail) noexcept {
  const std::uint16_t type = ether_type_of(p);
  const std::span<const std::uint8_t> pdu(p.in, p.in_length);
  const bool is_frame = type == kTypeFrame;
  if (type == 0 || (is_frame && !is_whole_frame(pdu))) return false;
  const bool is_bridged = is_frame || config_.bridged;
  const std::size_t mac_header = is_bridged && !is_frame ? kMacHeader : 0;
  const std::size_t time_stamp = config_.time_stamp ? 6 : 0;
  const std::size_t header = kBaseHeader + (config_.address ? kNpaOctets : 0) + 2 * config_.padding_words + time_stamp;
  const std::size_t length = header + mac_header + pdu.size() + kCrcOctets;
  // A length of all ones with a D-bit of 1 would be an End Indicator (4.3).
  if (length - kBaseHeader > kLargestLength - (config_.address ? 0 : 1)) return false;

  const Npa npa = is_frame ? config_.npa : npa_of(type, pdu, config_.npa);
  std::uint8_t* at = sndu_.data();
  write16(at, static_cast<std::uint32_t>((config_.address ? 0U : 0x8000U) | (length - kBaseHeader)));
  std::uint8_t* next_type = at + 2;  // where the type of what follows stands
  at += kBaseHeader;
  if (config_.address) at = std::copy(npa.begin(), npa.end(), at);
  if (config_.time_stamp) {
    write16(next_type, 3U << 8 | kHTypeTimeStamp);
    write32(at, static_cast<std::uint32_t>(now_ns / 1000 % kHourUs));
    next_type = at + 4;
    at += 6;
  }
  if (config_.padding_words != 0) {
    write16(next_type, config_.padding_words << 8 | kHTypePadding);
    std::memset(at, 0, 2 * config_.padding_words);
    at += 2 * config_.padding_words;
    next_type = at - 2;
  }
  write16(next_type, is_bridged ? kTypeBridged : type);
  if (mac_header != 0) {
    at = std::copy(npa.begin(), npa.end(), at);
    at = std::copy(config_.mac.begin(), config_.mac.end(), at);
    write16(at, type);
    at += 2;
  }
  std::memcpy(at, pdu.data(), pdu.size());
  at += pdu.size();
  write32(at, crc32(config_.crc, {sndu_.data(), at}));
  length_ = length;
  if (detail != nullptr) {
    detail->cid = config_.pid(p.channel);
    detail->packet_type = static_cast<std::uint8_t>(packet_type_of(type, is_bridged));
    detail->plain_header = 0;
    detail->compressed_header = static_cast<std::uint16_t>(length - pdu.size());
  }
  return true;
}

// --- TS packets (6) --------------------------------------------------------------------------------------------------

std::int32_t Encapsulator::encapsulate(headroom_packet& p, std::uint64_t now_ns, headroom_detail* detail) noexcept {
  if (p.out_capacity < kTsOctets) return HEADROOM_ERR_NO_SPACE;
  if (!make_sndu(p, now_ns, detail)) {
    ++counters_.refused;
    return HEADROOM_ERR_UNSUPPORTED;
  }
  ++counters_.sndus;
  counters_.octets += length_;
  sending_ = p.channel;
  sent_ = 0;
  begin_sndu(channels_[sending_]);
  if (!next_ts_packet(p, now_ns)) return HEADROOM_NOTHING;
  p.more = sending_ != kNone ? 1 : 0;
  return HEADROOM_OK;
}

// Sets the PUSI, and the Payload Pointer, for an SNDU that begins here (6.2 v). There is room for its Length.
void Encapsulator::begin_sndu(Channel& channel) noexcept {
  channel.is_used = true;
  if (channel.used != 0) ++counters_.packed;
  if (channel.payload_unit_start) return;
  std::memmove(channel.payload.data() + 1, channel.payload.data(), channel.used);
  channel.payload[0] = channel.used;
  ++channel.used;
  channel.payload_unit_start = true;
}

// Goes on with the SNDU that is being sent. True where a TS packet is in `p`.
bool Encapsulator::next_ts_packet(headroom_packet& p, std::uint64_t now_ns) noexcept {
  Channel& channel = channels_[sending_];
  const std::size_t fits = std::min(length_ - sent_, kTsPayload - channel.used);
  std::memcpy(channel.payload.data() + channel.used, sndu_.data() + sent_, fits);
  channel.used = static_cast<std::uint8_t>(channel.used + fits);
  sent_ += fits;
  const std::uint32_t number = sending_;
  if (sent_ == length_) {
    sending_ = kNone;
    if (!finish(channel)) {
      wait(number, now_ns);
      return false;
    }
  }
  put_out(p, number);
  return true;
}

// What becomes of the TS packet with the end of an SNDU: the five cases of 6.2. True where it is sent.
bool Encapsulator::finish(Channel& channel) noexcept {
  const std::size_t left = kTsPayload - channel.used;
  // (ii) one octet; (iii) two, which would not hold a Payload Pointer and a Length
  const bool has_no_room = left < 2 || (left == 2 && !channel.payload_unit_start);
  if (!has_no_room && config_.packing) return false;  // (v)
  fill(channel);
  return true;
}

// REQUIRES: the TS packet is full.
void Encapsulator::put_out(headroom_packet& p, std::uint32_t number) noexcept {
  Channel& channel = channels_[number];
  write_ts_header(p.out, config_.pid(number), channel.payload_unit_start, channel.continuity_counter);
  std::memcpy(p.out + kTsHeader, channel.payload.data(), kTsPayload);
  p.out_length = kTsOctets;
  ++counters_.ts_packets;
  channel.continuity_counter = (channel.continuity_counter + 1U) & 0x0FU;
  channel.used = 0;
  channel.payload_unit_start = false;
  leave_queue(channel);
}

bool Encapsulator::drain(headroom_packet& p, std::uint64_t now_ns) noexcept {
  std::array<std::uint8_t, kTsOctets> nowhere;
  headroom_packet ts_packet = p;
  if (p.out_capacity < kTsOctets) ts_packet.out = nowhere.data();
  const std::uint32_t number = sending_ != kNone ? sending_ : first_;
  if (sending_ != kNone) {
    if (!next_ts_packet(ts_packet, now_ns)) return false;
  } else if (first_ != kNone && channels_[first_].deadline <= now_ns) {
    fill(channels_[number]);
    ++counters_.thresholds;
    put_out(ts_packet, number);
  } else {
    return false;
  }
  const bool has_room = p.out_capacity >= kTsOctets;
  p.status = has_room ? HEADROOM_OK : HEADROOM_ERR_NO_SPACE;
  p.out_length = has_room ? ts_packet.out_length : 0;
  p.channel = number;
  return true;
}

// An End Indicator, where there is room for one, and octets of 0xFF (4.3).
void Encapsulator::fill(Channel& channel) noexcept {
  const std::size_t left = kTsPayload - channel.used;
  std::memset(channel.payload.data() + channel.used, 0xFF, left);
  counters_.fill += left;
  channel.used = kTsPayload;
}

// --- The Packing Threshold (6.2 v) -----------------------------------------------------------------------------------

std::uint64_t Encapsulator::next_deadline() const noexcept {
  return first_ == kNone ? HEADROOM_NO_DEADLINE : channels_[first_].deadline;
}

// All channels have the same threshold: the one that begins to wait last has the last deadline.
void Encapsulator::wait(std::uint32_t number, std::uint64_t now_ns) noexcept {
  Channel& channel = channels_[number];
  if (channel.earlier != kNone || first_ == number) return;  // since an earlier SNDU
  channel.deadline = now_ns + std::uint64_t{config_.threshold_us} * 1000;
  channel.earlier = last_;
  (last_ == kNone ? first_ : channels_[last_].later) = number;
  last_ = number;
}

void Encapsulator::leave_queue(Channel& channel) noexcept {
  const auto number = static_cast<std::uint32_t>(&channel - channels_.data());
  if (channel.earlier == kNone && first_ != number) return;
  (channel.earlier == kNone ? first_ : channels_[channel.earlier].later) = channel.later;
  (channel.later == kNone ? last_ : channels_[channel.later].earlier) = channel.earlier;
  channel.earlier = channel.later = kNone;
}

std::size_t Encapsulator::channels_in_use() const noexcept {
  return static_cast<std::size_t>(
      std::count_if(channels_.begin(), channels_.end(), [](const Channel& channel) { return channel.is_used; }));
}

std::size_t Encapsulator::memory_bytes() const noexcept {
  return sizeof *this + channels_.size() * sizeof(Channel) + sndu_.size();
}

}  // namespace headroom::ule
