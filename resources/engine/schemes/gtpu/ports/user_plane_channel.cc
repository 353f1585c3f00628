// SPDX-License-Identifier: Apache-2.0
#include "schemes/gtpu/ports/user_plane_channel.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "schemes/gtpu/ports/inner_address.h"
#include "schemes/gtpu/ports/n4_datagram.h"

namespace headroom::gtpu::ports {

using namespace node;

namespace {

constexpr std::uint64_t kRequestIntervalNs = 10'000'000;  // between two requests for addresses on one side
constexpr unsigned kMostTaken = 65'536;  // in a row; an adapter that never stops must not hang the node

std::uint64_t octets_of(std::span<const Frame> frames) noexcept {
  std::uint64_t octets = 0;
  for (const Frame& frame : frames) octets += frame.length;
  return octets;
}

headroom_user_packet packet_in(const Frame& frame, const FrameParts& parts, std::int32_t side) noexcept {
  // An Ethernet header has to fit in front of what is sent.
  const std::uint32_t before = frame.front + parts.payload_at - kHeader;
  const std::uint32_t behind = frame.room - parts.payload_at - parts.packet;
  const auto cut = [](std::uint32_t octets) { return static_cast<std::uint16_t>(std::min(octets, 0xFFFFu)); };
  return {.octets = frame.octets + parts.payload_at,
          .length = parts.packet,
          .room_before = cut(before),
          .room_behind = cut(behind),
          .side = side,
          .status = kNoStatus,
          .reason = HEADROOM_REASON_NONE,
          .reserved = 0,
          .more = 0};
}

bool has_room(const headroom_user_packet& packet) noexcept {
  return packet.room_before >= HEADROOM_USER_PLANE_ROOM && packet.room_behind >= HEADROOM_USER_PLANE_ROOM;
}

}  // namespace

UserPlaneChannel::UserPlaneChannel(const Job& job, const UserPlaneJob& sides, std::shared_ptr<SharedUserPlane> shared,
                                   const Place& place)
    : shared_(std::move(shared)),
      functions_(shared_->workers.functions()),
      worker_(shared_->workers.worker(place.number)),
      is_first_(place.number == 0),
      n4_(shared_->workers.has_n4() ? sides.n4 : std::nullopt),
      n9_(sides.n9),
      store_(place.store),
      statistics_(place.statistics),
      n3_{sides.n3, shared_->n3, place.link, job.link_mtu},
      n6_{sides.n6, shared_->n6, place.plain, job.plain_mtu},
      room_(HEADROOM_USER_PLANE_MAX) {
  packets_.reserve(job.burst);
  given_.reserve(job.burst);
  forwarded_.reserve(job.burst);
}

void UserPlaneChannel::to_link(std::span<Frame> frames, std::uint64_t now_ns, Outbox& link) {
  statistics_.plain.received.add(frames.size(), octets_of(frames));
  n3_.outbox = &link;
  n6_.outbox = nullptr;
  forward(frames, n6_, HEADROOM_N6, now_ns);
}

void UserPlaneChannel::to_plain(std::span<Frame> frames, std::uint64_t now_ns, Outbox& plain, Outbox& link) {
  statistics_.link.received.add(frames.size(), octets_of(frames));
  n3_.outbox = &link;
  n6_.outbox = &plain;
  forward(frames, n3_, HEADROOM_N3, now_ns);
}

void UserPlaneChannel::act(std::uint64_t now_ns, Outbox& plain, Outbox& link) {
  n3_.outbox = &link;
  n6_.outbox = &plain;
  for (Side* const side : {&n3_, &n6_}) {
    for (const Frame& frame : side->waiting) put(frame, *side);
    side->waiting.clear();
  }
  const headroom_api& api = shared_->workers.instance().api();
  if (api.next_deadline != nullptr && api.next_deadline(worker_) <= now_ns) take_packets(now_ns);
  if (is_first_ && functions_.n4_deadline != nullptr && functions_.n4_deadline(worker_) <= now_ns) take_n4(now_ns);
}

void UserPlaneChannel::forward(std::span<Frame> frames, Side& from, std::int32_t side, std::uint64_t now_ns) {
  packets_.clear();
  forwarded_.clear();
  for (Frame& frame : frames) {
    if (take_for_node(frame, from, now_ns)) continue;
    const FrameParts parts = find_parts(frame.view());
    if (parts.carries != Carries::ip) {
      lose(frame, statistics_.malformed);
      continue;
    }
    headroom_user_packet packet = packet_in(frame, parts, side);
    if (!has_room(packet)) {
      lose(frame, statistics_.too_long);
      continue;
    }
    if (side == HEADROOM_N3) {
      const OctetView outer(packet.octets, packet.length);
      from.neighbours.learn(source_of(outer), mac_of_sender(frame));
      packet.side = side_to(outer);
    }
    packets_.push_back(packet);
    forwarded_.push_back(frame);
  }
  if (packets_.empty()) return;
  given_ = packets_;
  call_safely(HEADROOM_USER_PLANE, "forward",
              [&] { forward_in_adapter(functions_.forward, worker_, packets_.data(), packets_.size(), now_ns); });
  bool has_more = false;
  for (std::size_t i = 0; i < packets_.size(); ++i) {
    if (const std::string defect = forward_defect(given_[i], packets_[i]); !defect.empty())
      throw PromiseBroken(HEADROOM_USER_PLANE, "forward", defect);
    has_more |= packets_[i].more != 0;
    send_forwarded(forwarded_[i], packets_[i], now_ns);
  }
  if (has_more) take_packets(now_ns);
  if (is_first_ && n4_) take_n4(now_ns);
}

headroom_side UserPlaneChannel::side_to(OctetView packet) const noexcept {
  if (n9_.empty()) return HEADROOM_N3;
  return std::ranges::find(n9_, destination_of(packet)) != n9_.end() ? HEADROOM_N9 : HEADROOM_N3;
}

// Address resolution, and N4. True if the frame was one of these, and is gone.
bool UserPlaneChannel::take_for_node(Frame& frame, Side& from, std::uint64_t now_ns) {
  switch (resolve(frame, from.job.own, from.mac, from.neighbours)) {
    case Resolution::answered:
      put(frame, from);
      return true;
    case Resolution::consumed:
      store_.give_back(frame);
      return true;
    case Resolution::none:
      break;
  }
  if (!is_first_ || !n4_) return false;
  const FrameParts parts = find_parts(frame.view());
  if (parts.carries != Carries::ip || !is_n4({frame.octets + parts.payload_at, parts.packet}, *n4_)) return false;
  from.neighbours.learn(source_of({frame.octets + parts.payload_at, parts.packet}), mac_of_sender(frame));
  handle_n4(frame, parts, now_ns);
  store_.give_back(frame);
  return true;
}

void UserPlaneChannel::handle_n4(const Frame& frame, const FrameParts& parts, std::uint64_t now_ns) {
  const N4Message received = read_n4({frame.octets + parts.payload_at, parts.packet});
  std::ranges::copy(received.octets, room_.begin());
  headroom_n4_message message = {};
  message.octets = room_.data();
  message.length = message.capacity = static_cast<std::uint32_t>(received.octets.size());
  std::ranges::copy(received.peer, message.peer);
  message.port = received.port;
  call_safely(HEADROOM_USER_PLANE, "n4", [&] { functions_.n4(worker_, &message, now_ns); });
  take_packets(now_ns);
  take_n4(now_ns);
}

void UserPlaneChannel::send_forwarded(Frame& frame, const headroom_user_packet& packet, std::uint64_t now_ns) {
  if (packet.status != HEADROOM_OK) {
    if (packet.status == HEADROOM_NOTHING) return lose(frame, statistics_.consumed);
    (packet.side == HEADROOM_N6 ? statistics_.compressor : statistics_.decompressor).add(packet.status);
    return store_.give_back(frame);
  }
  Side& to = side_of(packet.side);
  if (packet.length > to.mtu) return lose(frame, statistics_.too_long);
  (packet.side == HEADROOM_N6 ? statistics_.decompressed : statistics_.compressed).add();
  // The frame begins an Ethernet header in front of the packet, wherever that is now.
  const auto moved = static_cast<std::int32_t>(packet.octets - kHeader - frame.octets);
  frame.octets = packet.octets - kHeader;
  frame.front = static_cast<std::uint32_t>(static_cast<std::int32_t>(frame.front) + moved);
  frame.room = static_cast<std::uint32_t>(static_cast<std::int32_t>(frame.room) - moved);
  frame.length = kHeader + packet.length;
  send(frame, to, now_ns);
}

void UserPlaneChannel::take_packets(std::uint64_t now_ns) {
  for (unsigned taken = 0; taken < kMostTaken; ++taken) {
    headroom_user_packet packet = {};
    packet.octets = room_.data();
    packet.length = static_cast<std::uint32_t>(room_.size());
    packet.status = kNoStatus;
    const headroom_user_packet given = packet;
    const std::size_t count =
        call_safely(HEADROOM_USER_PLANE, "take", [&] { return functions_.take(worker_, &packet, 1, now_ns); });
    if (count == 0) return;
    const std::string defect =
        count > 1 ? "it returned more packets than there was room for." : take_defect(given, packet);
    if (!defect.empty()) throw PromiseBroken(HEADROOM_USER_PLANE, "take", defect);
    send_copy({packet.octets, packet.length}, side_of(packet.side), now_ns);
  }
  throw PromiseBroken(HEADROOM_USER_PLANE, "take", "it never stops returning packets.");
}

void UserPlaneChannel::take_n4(std::uint64_t now_ns) {
  if (functions_.take_n4 == nullptr || !n4_) return;
  for (unsigned taken = 0; taken < kMostTaken; ++taken) {
    headroom_n4_message message = {};
    message.octets = room_.data();
    message.capacity = static_cast<std::uint32_t>(room_.size());
    const std::int32_t has_one =
        call_safely(HEADROOM_USER_PLANE, "take_n4", [&] { return functions_.take_n4(worker_, &message, now_ns); });
    if (has_one == 0) return;
    if (message.length > room_.size())
      throw PromiseBroken(HEADROOM_USER_PLANE, "take_n4", "the message is longer than the room for it.");
    Address peer;
    std::ranges::copy(message.peer, peer.begin());
    const std::optional<Octets> packet = write_n4(*n4_, peer, message.port, {message.octets, message.length});
    // The control plane may be on either side: where it was heard of.
    if (packet) send_copy(*packet, n3_.neighbours.find(peer) ? n3_ : n6_, now_ns);
  }
  throw PromiseBroken(HEADROOM_USER_PLANE, "take_n4", "it never stops returning messages.");
}

void UserPlaneChannel::send_copy(OctetView packet, Side& to, std::uint64_t now_ns) {
  Frame frame;
  if (packet.size() > to.mtu) return statistics_.too_long.add();
  if (!store_.take(frame)) return statistics_.no_memory.add();
  std::ranges::copy(packet, frame.octets + kHeader);
  frame.length = kHeader + static_cast<std::uint32_t>(packet.size());
  send(frame, to, now_ns);
}

void UserPlaneChannel::send(Frame& frame, Side& to, std::uint64_t now_ns) {
  const OctetView packet(frame.octets + kHeader, frame.length - kHeader);
  const Address next = to.job.next_hop.value_or(destination_of(packet));
  const std::optional<MacAddress> mac = to.neighbours.find(next);
  if (!mac) {
    ask(next, to, now_ns);
    return lose(frame, statistics_.no_neighbour);
  }
  std::ranges::copy(*mac, frame.octets);
  std::ranges::copy(to.mac, frame.octets + mac->size());
  store16(frame.octets + kMacs, packet[0] >> 4 == 6 ? kEtherTypeIpv6 : kEtherTypeIpv4);
  put(frame, to);
}

void UserPlaneChannel::ask(const Address& wanted, Side& to, std::uint64_t now_ns) {
  const auto is_family = [&](const Address& one) { return is_ipv4(one) == is_ipv4(wanted); };
  const auto own = std::ranges::find_if(to.job.own, is_family);
  Frame frame;
  if (own == to.job.own.end() || now_ns < to.next_request_ns || !store_.take(frame)) return;
  to.next_request_ns = now_ns + kRequestIntervalNs;
  write_request(frame, *own, to.mac, wanted);
  put(frame, to);
}

void UserPlaneChannel::put(const Frame& frame, Side& to) {
  if (to.outbox != nullptr) return to.outbox->put(frame);
  to.waiting.push_back(frame);
}

void UserPlaneChannel::lose(const Frame& frame, io::Counter& cause) noexcept {
  cause.add();
  store_.give_back(frame);
}

}  // namespace headroom::gtpu::ports
