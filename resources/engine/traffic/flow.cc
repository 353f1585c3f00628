// SPDX-License-Identifier: Apache-2.0
#include "traffic/flow.h"

#include <algorithm>
#include <utility>

namespace headroom::traffic {
namespace {

constexpr std::uint64_t kFrameIndices = 64;  // packet numbers that one interval may use for its draws

std::unique_ptr<Link> make_before(const BeforeCompressor& before, std::uint64_t seed) {
  if (!before.any()) return nullptr;
  Impairment impairment;
  impairment.loss = before.loss;
  impairment.duplicate = before.duplicate;
  impairment.reorder = before.reorder;
  return std::make_unique<Link>(std::move(impairment), seed);
}

}  // namespace

std::uint32_t SpeechState::duration(const Speech& speech, const Timing& timing, std::uint32_t token, std::uint64_t n,
                                    bool talking) noexcept {
  const std::uint64_t draw = packet_draw(token, talking ? Purpose::spurt : Purpose::pause, n);
  const std::uint64_t us = exponential(draw, talking ? speech.spurt_mean_us : speech.pause_mean_us);
  const std::uint64_t intervals = (us + timing.interval_us / 2) / timing.interval_us;
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(intervals, 1, kLongest));
}

SpeechState::Activity SpeechState::step(const Speech& speech, const Timing& timing, std::uint32_t token,
                                        std::uint64_t n) noexcept {
  bool starts = false;
  if (remaining_ == 0) {
    talking_ = !talking_;
    starts = talking_;
    remaining_ = duration(speech, timing, token, n, talking_);
    in_pause_ = 0;
  }
  --remaining_;
  if (talking_) return starts ? Activity::spurt_start : Activity::talking;
  const bool frame = speech.silence && in_pause_ == 0;
  if (speech.silence && ++in_pause_ == speech.silence->every) in_pause_ = 0;
  return frame ? Activity::silence_frame : Activity::silent;
}

Flow::Flow(const Profile& profile, std::uint64_t number, std::uint64_t seed, FlowOptions options)
    : variant_(profile.variants[profile.variant_of(number)]),
      number_(number),
      options_(options),
      identity_(make_identity(variant_, number, seed, options.reverse)),
      before_(make_before(variant_.before, derive(identity_.token, 0x6265666F7265))) {
  moment_.sequence = identity_.sequence;
  moment_.timestamp = identity_.timestamp;
  moment_.esp_sequence = identity_.esp_sequence;
  moment_.tcp_sequence = identity_.tcp_sequence;
  for (std::size_t i = 0; i < variant_.headers.size(); ++i) counters_[i] = identity_.headers[i].identification;
  if (variant_.connections) connection_.emplace(derive(identity_.token, 0x636F6E6E656374));
}

const Rtp* Flow::rtp() const noexcept { return std::get_if<Rtp>(&variant_.headers.back()); }

void Flow::advance(std::vector<FlowPacket>& packets) {
  const std::uint64_t n = interval_++;
  const std::uint64_t begin_ns = next_time_ns();
  next_us_ += variant_.timing.exponential
                  ? std::max<std::uint64_t>(1, exponential(packet_draw(identity_.token, Purpose::interval, n),
                                                           static_cast<std::uint32_t>(variant_.timing.interval_us)))
                  : variant_.timing.interval_us;
  if (connection_) {
    advance_connection(begin_ns, n * kFrameIndices, packets);
    return;
  }
  std::uint32_t count = 1;
  if (const Rtp* r = rtp(); r != nullptr) {
    count = r->frame_fewest + scale(packet_draw(identity_.token, Purpose::frame, n), r->frame_most - r->frame_fewest);
  }
  std::optional<std::uint32_t> length;  // of a silence frame
  bool spurt_start = n == 0;
  if (variant_.speech) {
    const SpeechState::Activity activity = speech_.step(*variant_.speech, variant_.timing, identity_.token, n);
    spurt_start = activity == SpeechState::Activity::spurt_start;
    if (activity == SpeechState::Activity::silent) count = 0;
    if (activity == SpeechState::Activity::silence_frame) {
      count = 1;
      length = variant_.speech->silence->length;
    }
  }
  const std::uint64_t spacing_ns =
      count <= 1 ? 0 : std::max<std::uint64_t>(1, variant_.timing.interval_us / (2 * count)) * 1000;
  for (std::uint32_t j = 0; j < count; ++j) {
    apply_changes();
    const std::uint64_t index = n * kFrameIndices + j;
    bool marker = false;
    if (const Rtp* r = rtp(); r != nullptr) {
      marker = r->marker == Marker::always || (r->marker == Marker::spurt_start && spurt_start && j == 0) ||
               (r->marker == Marker::frame_end && j + 1 == count) ||
               (r->marker_every != 0 && (packet_ + 1) % r->marker_every == 0) || std::exchange(marker_once_, false);
    }
    make_packet(begin_ns + j * spacing_ns, index, length.value_or(payload_length(index)), marker, packets);
  }
  if (const Rtp* r = rtp(); r != nullptr) moment_.timestamp += r->timestamp_step;
}

