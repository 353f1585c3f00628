// SPDX-License-Identifier: Apache-2.0
#include "taroc/flow.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "mutants.h"

namespace headroom::taroc {
namespace {

using wire::distance;
using wire::load16;
using wire::load32;

constexpr std::uint32_t kUsualOptions = 0x0101080A;  // NOP, NOP, time stamps (RFC 7323, A)
constexpr std::size_t kUsualOptionsLength = 12;

// Bits of the first word of an IP header that do not belong to ECN.
constexpr std::uint32_t kIpv4Unchanging = 0xFFFC'0000, kIpv6Unchanging = 0xFFCF'FFFF;

// "Bits 0-5 of the passed octet is the actual value of the Reserved field, and bits 6 and 7 are the actual values of
// bits 6 and 7 in the TOS or Traffic Class field" (RFC 2507, 6 a).
std::uint8_t r_octet_of(const std::uint8_t* packet, const wire::Lengths& lengths) noexcept {
  const std::uint8_t* const tcp = packet + lengths.ip;
  const unsigned reserved = (tcp[wire::tcp::kDataOffset] & 0x0FU) << 2 | tcp[wire::tcp::kFlags] >> 6;
  const unsigned ecn = lengths.is_ipv4() ? packet[wire::ipv4::kTos] & 3U : packet[1] >> 4 & 3U;
  return static_cast<std::uint8_t>(reserved << 2 | ecn);
}

bool is_usual(const OptionForm& form) noexcept {
  return form.length == 0 ||
         (form.length == kUsualOptionsLength && form.timestamps == 4 && load32(form.octets.data()) == kUsualOptions);
}

}  // namespace

Flow::Flow(const Config& config, const std::uint8_t* packet, const wire::Lengths& lengths) noexcept
    : sequence_(config.mss, config.issthresh, load32(packet + lengths.ip + wire::tcp::kSequence)),
      acknowledgement_(config.mss, config.issthresh, load32(packet + lengths.ip + wire::tcp::kAcknowledgement)),
      end_(load32(packet + lengths.ip + wire::tcp::kSequence)) {}

Segment Flow::read(const std::uint8_t* packet, std::size_t length, const wire::Lengths& lengths) const noexcept {
  Segment s;
  s.values = last_;  // what is not in the packet is as it was
  s.packet = packet;
  s.lengths = lengths;
  s.data = static_cast<std::uint32_t>(length - lengths.both());
  s.r_octet = r_octet_of(packet, lengths);
  const std::uint8_t* const tcp = packet + lengths.ip;
  s.values[kSequence] = load32(tcp + wire::tcp::kSequence);
  s.values[kAcknowledgement] = load32(tcp + wire::tcp::kAcknowledgement);
  s.values[kWindowField] = load16(tcp + wire::tcp::kWindow);
  if (lengths.is_ipv4()) {
    const std::uint16_t id = load16(packet + wire::ipv4::kIdentification);
    s.values[kPacketId] += static_cast<std::uint32_t>(static_cast<std::int16_t>(id - last_[kPacketId]));
  }
  const std::uint8_t* const options = tcp + wire::kTcpHeader;
  if (!usual_form_ || lengths.options() != form_.length || (form_.length != 0 && load32(options) != kUsualOptions)) {
    s.options = read_options(options, lengths.options());
    if (s.options->form.timestamps != 0) {
      s.values[kTsValue] = s.options->values.ts_value;
      s.values[kTsEcho] = s.options->values.ts_echo;
    }
  } else if (form_.length != 0) {
    s.values[kTsValue] = load32(options + 4);
    s.values[kTsEcho] = load32(options + 8);
  }
  return s;
}

// What a compressed header cannot change: the NOCHANGE fields of RFC 2507, 7.1, 7.12.1 and 7.13 a, the form of the
// options, and the urgent pointer where URG is clear.
bool Flow::same_unchanging(const Segment& s) const noexcept {
  const std::uint8_t* const before = header_.data();
  const std::uint32_t first = load32(s.packet) ^ load32(before);
  if (s.lengths.is_ipv4()) {
    if ((first & kIpv4Unchanging) != 0 ||
        load16(s.packet + wire::ipv4::kFragment) != load16(before + wire::ipv4::kFragment) ||
        (s.packet[wire::ipv4::kTtl] != before[wire::ipv4::kTtl] && !mutant("taroc-ttl-not-compared")))
      return false;
  } else if ((first & kIpv6Unchanging) != 0 || s.packet[wire::ipv6::kHopLimit] != before[wire::ipv6::kHopLimit]) {
    return false;
  }
  const std::uint8_t* const tcp = s.packet + s.lengths.ip;
  const std::uint8_t* const tcp_before = before + lengths_.ip;
  if ((tcp[wire::tcp::kFlags] & wire::tcp::kUrg) == 0 &&
      load16(tcp + wire::tcp::kUrgentPointer) != load16(tcp_before + wire::tcp::kUrgentPointer))
    return false;
  return !s.options || fits(form_, *s.options);
}

// The age of packets is that of their sequence number, and of their acknowledgement number where they have no data.
bool Flow::is_older_than_all(const Segment& s) const noexcept {
  const Field age = s.data != 0 ? kSequence : kAcknowledgement;
  return distance(window_.ranges()[age].min, s.values[age]) < 0;
}

bool Flow::was_uncompressed(const Segment& s) const noexcept {
  if (s.data == 0 || distance(end_, s.values[kSequence]) >= 0) return false;
  const auto begin = uncompressed_.begin();
  const auto end = begin + std::min<std::ptrdiff_t>(uncompressed_count_, std::ssize(uncompressed_));
  return std::find(begin, end, s.values[kSequence]) != end;
}

// How often the data of a packet have been sent, with this time.
unsigned Flow::transmission(const Segment& s) const noexcept {
  if (s.data == 0 || distance(end_, s.values[kSequence]) >= 0) return 1;
  return s.values[kSequence] == repeated_ && transmissions_ != 0 ? transmissions_ + 1 : 2;
}

Decision Flow::decide(const Segment& s, bool rescue) const noexcept {
  Decision d;
  const auto because = [&](Reason reason) {
    d.reason = reason;
    return d;
  };
  if (window_.empty()) return because(Reason::new_context);
  if (is_older_than_all(s) && !mutant("taroc-falls-behind-unnoticed")) return because(Reason::fell_behind);
  if (!same_unchanging(s) || !window_.has_room_for(s.values)) return because(Reason::changed);
  if (turn_) return because(Reason::slow_start);
  if (state_ == State::ir && was_uncompressed(s) && !mutant("taroc-repeated-compressed"))
    return because(Reason::repeated);
  if (rescue && transmission(s) >= 3) return because(Reason::repeated);
  if (!encode(s, d)) return because(Reason::changed);
  return d;
}

// False if a change is beyond the widest field there is.
bool Flow::encode(const Segment& s, Decision& d) const noexcept {
  wire::Header& h = d.header;
  const Ranges& ranges = window_.ranges();
  struct Part {
    Field field;
    std::uint8_t flag;
    std::uint8_t wire::WasiLengths::*length;
    std::uint32_t wire::Header::*value;
  };
  static constexpr Part kParts[] = {
      {kWindowField, wire::kW, &wire::WasiLengths::window, &wire::Header::window},
      {kAcknowledgement, wire::kA, &wire::WasiLengths::acknowledgement, &wire::Header::acknowledgement},
      {kSequence, wire::kS, &wire::WasiLengths::sequence, &wire::Header::sequence},
      {kPacketId, wire::kI, &wire::WasiLengths::packet_id, &wire::Header::packet_id}};
  for (const Part& part : kParts) {
    const std::uint32_t reach = ranges[part.field].reach(s.values[part.field]);
    if (reach == 0) continue;
    h.flags |= part.flag;
    unsigned bits = wire::bits_needed(reach);
    if (part.field == kWindowField) bits = std::min(bits, 16U);  // of which sixteen are all of it
    if (mutant("taroc-one-bit-too-few")) --bits;
    while (bits > wire::kWasiLengths[h.pt].*part.length) {
      if (++h.pt == wire::kWasiLengths.size()) return false;
    }
  }
  for (const Part& part : kParts) {
    if ((h.flags & part.flag) != 0)
      h.*part.value = wire::low_bits(s.values[part.field], wire::kWasiLengths[h.pt].*part.length);
  }
  const std::uint8_t* const tcp = s.packet + s.lengths.ip;
  const std::uint8_t flags = tcp[wire::tcp::kFlags];
  h.checksum = load16(tcp + wire::tcp::kChecksum);
  if ((flags & wire::tcp::kPsh) != 0) h.flags |= wire::kP;
  if ((flags & wire::tcp::kUrg) != 0) {
    h.flags |= wire::kU;
    h.urgent = load16(tcp + wire::tcp::kUrgentPointer);
  }
  if (s.r_octet != r_octet_ || r_varied_) {
    h.flags |= wire::kR;
    h.r_octet = s.r_octet;
  }
  return encode_options(s, d);
}

bool Flow::encode_options(const Segment& s, Decision& d) const noexcept {
  if (lengths_.options() == 0 && s.lengths.options() == 0) return true;
  wire::Options& o = d.options;
  const auto timestamp = [&](Field field, bool& has, wire::Lsb& lsb) {
    const std::uint32_t reach = window_.ranges()[field].reach(s.values[field]);
    has = reach != 0;
    if (!has) return;
    lsb.bits = wire::timestamp_bits(wire::bits_needed(reach));
    lsb.value = wire::low_bits(s.values[field], lsb.bits);
  };
  if (form_.timestamps != 0) {
    timestamp(kTsValue, o.has_value, o.value);
    timestamp(kTsEcho, o.has_echo, o.echo);
  }
  bool others = false;
  if (s.options) {
    o.blocks = s.options->values.sack_blocks;
    std::uint32_t from = s.values[kAcknowledgement];
    for (std::size_t i = 0; i < o.blocks; ++i) {
      const auto [left, right] = s.options->values.sack[i];
      if (left - from > 0xFFFF || right - left > 0xFFFF) return false;
      o.block[i] = {static_cast<std::uint16_t>(left - from), static_cast<std::uint16_t>(right - left)};
    }
    others = std::memcmp(s.options->values.others.data(), others_.data(), form_.others_length()) != 0;
  }
  d.has_options = o.has_value || o.has_echo || o.blocks != 0 || others;
  if (d.has_options) d.header.flags |= wire::kO;
  return true;
}

std::uint8_t* Flow::write(const Segment& s, const Decision& d, std::uint8_t* out) const noexcept {
  out = wire::write(d.header, out);
  if (!d.has_options) return out;
  out = wire::write(d.options, out);
  if (!s.options) return out;
  const std::size_t others = form_.others_length();
  std::memcpy(out, s.options->values.others.data(), others);
  return out + others;
}

void Flow::sent_uncompressed(const Config& config, const Segment& s, Reason reason) noexcept {
  const bool first = window_.empty();
  if (reason == Reason::fell_behind || (!first && !window_.has_room_for(s.values))) window_.clear();
  if (state_ == State::co || reason == Reason::changed || reason == Reason::fell_behind) enter_ir();
  turn_ = false;
  left_ = period_;
  r_varied_ = r_varied_ || (lengths_.ip != 0 && s.r_octet != r_octet_);
  r_octet_ = s.r_octet;
  lengths_ = s.lengths;
  std::memcpy(header_.data(), s.packet, s.lengths.both());
  if (s.options) {
    form_ = s.options->form;
    others_ = s.options->values.others;
    usual_form_ = form_.is_readable && is_usual(form_);
  }
  if (s.data != 0 && !was_uncompressed(s))
    uncompressed_[uncompressed_count_++ % uncompressed_.size()] = s.values[kSequence];
  sent(config, s);
}

void Flow::sent_compressed(const Config& config, const Segment& s) noexcept {
  sent(config, s);
  if (state_ != State::ir || turn_ || --left_ != 0) return;
  period_ *= 2;
  if (std::uint64_t{period_} * config.mss > reach(config)) {
    state_ = State::co;
  } else {
    turn_ = !mutant("taroc-no-slow-start");
    left_ = period_;
  }
}

void Flow::sent(const Config& config, const Segment& s) noexcept {
  const std::uint32_t largest_window =
      window_.empty() ? s.values[kWindowField] : std::max(window_.ranges()[kWindowField].max, s.values[kWindowField]);
  sequence_.receive(s.values[kSequence], std::uint64_t{0xFFFF} << config.window_scale);
  acknowledgement_.receive(s.values[kAcknowledgement], std::uint64_t{largest_window} << config.window_scale);
  window_.add(s.values, reach(config));
  // "The VSW contains only one packet, which means there is a long jump in the packet sequence" (7.1.2 c).
  if (state_ == State::co && window_.packets() == 1) {
    enter_ir();
    turn_ = true;
  }
  last_ = s.values;
  if (s.data == 0) return;
  if (const unsigned count = transmission(s); count > 1) {
    transmissions_ = count;
    repeated_ = s.values[kSequence];
  }
  const std::uint32_t end = s.values[kSequence] + s.data;
  if (distance(end_, end) > 0) end_ = end;
}

void Flow::enter_ir() noexcept {
  state_ = State::ir;
  period_ = left_ = 1;
}

}  // namespace headroom::taroc
