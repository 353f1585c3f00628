// SPDX-License-Identifier: Apache-2.0
#include "schemes/sigcomp/ports/sip_channel.h"

#include <algorithm>
#include <cstring>
#include <random>

#include "schemes/sigcomp/message_mark.h"

namespace headroom::sigcomp::ports {

using namespace node;

namespace {

constexpr unsigned kMostNacks = 16;  // for one message; an adapter that never stops must not hang the node

void count_received(std::span<const Frame> frames, Traffic& received) noexcept {
  std::uint64_t octets = 0;
  for (const Frame& frame : frames) octets += frame.length;
  received.add(frames.size(), octets);
}

OctetView packet_in(const Frame& frame, const FrameParts& parts) noexcept {
  return {frame.octets + parts.payload_at, parts.packet};
}

OctetView payload_in(const Frame& frame, const FrameParts& parts, const Datagram& datagram) noexcept {
  return {frame.octets + parts.payload_at + datagram.payload_at(), datagram.payload};
}

bool is_keep_alive(OctetView payload) noexcept {
  return std::all_of(payload.begin(), payload.end(), [](std::uint8_t octet) { return octet == '\r' || octet == '\n'; });
}

std::uint64_t random_salt() {
  std::random_device device;
  return std::uint64_t{device()} << 32 | device();
}

}  // namespace

std::optional<Address> user_of(OctetView packet, bool from_users) noexcept {
  const std::optional<Datagram> datagram = sip_datagram(packet);
  if (!datagram || is_keep_alive(packet.subspan(datagram->payload_at()))) return std::nullopt;
  return from_users ? datagram->source : datagram->destination;
}

// ---------------------------------------------------------------------------------------------------------- job

namespace {

class SipKind final : public ChannelKind {
 public:
  explicit SipKind(const SipUsers& users) : users_(users) {}

  [[nodiscard]] std::unique_ptr<Forwarder> make(const Job& job, const Place& place) const override {
    return std::make_unique<SipChannel>(job, users_, place.store, place.statistics);
  }

  // All messages of a user have one worker.
  [[nodiscard]] std::optional<std::uint64_t> owner_of(OctetView packet, bool from_plain) const noexcept override {
    const auto user = user_of(packet, from_plain == users_.on_plain);
    return user ? std::optional(hash_of(*user)) : std::nullopt;
  }

