// SPDX-License-Identifier: Apache-2.0
#include "load/generator.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/error.h"
#include "traffic/flow.h"

namespace headroom::load {
namespace {

using traffic::Header;
using traffic::IpIdBehaviour;
using traffic::Marker;
using traffic::Variant;

constexpr std::uint32_t kMostSilenceInterval = 31;  // there are 5 bits for it
constexpr std::size_t kStateOctets = 4;
constexpr std::size_t kTokenOctets = 4;

[[noreturn]] void refuse(const Variant& variant, const std::string& what) {
  throw Error(ErrorKind::job, "load does not do " + what + "; use replay for this profile, or another profile.",
              variant.where);
}

// Octets of the payloads of a variant's packets, silence frames included.
std::uint32_t shortest_payload_of(const Variant& variant) {
  const bool silence = variant.speech && variant.speech->silence;
  return silence ? std::min(variant.payload.shortest, variant.speech->silence->length) : variant.payload.shortest;
}

std::uint32_t longest_payload_of(const Variant& variant) {
  const bool silence = variant.speech && variant.speech->silence;
  return silence ? std::max(variant.payload.longest, variant.speech->silence->length) : variant.payload.longest;
}

void check_suitable(const Variant& variant) {
  if (!variant.changes.empty()) refuse(variant, "changes in mid-stream");
  if (variant.timing.start_within_us != 0) refuse(variant, "flows that begin later than in the first interval");
  if (variant.connections) refuse(variant, "connections that begin and end");
  if (variant.before.any()) refuse(variant, "loss or reordering in front of the compressor");
  if (!variant.payload.mix.empty()) refuse(variant, "a mix of payload lengths");
  for (const Header& header : variant.headers) {
    if (const auto* tunnel = std::get_if<traffic::Tunnel>(&header)) refuse(variant, std::string(tunnel->format->title));
    if (const auto* tcp = std::get_if<traffic::Tcp>(&header);
        tcp != nullptr && tcp->push && shortest_payload_of(variant) == 0 && longest_payload_of(variant) != 0)
      refuse(variant, "PSH on those segments alone that have a payload");
    if (const auto* rtp = std::get_if<traffic::Rtp>(&header)) {
      if (rtp->padding != 0) refuse(variant, "RTP padding");
      if (rtp->marker_every != 0) refuse(variant, "markers on every n-th packet");
      if (rtp->frame_most != 1) refuse(variant, "several packets with one time stamp");
    }
    if (const auto* ip = std::get_if<traffic::Ipv4>(&header); ip != nullptr && ip->fragment_at != 0)
      refuse(variant, "fragments");
    if (const auto* ip = std::get_if<traffic::Ipv4>(&header); ip != nullptr && ip->identification_per_host)
      refuse(variant, "an identification that counts a host's packets");
    if (std::holds_alternative<traffic::Authentication>(header)) refuse(variant, "authentication headers");
    if (const auto* gre = std::get_if<traffic::Gre>(&header); gre != nullptr && (gre->sequence || gre->checksum))
      refuse(variant, "sequence numbers and checksums of GRE");
  }
  if (variant.speech && variant.speech->silence && variant.speech->silence->every > kMostSilenceInterval) {
    refuse(variant, "silence frames that are more than " + std::to_string(kMostSilenceInterval) + " intervals apart");
  }
}

// A Checksum Coverage that moves with the length alone, or not at all, so that few additions keep the checksum right:
// `behind` octets of headers from UDP-Lite on.
void check_coverage(const Variant& variant, const traffic::UdpLite& udp, std::size_t behind) {
  if (udp.coverage == traffic::UdpLite::kLength || udp.coverage == 0) return;
  if (udp.coverage == traffic::UdpLite::kRandom) refuse(variant, "a random Checksum Coverage");
  if (udp.coverage < behind) refuse(variant, "a Checksum Coverage that ends within the headers");
  if (udp.coverage > behind + shortest_payload_of(variant))
    refuse(variant, "a Checksum Coverage that is longer than the shortest datagram");
}

std::size_t header_length_of(const Variant& variant) { return traffic::layout(variant.headers).back(); }

bool is_rtp(const Variant& variant) { return std::holds_alternative<traffic::Rtp>(variant.headers.back()); }

std::size_t slot_size(const Variant& variant) {
  const std::size_t state = kStateOctets + (is_rtp(variant) ? 0 : kTokenOctets);
  return (header_length_of(variant) + state + kCacheLine - 1) / kCacheLine * kCacheLine;
}

// What a change of two words, as one number, adds to a sum.
std::uint32_t long_delta(std::uint32_t from, std::uint32_t to) {
  return word_delta(static_cast<std::uint16_t>(from >> 16), static_cast<std::uint16_t>(to >> 16)) +
         word_delta(static_cast<std::uint16_t>(from), static_cast<std::uint16_t>(to));
}

void add_length(Plan& plan, std::size_t at, std::size_t base, std::size_t checksum) {
  plan.length[plan.lengths++] = {static_cast<std::uint16_t>(at), static_cast<std::uint16_t>(base),
                                 static_cast<std::uint16_t>(checksum)};
}

void add_ipv4(Plan& plan, const traffic::Ipv4& ip, std::size_t at, std::size_t header, std::size_t base) {
  add_length(plan, at + 2, base, at + 10);
  if (ip.identification == IpIdBehaviour::constant || ip.identification == IpIdBehaviour::zero) return;
  Plan::IpId& id = plan.ip_id[plan.ip_ids++];
  id.at = static_cast<std::uint16_t>(at + 4);
  id.checksum = static_cast<std::uint16_t>(at + 10);
  id.behaviour = ip.identification;
  id.header = static_cast<std::uint8_t>(header);
  id.jumps = Chance(ip.identification_jumps.probability);
  id.most = ip.identification_jumps.most;
}

PlainStep plain_step(const Plan& plan) {
  PlainStep step;
  step.rtp_at = static_cast<std::uint16_t>(plan.sequence_at - 2);
  step.sum_at = plan.sum_at;
  step.timestamp_step = plan.timestamp_step;
  step.both = (std::uint64_t{1} << 32) + plan.timestamp_step;
  step.header_length = plan.header_length;
  step.length = plan.header_length + plan.shortest;
  std::uint8_t sum[2];
  store16(sum, checksum_fold(1u + checksum_fold(plan.timestamp_step)));
  std::memcpy(&step.sum_raw, sum, sizeof sum);
  return step;
}

Plan make_plan(const Variant& variant, std::size_t stride) {
  check_suitable(variant);
  const std::vector<std::size_t> offsets = traffic::layout(variant.headers);
  Plan plan;
  plan.header_length = static_cast<std::uint32_t>(offsets.back());
  plan.header_at = static_cast<std::uint32_t>(stride - offsets.back());
  plan.shortest = variant.payload.shortest;
  plan.longest = variant.payload.longest;
  plan.timing = variant.timing;
  plan.has_speech = variant.speech.has_value();
  if (variant.speech) plan.speech = *variant.speech;
  plan.token_at = kStateOctets;
  bool over_ipv6 = false;
  for (std::size_t i = 0; i < variant.headers.size(); ++i) {
    const std::size_t at = plan.header_at + offsets[i];
    const std::size_t base =
        offsets.back() - offsets[i];  // what a length field that counts from here says of an empty payload
    const Header& header = variant.headers[i];
    if (const auto* ipv4 = std::get_if<traffic::Ipv4>(&header)) {
      over_ipv6 = false;
      if (plan.ip_ids == plan.ip_id.size()) refuse(variant, "more than four IPv4 headers");
      add_ipv4(plan, *ipv4, at, i, base);
    } else if (std::holds_alternative<traffic::Ipv6>(header)) {
      over_ipv6 = true;
      add_length(plan, at + 4, base - 40, 0);
    } else if (const auto* udp = std::get_if<traffic::Udp>(&header)) {
      add_length(plan, at + 4, base, 0);
      if (udp->checksum) {
        plan.sum_at = static_cast<std::uint16_t>(at + 6);
        plan.sum_is_udp = true;
        plan.length_weight = 2;  // RFC 768: in the header and in the pseudo-header
      }
    } else if (const auto* lite = std::get_if<traffic::UdpLite>(&header)) {
      check_coverage(variant, *lite, base);
      const bool whole = lite->coverage == traffic::UdpLite::kLength;
      if (whole) add_length(plan, at + 4, base, 0);
      if (!whole && lite->coverage != 0) plan.covered = lite->coverage - static_cast<std::uint32_t>(base);
      plan.sum_at = static_cast<std::uint16_t>(at + 6);
      plan.sum_is_udp = true;
      plan.length_weight = whole ? 2 : 1;  // RFC 3828, 3.1: in the pseudo-header, and perhaps as coverage
    } else if (std::holds_alternative<traffic::Esp>(header)) {
      plan.esp = true;
      plan.sequence_at = static_cast<std::uint16_t>(at + 4);
    } else if (const auto* tcp = std::get_if<traffic::Tcp>(&header)) {
      plan.tcp = true;
      plan.tcp_echo = tcp->echo;
      plan.tcp_timestamps = tcp->timestamps;
      plan.acknowledgement_step = tcp->acknowledgement_step;
      plan.sequence_at = static_cast<std::uint16_t>(at + 4);
      plan.sum_at = static_cast<std::uint16_t>(at + 16);
      plan.length_weight = 1;  // RFC 793, 3.1: in the pseudo-header
    } else if (const auto* rtp = std::get_if<traffic::Rtp>(&header)) {
      plan.rtp = true;
      plan.sequence_at = static_cast<std::uint16_t>(at + 2);
      plan.token_at = static_cast<std::uint16_t>(at + 8);
      plan.timestamp_step = rtp->timestamp_step;
      plan.marker = rtp->marker == Marker::frame_end ? Marker::always : rtp->marker;  // one packet is a frame here
    } else if (std::holds_alternative<traffic::Icmp>(header)) {
      plan.echo = true;
      plan.sequence_at = static_cast<std::uint16_t>(at + 6);
      plan.sum_at = static_cast<std::uint16_t>(at + 2);
      plan.length_weight = over_ipv6 ? 1 : 0;  // RFC 4443, 2.3: in the pseudo-header
    }
  }
  plan.plain = plan.rtp && plan.marker != Marker::always && plan.shortest == plan.longest && plan.ip_ids <= 1 &&
               !(plan.ip_ids == 1 && plan.ip_id[0].jumps.possible());
  if (plan.plain) plan.step = plain_step(plan);
  return plan;
}

}  // namespace

Generator::Generator(const traffic::Profile& profile, std::uint32_t flows, std::uint64_t seed, bool reverse)
    : profile_(profile), seed_(seed), reverse_(reverse) {
  for (const Variant& variant : profile.variants)
    maker_.stride_ = std::max(maker_.stride_, std::bit_ceil(slot_size(variant)));
  maker_.stride_shift_ = static_cast<unsigned>(std::countr_zero(maker_.stride_));
  maker_.generator_ = this;
  for (const Variant& variant : profile.variants) {
    plans_.push_back(make_plan(variant, maker_.stride_));
    const std::uint32_t longest = longest_payload_of(variant);
    longest_payload_ = std::max(longest_payload_, longest);
    longest_packet_ = std::max(longest_packet_, plans_.back().header_length + longest);
  }
  Octets pattern;
  for (std::size_t i = 0; i <= longest_payload_; ++i) {
    pattern_sum_.push_back(checksum_fold(checksum_add(0, pattern)));
    pattern.push_back(traffic::pattern_octet(i));
  }
  slots_.emplace(octets_of(flows, maker_.stride_));
  maker_.slots_ = slots_->data();
  maker_.plans_ = plans_.data();
  for (std::uint32_t flow = 0; flow < flows; ++flow)
    make_image(flow, maker_.slots_ + (std::size_t{flow} << maker_.stride_shift_));
}

bool Generator::is_uniform() const noexcept {
  if (plans_.size() != 1 || maker_.stride_ != kCacheLine) return false;
  const Plan& plan = plans_.front();
  const Plan::IpId& id = plan.ip_id[0];
  const bool counts = id.at == UniformMaker::kIpIdAt && id.behaviour == IpIdBehaviour::sequential;
  return plan.plain && !plan.has_speech && plan.step.rtp_at == UniformMaker::kRtpAt &&
         (plan.step.sum_at == 0 || plan.step.sum_at == UniformMaker::kSumAt) && (plan.ip_ids == 0 || counts);
}

Generator::UniformMaker Generator::uniform_maker() const noexcept {
  UniformMaker made;
  made.generator_ = maker_.generator_;
  made.slots_ = maker_.slots_;
  made.step_ = plans_.front().step;
  made.counts_ip_id_ = plans_.front().ip_ids != 0;
  made.has_sum_ = made.step_.sum_at != 0;
  return made;
}

void Generator::make_image(std::uint64_t number, std::uint8_t* slot) const {
  const std::size_t which = profile_.variant_of(number);
  const Variant& variant = profile_.variants[which];
  const Plan& plan = plans_[which];
  const traffic::Identity identity = make_identity(variant, number, seed_, reverse_);
  traffic::Moment moment;
  moment.sequence = identity.sequence;
  moment.timestamp = identity.timestamp;
  moment.esp_sequence = identity.esp_sequence;
  moment.tcp_sequence = identity.tcp_sequence;
  for (std::size_t i = 0; i < variant.headers.size(); ++i) {
    const auto* ip = std::get_if<traffic::Ipv4>(&variant.headers[i]);
    if (ip == nullptr || ip->identification == IpIdBehaviour::zero) continue;
    const std::uint16_t first = identity.headers[i].identification;
    moment.identification[i] = ip->identification == IpIdBehaviour::swapped ? traffic::swap_octets(first) : first;
  }
  Octets payload(plan.shortest);
  for (std::size_t i = 0; i < payload.size(); ++i) payload[i] = traffic::pattern_octet(i);
  const Octets packet = build_packet(variant.headers, identity, moment, payload);
  std::memset(slot, 0, maker_.stride_);
  std::memcpy(slot + plan.header_at, packet.data(), plan.header_length);
  store32(slot + plan.token_at, identity.token);
  State state{};
  state.variant = static_cast<std::uint8_t>(which);
  state.flags = kFresh;
  std::memcpy(slot, &state, sizeof state);
}

void Generator::prepare_replacements(std::uint64_t first_number, std::uint32_t count) {
  replacements_.assign(octets_of(count, maker_.stride_), 0);
  next_replacement_ = 0;
  for (std::uint32_t i = 0; i < count; ++i)
    make_image(first_number + i, replacements_.data() + std::size_t{i} * maker_.stride_);
}

Generator::Activity Generator::step_speech(const Plan& plan, State& state, std::uint32_t token,
                                           std::uint64_t tick) noexcept {
  bool starts = false;
  if (state.remaining == 0) {
    starts = (state.flags & kTalking) == 0;
    state.flags = starts ? kTalking : 0;
    state.remaining =
        static_cast<std::uint16_t>(traffic::SpeechState::duration(plan.speech, plan.timing, token, tick, starts));
  }
  --state.remaining;
  if ((state.flags & kTalking) != 0) return starts ? Activity::spurt_start : Activity::talking;
  if (!plan.speech.silence) return Activity::silent;
  const unsigned in_pause = state.flags >> kPauseShift;
  const unsigned next = in_pause + 1 == plan.speech.silence->every ? 0 : in_pause + 1;
  state.flags = static_cast<std::uint8_t>(next << kPauseShift);
  return in_pause == 0 ? Activity::silence_frame : Activity::silent;
}

// A plain step in which the sequence number or the time stamp passes its end.
void Generator::make_wrap(const PlainStep& step, std::uint8_t* slot, std::uint8_t* copy) noexcept {
  const Image image{slot, copy};
  const std::uint32_t sequence_at = step.rtp_at + 2u;
  const std::uint32_t timestamp_at = step.rtp_at + 4u;
  const std::uint16_t old_sequence = load16(slot + sequence_at);
  const std::uint32_t old_timestamp = load32(slot + timestamp_at);
  const auto sequence = static_cast<std::uint16_t>(old_sequence + 1);
  const std::uint32_t timestamp = old_timestamp + step.timestamp_step;
  image.put16(sequence_at, sequence);
  image.put32(timestamp_at, timestamp);
  if (step.sum_at == 0) return;
  const std::uint32_t delta = word_delta(old_sequence, sequence) + long_delta(old_timestamp, timestamp);
  const std::uint16_t sum = checksum_update(load16(slot + step.sum_at), delta);
  image.put16(step.sum_at, sum == 0 ? 0xFFFF : sum);
}

// A pause: only the time stamp goes on, in the image and in the checksum over it.
void Generator::skip_interval(const Plan& plan, std::uint8_t* slot) noexcept {
  if (!plan.rtp) return;
  std::uint8_t* timestamp = slot + plan.sequence_at + 2;
  const std::uint32_t old = load32(timestamp);
  const std::uint32_t now = old + plan.timestamp_step;
  store32(timestamp, now);
  if (plan.sum_at == 0) return;
  const std::uint16_t sum = checksum_update(load16(slot + plan.sum_at), long_delta(old, now));
  store16(slot + plan.sum_at, sum == 0 ? 0xFFFF : sum);
}

void Generator::move_identifications(const Plan& plan, const Image& image, std::uint32_t token, std::uint64_t index,
                                     bool fresh) noexcept {
  for (std::size_t i = 0; i < plan.ip_ids; ++i) {
    const Plan::IpId& id = plan.ip_id[i];
    const std::uint16_t old = load16(image.slot + id.at);
    std::uint16_t now = old;
    if (id.behaviour == IpIdBehaviour::random) {
      now = static_cast<std::uint16_t>(
          traffic::packet_draw(token, traffic::Purpose::identification, index, id.header) >> 48);
    } else if (!fresh) {
      const std::uint16_t step = traffic::identification_step(token, index, id.header, id.jumps, id.most);
      const bool swapped = id.behaviour == IpIdBehaviour::swapped;
      const auto counter = static_cast<std::uint16_t>((swapped ? traffic::swap_octets(old) : old) + step);
      now = swapped ? traffic::swap_octets(counter) : counter;
    }
    image.put16(id.at, now);
    image.put16(id.checksum, checksum_update(load16(image.slot + id.checksum), word_delta(old, now)));
  }
}

std::uint32_t Generator::move_tcp(const Plan& plan, const Image& image, std::uint32_t before) noexcept {
  std::uint32_t delta = 0;
  const auto advance = [&](std::uint32_t at, std::uint32_t step) {
    const std::uint32_t old = load32(image.slot + at);
    image.put32(at, old + step);
    delta += long_delta(old, old + step);
  };
  advance(plan.sequence_at, before);
  advance(plan.sequence_at + 4u, plan.acknowledgement_step + (plan.tcp_echo ? before : 0));
  if (plan.tcp_timestamps) {
    constexpr std::uint32_t kValueAt = 20;  // from the sequence number: TSval, and TSecr after it
    advance(plan.sequence_at + kValueAt, 1);
    advance(plan.sequence_at + kValueAt + 4, 1);
  }
  return delta;
}

std::uint32_t Generator::set_payload_length(const Plan& plan, const Image& image, std::uint32_t from,
                                            std::uint32_t to) const noexcept {
  for (std::size_t i = 0; i < plan.lengths; ++i) {
    const Plan::Length& length = plan.length[i];
    const std::uint16_t old = load16(image.slot + length.at);
    const auto now = static_cast<std::uint16_t>(length.base + to);
    image.put16(length.at, now);
    if (length.checksum != 0)
      image.put16(length.checksum, checksum_update(load16(image.slot + length.checksum), word_delta(old, now)));
  }
  return plan.length_weight * word_delta(static_cast<std::uint16_t>(from), static_cast<std::uint16_t>(to)) +
         word_delta(pattern_sum_[std::min(from, plan.covered)], pattern_sum_[std::min(to, plan.covered)]);
}

const std::uint8_t* Generator::make_any(std::uint8_t* slot, std::uint64_t tick, std::uint8_t* payload,
                                        std::uint32_t& length) noexcept {
  State state;
  std::memcpy(&state, slot, sizeof state);
  const Plan& plan = plans_[state.variant];
  const std::uint32_t token = load32(slot + plan.token_at);
  const bool fresh = (state.flags & kFresh) != 0;
  Activity activity = fresh ? Activity::spurt_start : Activity::talking;
  if (plan.has_speech) {
    activity = step_speech(plan, state, token, tick);
    if (activity == Activity::silent) {
      skip_interval(plan, slot);
      std::memcpy(slot, &state, sizeof state);
      length = 0;
      return payload;
    }
  }
  // After a talking packet without a mark the next one is plain; a mark must be taken off first.
  constexpr std::uint8_t kOnceOnly = kFresh | kPlainNext;
  state.flags = static_cast<std::uint8_t>((state.flags & ~kOnceOnly) |
                                          (plan.plain && activity == Activity::talking ? kPlainNext : 0));
  const Image image{slot, payload - maker_.stride_};
  copy_slot(image.copy, slot, maker_.stride_);
  std::memcpy(slot, &state, sizeof state);

  const std::uint64_t index = tick * kIndicesPerInterval;
  std::uint32_t delta = 0;
  if (plan.rtp) {
    const std::uint32_t at = plan.sequence_at;
    const std::uint8_t* h = slot + at;
    const std::uint16_t old_type = load16(h - 2), old_sequence = load16(h);
    const std::uint32_t old_timestamp = load32(h + 2);
    const bool marked =
        plan.marker == Marker::always || (plan.marker == Marker::spurt_start && activity == Activity::spurt_start);
    const auto type = static_cast<std::uint16_t>((old_type & 0xFF7F) | (marked ? 0x80 : 0));
    const auto sequence = static_cast<std::uint16_t>(old_sequence + (fresh ? 0 : 1));
    const std::uint32_t timestamp = old_timestamp + (fresh ? 0 : plan.timestamp_step);
    image.put16(at - 2, type);
    image.put16(at, sequence);
    image.put32(at + 2, timestamp);
    delta = word_delta(old_type, type) + word_delta(old_sequence, sequence) + long_delta(old_timestamp, timestamp);
  } else if (plan.echo && !fresh) {
    const std::uint16_t old = load16(slot + plan.sequence_at);
    const auto sequence = static_cast<std::uint16_t>(old + 1);
    image.put16(plan.sequence_at, sequence);
    delta = word_delta(old, sequence);
  }
  if (plan.esp && !fresh) image.put32(plan.sequence_at, load32(slot + plan.sequence_at) + 1);
  move_identifications(plan, image, token, index, fresh);
  if (plan.tcp && !fresh) {
    delta += move_tcp(plan, image, load16(slot + plan.length[0].at) - plan.length[0].base);
  }

  length = plan.shortest;
  if (plan.shortest != plan.longest) {
    length += traffic::scale_length(token, index, plan.longest - plan.shortest);
  }
  if (activity == Activity::silence_frame) length = plan.speech.silence->length;
  if (plan.lengths != 0) {
    const auto now = static_cast<std::uint32_t>(load16(slot + plan.length[0].at) - plan.length[0].base);
    if (now != length) delta += set_payload_length(plan, image, now, length);
  }
  if (plan.sum_at != 0 && delta != 0) {
    const std::uint16_t sum = checksum_update(load16(slot + plan.sum_at), delta);
    image.put16(plan.sum_at, sum == 0 && plan.sum_is_udp ? 0xFFFF : sum);
  }
  length += plan.header_length;
  return payload - plan.header_length;
}

}  // namespace headroom::load