void Flow::advance_connection(std::uint64_t time_ns, std::uint64_t index, std::vector<FlowPacket>& packets) {
  const ConnectionPacket next =
      connection_->next(variant_, packet_draw(identity_.token, Purpose::direction, index), payload_length(index));
  if (next.begins) {
    connection_->set_ends(variant_, options_.reverse, identity_);
    const std::size_t ip = variant_.headers.size() - 2;
    counters_[ip] = identity_.headers[ip].identification;
  }
  if (next.reverse != options_.reverse) return;
  if (auto* tcp = std::get_if<Tcp>(&variant_.headers.back())) {
    tcp->flags = next.flags;
    moment_.tcp_sequence = next.sequence;
    identity_.tcp_acknowledgement = next.acknowledgement;
  }
  is_request_ = next.is_request;
  make_packet(time_ns, index, next.length, false, packets);
}

void Flow::make_packet(std::uint64_t time_ns, std::uint64_t index, std::uint32_t payload_length, bool marker,
                       std::vector<FlowPacket>& packets) {
  if (variant_.timing.jitter_us != 0) {
    const std::uint64_t draw = packet_draw(identity_.token, Purpose::jitter, index);
    time_ns += std::uint64_t{scale(draw, static_cast<std::uint32_t>(variant_.timing.jitter_us))} * 1000;
  }
  last_ns_ = std::max(last_ns_, time_ns);  // jitter never lets a packet overtake the one before it
  move_identifications(index);
  moment_.number = static_cast<std::uint32_t>(packet_);
  moment_.marker = marker;
  moment_.coverage_draw = packet_draw(identity_.token, Purpose::coverage, index);
  const Octets content = payload(index, payload_length);
  const Octets packet = build_packet(variant_.headers, identity_, moment_, content);
  const std::size_t header_length = packet.size() - content.size() - (rtp() == nullptr ? 0 : rtp()->padding);
  ++moment_.sequence;
  ++moment_.esp_sequence;
  moment_.tcp_sequence += payload_length;  // RFC 793, 3.3: it counts octets
  ++packet_;
  const auto* ip = std::get_if<Ipv4>(&variant_.headers.front());
  if (ip == nullptr || ip->fragment_at == 0) {
    pass_on({last_ns_, packet, static_cast<std::uint32_t>(header_length)}, packets);
    return;
  }
  for (Octets& piece : fragment(packet, ip->fragment_at)) {
    const auto piece_header = static_cast<std::uint32_t>((piece[0] & 0x0F) * 4);
    pass_on({last_ns_, std::move(piece), piece_header}, packets);
  }
}

void Flow::pass_on(FlowPacket packet, std::vector<FlowPacket>& packets) {
  if (before_ == nullptr) {
    packets.push_back(std::move(packet));
    return;
  }
  std::vector<Delivery> deliveries;
  const std::uint64_t time_ns = packet.time_ns;
  before_->send({std::move(packet.octets), 0, packet.header_length, 0}, time_ns, deliveries);
  for (Delivery& delivery : deliveries) {
    packets.push_back({delivery.time_ns, std::move(delivery.packet.octets), delivery.packet.header_length});
  }
}

Octets Flow::payload(std::uint64_t index, std::uint32_t length) const {
  if (is_request_) return {connection_->request().begin(), connection_->request().end()};
  Octets content(length);
  if (variant_.payload.random && !options_.pattern_payload) {
    Xoshiro256 random(packet_draw(identity_.token, Purpose::payload, index));
    for (std::uint32_t i = 0; i < length; i += 8) {
      const std::uint64_t draw = random.next();
      for (std::uint32_t j = i; j < std::min(i + 8, length); ++j)
        content[j] = static_cast<std::uint8_t>(draw >> (8 * (j - i)));
    }
  } else {
    for (std::uint32_t i = 0; i < length; ++i) content[i] = pattern_octet(i);
  }
  return content;
}