 private:
  SipUsers users_;
};

}  // namespace

std::shared_ptr<const ChannelKind> read_sip_channel(Object& job, const AdapterJob& endpoint) {
  SipUsers users;
  users.on_plain = job.required("users").choice({"link", "plain"}) == 1;
  if (endpoint.config.contains("compartments")) {
    Object settings(Value(endpoint.config, endpoint.where + "/config"));
    users.most = settings.integer("compartments", 1, 1u << 24, users.most);
  }
  return std::make_shared<SipKind>(users);
}

// -------------------------------------------------------------------------------------------------------- users

std::uint32_t Users::find(const Address& address) const {
  const auto found = by_address_.find(address);
  return found == by_address_.end() ? HEADROOM_NO_SESSION : found->second->compartment;
}

std::uint32_t Users::of(const Address& address) {
  if (const auto found = by_address_.find(address); found != by_address_.end()) {
    by_use_.splice(by_use_.begin(), by_use_, found->second);
    return found->second->compartment;
  }
  auto compartment = static_cast<std::uint32_t>(by_use_.size());
  if (by_use_.size() == most_) {
    compartment = by_use_.back().compartment;
    endpoint_.close(compartment);
    by_address_.erase(by_use_.back().address);
    by_use_.pop_back();
    statistics_.compartments.replaced.add();
  }
  endpoint_.open(compartment);
  statistics_.compartments.opened.add();
  by_use_.push_front({address, compartment});
  by_address_[address] = by_use_.begin();
  return compartment;
}

// ------------------------------------------------------------------------------------------------------ frames

SipChannel::SipChannel(const Job& job, const SipUsers& users, FrameStore& store, Statistics& statistics)
    : plain_mtu_(job.plain_mtu),
      link_mtu_(job.link_mtu),
      feedback_(job.feedback),
      users_on_plain_(users.on_plain),
      store_(store),
      statistics_(statistics),
      salt_(random_salt()),
      endpoint_(*job.endpoint, nullptr),
      room_(std::max(job.plain_mtu, job.link_mtu)),
      users_(endpoint_, users.most, statistics, salt_) {}

void SipChannel::to_link(std::span<Frame> frames, std::uint64_t now_ns, Outbox& link) {
  count_received(frames, statistics_.plain.received);
  for (Frame& frame : frames) {
    const FrameParts parts = find_parts(frame.view());
    if (parts.packet > plain_mtu_) {
      lose(frame, statistics_.too_long);
      continue;
    }
    auto datagram = parts.carries == Carries::ip ? sip_datagram(packet_in(frame, parts)) : std::nullopt;
    if (!datagram || is_keep_alive(payload_in(frame, parts, *datagram))) {
      pass(frame, parts, link_mtu_, link);
    } else if (kMessageMark.is_on(payload_in(frame, parts, *datagram))) {
      lose(frame, statistics_.malformed);  // the far end would take it for a message of this endpoint's
    } else {
      compress(frame, parts, *datagram, now_ns, link);
    }
  }
}

void SipChannel::compress(Frame& frame, const FrameParts& parts, Datagram& datagram, std::uint64_t now_ns,
                          Outbox& link) {
  const std::uint32_t compartment = users_.of(users_on_plain_ ? datagram.source : datagram.destination);
  // What would not fit must not be made: the compressor would rely on it.
  const MessageResult result = endpoint_.compress(payload_in(frame, parts, datagram), compartment, now_ns, room_,
                                                  room_for(frame, parts, datagram, link_mtu_));
  if (result.status != HEADROOM_OK || result.octets.empty()) {
    if (result.status == HEADROOM_ERR_NO_SPACE) {
      statistics_.passed_too_long.add();
    } else if (result.status < 0) {
      statistics_.compressor.add(result.status);
    }
    return pass(frame, parts, link_mtu_, link);
  }
  write(frame, parts, datagram, result.octets);
  // An endpoint may leave a message as it is, or copy it: such a message counts as passed.
  (kMessageMark.is_on(result.octets) ? statistics_.compressed : statistics_.passed).add();
  link.put(frame);
}

void SipChannel::to_plain(std::span<Frame> frames, std::uint64_t now_ns, Outbox& plain, Outbox& link) {
  count_received(frames, statistics_.link.received);
  for (Frame& frame : frames) {
    const FrameParts parts = find_parts(frame.view());
    if (parts.packet > link_mtu_) {
      lose(frame, statistics_.too_long);
      continue;
    }
    auto datagram = parts.carries == Carries::ip ? sip_datagram(packet_in(frame, parts)) : std::nullopt;
    if (datagram && kMessageMark.is_on(payload_in(frame, parts, *datagram))) {
      decompress(frame, parts, *datagram, now_ns, plain, link);
    } else {
      pass(frame, parts, plain_mtu_, plain);
    }
  }
}

void SipChannel::decompress(Frame& frame, const FrameParts& parts, Datagram& datagram, std::uint64_t now_ns,
                            Outbox& plain, Outbox& link) {
  const Address& user = users_on_plain_ ? datagram.destination : datagram.source;
  const MessageResult result = endpoint_.decompress(payload_in(frame, parts, datagram), source_number(datagram.source),
                                                    HEADROOM_NO_SESSION, now_ns, room_);
  if (result.status < 0) {
    statistics_.decompressor.add(result.status);
    send_nacks(frame, parts, datagram, link);
    return store_.give_back(frame);
  }
  // A sender whose message decompresses becomes a user; the sender of a NACK does not.
  const std::uint32_t compartment = result.status == HEADROOM_OK ? users_.of(user) : users_.find(user);
  if (compartment != HEADROOM_NO_SESSION && !endpoint_.accept(compartment) && result.status == HEADROOM_OK)
    statistics_.compartments.refused.add();
  if (result.status != HEADROOM_OK || result.octets.empty()) return lose(frame, statistics_.consumed);
  if (result.octets.size() > room_for(frame, parts, datagram, plain_mtu_)) return lose(frame, statistics_.too_long);
  write(frame, parts, datagram, result.octets);
  statistics_.decompressed.add();
  plain.put(frame);
}

// RFC 4077: what could not be decompressed is answered to where it came from.
void SipChannel::send_nacks(const Frame& frame, const FrameParts& parts, const Datagram& datagram, Outbox& link) {
  OctetView nack = endpoint_.take_reverse();
  for (unsigned count = 0; !nack.empty(); nack = endpoint_.take_reverse()) {
    if (++count > kMostNacks)
      throw PromiseBroken(endpoint_.instance(), "take_reverse", "it never stops returning packets.");
    Frame answer;
    if (feedback_ == Feedback::none || !store_.take(answer)) {
      statistics_.feedback.discarded.add();
      continue;
    }
    Datagram back = datagram;
    if (nack.size() > room_for(answer, parts, back, link_mtu_)) {
      statistics_.feedback.discarded.add();
      store_.give_back(answer);
      continue;
    }
    std::memcpy(answer.octets, frame.octets, parts.payload_at + back.payload_at());
    std::swap_ranges(answer.octets, answer.octets + kMacs / 2, answer.octets + kMacs / 2);
    turn_round(answer.octets + parts.payload_at, back);
    write(answer, parts, back, nack);
    statistics_.feedback.sent.add();
    link.put(answer);
  }
}

std::uint32_t SipChannel::room_for(const Frame& frame, const FrameParts& parts, const Datagram& datagram,
                                   std::uint32_t mtu) noexcept {
  const std::uint32_t packet = std::min(mtu, frame.room - std::min(frame.room, parts.payload_at));
  return packet - std::min(packet, datagram.payload_at());
}

// The result is not 0, which means an unknown source.
std::uint32_t SipChannel::source_number(const Address& address) const noexcept {
  const auto number = static_cast<std::uint32_t>(hash_of(address, salt_));
  return number == 0 ? 1 : number;
}

void SipChannel::write(Frame& frame, const FrameParts& parts, Datagram& datagram, OctetView payload) noexcept {
  std::uint8_t* const packet = frame.octets + parts.payload_at;
  std::memcpy(packet + datagram.payload_at(), payload.data(), payload.size());
  set_payload(packet, datagram, static_cast<std::uint32_t>(payload.size()));
  frame.length = parts.payload_at + datagram.payload_at() + datagram.payload;
}

void SipChannel::pass(const Frame& frame, const FrameParts& parts, std::uint32_t mtu, Outbox& out) noexcept {
  if (parts.packet > mtu) return lose(frame, statistics_.too_long);
  statistics_.passed.add();
  out.put(frame);
}

void SipChannel::lose(const Frame& frame, io::Counter& cause) noexcept {
  cause.add();
  store_.give_back(frame);
}

}  // namespace headroom::sigcomp::ports