std::uint32_t Flow::payload_length(std::uint64_t index) const {
  const Payload& payload = variant_.payload;
  if (!payload.mix.empty()) return mixed_length(identity_.token, index, payload);
  if (payload.shortest == payload.longest) return payload.shortest;
  return payload.shortest + scale_length(identity_.token, index, payload.longest - payload.shortest);
}

void Flow::move_identifications(std::uint64_t index) {
  for (std::size_t i = 0; i < variant_.headers.size(); ++i) {
    const auto* ip = std::get_if<Ipv4>(&variant_.headers[i]);
    if (ip == nullptr) continue;
    if (packet_ != 0) {
      counters_[i] = static_cast<std::uint16_t>(
          counters_[i] + identification_step(identity_.token, index, i, Chance(ip->identification_jumps.probability),
                                             ip->identification_jumps.most));
    }
    std::uint16_t& field = moment_.identification[i];
    switch (ip->identification) {
      case IpIdBehaviour::sequential:
        field = counters_[i];
        break;
      case IpIdBehaviour::swapped:
        field = swap_octets(counters_[i]);
        break;
      case IpIdBehaviour::random:
        field = static_cast<std::uint16_t>(packet_draw(identity_.token, Purpose::identification, index, i) >> 48);
        break;
      case IpIdBehaviour::constant:
        field = identity_.headers[i].identification;
        break;
      case IpIdBehaviour::zero:
        field = 0;
        break;
    }
  }
}

void Flow::apply_changes() {
  using Field = Change::Field;
  for (; next_change_ < variant_.changes.size() && variant_.changes[next_change_].packet <= packet_; ++next_change_) {
    const Change& change = variant_.changes[next_change_];
    Header& header = variant_.headers[change.header];
    const auto octet = static_cast<std::uint8_t>(change.value);
    switch (change.field) {
      case Field::tos:
        std::get<Ipv4>(header).tos = octet;
        break;
      case Field::ttl:
        std::get<Ipv4>(header).ttl = octet;
        break;
      case Field::dont_fragment:
        std::get<Ipv4>(header).dont_fragment = change.value != 0;
        break;
      case Field::identification:
        std::get<Ipv4>(header).identification = static_cast<IpIdBehaviour>(change.value);
        break;
      case Field::traffic_class:
        std::get<Ipv6>(header).traffic_class = octet;
        break;
      case Field::hop_limit:
        std::get<Ipv6>(header).hop_limit = octet;
        break;
      case Field::flow_label:
        std::get<Ipv6>(header).flow_label_per_flow = false;
        std::get<Ipv6>(header).flow_label = change.value;
        break;
      case Field::checksum:
        std::get<Udp>(header).checksum = change.value != 0;
        break;
      case Field::payload_type:
        std::get<Rtp>(header).payload_type = octet;
        break;
      case Field::csrc_count:
        std::get<Rtp>(header).csrc_count = octet;
        break;
      case Field::timestamp_step:
        std::get<Rtp>(header).timestamp_step = change.value;
        break;
      case Field::advance_sequence:
        moment_.sequence = static_cast<std::uint16_t>(moment_.sequence + change.value);
        moment_.esp_sequence += change.value;
        moment_.tcp_sequence += change.value;
        break;
      case Field::advance_acknowledgement:
        moment_.tcp_acknowledged += change.value;
        break;
      case Field::window:
        std::get<Tcp>(header).window = static_cast<std::uint16_t>(change.value);
        break;
      case Field::flags:
        std::get<Tcp>(header).flags = octet;
        break;
      case Field::urgent_pointer:
        std::get<Tcp>(header).urgent_pointer = static_cast<std::uint16_t>(change.value);
        break;
      case Field::advance_timestamp:
        moment_.timestamp += change.value;
        break;
      case Field::padding:
        std::get<Rtp>(header).padding = octet;
        break;
      case Field::marker_once:
        marker_once_ = change.value != 0;
        break;
      case Field::coverage:
        std::get<UdpLite>(header).coverage = change.value;
        break;
      case Field::payload_length:
        variant_.payload.mix.clear();
        variant_.payload.shortest = variant_.payload.longest = change.value;
        break;
    }
  }
}

}  // namespace headroom::traffic
