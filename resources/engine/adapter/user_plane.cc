// SPDX-License-Identifier: Apache-2.0
#include "adapter/user_plane.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "base/nth.h"

namespace headroom {
namespace {

constexpr const char* kForward = "user-plane.forward";
constexpr const char* kTake = "user-plane.take";
constexpr const char* kN4 = "user-plane.n4";
constexpr const char* kTakeN4 = "user-plane.take_n4";
constexpr std::size_t kSentenceCapacity = 1024;
constexpr std::size_t kMostTaken = 100'000;  // more than any buffer of packets holds for one call
constexpr std::size_t kTakenAtOnce = 4;      // records of one call of `take`

[[noreturn]] void broken(const char* function, const std::string& sentence) {
  throw PromiseBroken(HEADROOM_USER_PLANE, function, sentence);
}

std::string side_defect(std::int32_t side) {
  if (*name_of_side(side) != '\0') return {};
  return "it gave a packet the side " + std::to_string(side) + ", which the ABI does not know.";
}

std::string status_defect(std::int32_t status) {
  if (status == kNoStatus) return "it left a packet without a status.";
  switch (status) {
    case HEADROOM_OK:
    case HEADROOM_NOTHING:
    case HEADROOM_ERR_MALFORMED:
    case HEADROOM_ERR_UNSUPPORTED:
      return {};
    default:
      return "it gave the status " + std::to_string(status) + ", which no packet of a user plane has.";
  }
}

}  // namespace

const char* name_of_side(std::int32_t side) noexcept {
  switch (side) {
    case HEADROOM_N3:
      return "N3";
    case HEADROOM_N6:
      return "N6";
    case HEADROOM_N9:
      return "N9";
    default:
      return "";
  }
}

const char* name_of_reason(std::uint16_t reason) noexcept {
  static constexpr const char* kNames[] = {"none", "no-session", "no-rule",  "rule",     "gate",
                                           "rate", "quota",      "buffered", "answered", "consumed"};
  return reason < std::size(kNames) ? kNames[reason] : "";
}

std::string forward_defect(const headroom_user_packet& given, const headroom_user_packet& outcome) {
  if (std::string defect = status_defect(outcome.status); !defect.empty()) return defect;
  if (outcome.room_before != given.room_before || outcome.room_behind != given.room_behind)
    return "it changed the room of a packet, which stays as it is.";
  if (outcome.status == HEADROOM_NOTHING && *name_of_reason(outcome.reason) == '\0')
    return "it gave the reason " + std::to_string(outcome.reason) + ", which the ABI does not know.";
  if (outcome.status != HEADROOM_OK) return {};
  if (std::string defect = side_defect(outcome.side); !defect.empty()) return defect;
  if (outcome.length == 0) return "it claims success with no octet to send.";
  if (outcome.length > HEADROOM_USER_PLANE_MAX)
    return "it claims a packet of " + std::to_string(outcome.length) + " octets; no IP packet is so long.";
  // As numbers, because a pointer of the adapter's may point anywhere.
  const auto first = reinterpret_cast<std::uintptr_t>(given.octets - given.room_before);
  const auto end = reinterpret_cast<std::uintptr_t>(given.octets + given.length + given.room_behind);
  const auto at = reinterpret_cast<std::uintptr_t>(outcome.octets);
  if (at < first || at > end) return "it moved a packet to an address outside of the packet's room.";
  if (outcome.length > end - at) {
    return "it claims a packet of " + std::to_string(outcome.length) + " octets, of which " +
           std::to_string(outcome.length - (end - at)) + " lie behind the packet's room.";
  }
  return {};
}

std::string take_defect(const headroom_user_packet& given, const headroom_user_packet& taken) {
  if (taken.status != HEADROOM_OK)
    return "it gave the status " + std::to_string(taken.status) + "; what waits is to be sent.";
  if (taken.octets != given.octets) return "it moved a packet, which it is to copy.";
  if (taken.length == 0) return "it claims a packet with no octet.";
  if (taken.length > given.length) {
    return "it claims a packet of " + std::to_string(taken.length) + " octets in a buffer of " +
           std::to_string(given.length) + ".";
  }
  return side_defect(taken.side);
}

void require_user_plane(const Instance& instance, const std::string& where) {
  if (instance.library().user_plane() != nullptr) return;
  throw Error(ErrorKind::adapter,
              "the adapter " + instance.path() +
                  " offers a user plane, but lacks the extension \"" HEADROOM_USER_PLANE_EXTENSION "\".",
              where);
}

// ---------------------------------------------------------------------------------------------------- workers

UserPlaneWorkers::UserPlaneWorkers(const AdapterJob& job, std::size_t workers) : first_(job, HEADROOM_USER_PLANE) {
  require_user_plane(first_, job.where);
  for (const Json& entry : first_.description().document["schemes"]) {
    if (entry["scheme"] == job.scheme) description_ = &entry;
  }
  workers_.push_back(first_.self());
  try {
    while (workers_.size() < workers) add_worker();
  } catch (...) {
    for (std::size_t i = workers_.size(); i-- > 1;) first_.api().destroy(workers_[i]);
    throw;
  }
}

void UserPlaneWorkers::control(const std::string& message) const {
  const headroom_api& api = first_.api();
  std::string sentence(kSentenceCapacity, '\0');
  for (headroom_instance* const worker : workers_) {
    const bool understood =
        api.control != nullptr && call_safely(HEADROOM_USER_PLANE, "control", [&] {
                                    return api.control(worker, message.c_str(), sentence.data(), sentence.size());
                                  }) == 1;
    if (understood) continue;
    sentence.resize(strnlen(sentence.data(), sentence.size()));
    throw Error(ErrorKind::adapter, "the adapter " + first_.path() + " does not understand the message " + message +
                                        ": " +
                                        (api.control == nullptr ? "it has no control function."
                                         : sentence.empty()     ? "it gives no reason, against its promise."
                                                                : sentence));
  }
}

void UserPlaneWorkers::destroy_in(std::span<const std::size_t> indices) {
  for (const std::size_t index : indices) {
    headroom_instance* const worker = index == 0 ? first_.release() : workers_[index];
    call_safely(HEADROOM_USER_PLANE, "destroy", [&] { first_.api().destroy(worker); });
  }
  workers_.clear();
}

UserPlaneWorkers::~UserPlaneWorkers() {
  for (std::size_t i = workers_.size(); i-- > 1;) first_.api().destroy(workers_[i]);
}

void UserPlaneWorkers::add_worker() {
  std::string sentence(kSentenceCapacity, '\0');
  headroom_instance* const added = call_safely(HEADROOM_USER_PLANE, "user-plane.add_worker", [&] {
    return functions().add_worker(first(), sentence.data(), sentence.size());
  });
  if (added != nullptr) {
    workers_.push_back(added);
    return;
  }
  sentence.resize(strnlen(sentence.data(), sentence.size()));
  throw Error(ErrorKind::adapter, "the adapter " + first_.path() + " makes no worker " +
                                      std::to_string(workers_.size() + 1) + ": " +
                                      (sentence.empty() ? "it gives no reason, against its promise." : sentence));
}

// ------------------------------------------------------------------------------------------------------ calls

CheckedUserPlane::CheckedUserPlane(const AdapterJob& job, std::size_t workers, std::uint16_t room)
    : workers_(job, workers), room_(room), rooms_(workers) {}

std::vector<ForwardOutcome> CheckedUserPlane::forward(std::size_t worker, std::span<const UserPacket> packets,
                                                      std::uint64_t now_ns) {
  Room& room = rooms_[worker];
  const auto whole = [&](std::size_t length) { return length + 2 * std::size_t{room_}; };
  std::size_t octets = 0;
  for (const UserPacket& packet : packets) octets += whole(packet.octets.size());
  room.buffers.reset(packets.size(), octets);
  room.given.clear();
  for (const UserPacket& packet : packets) {
    std::uint8_t* const at = room.buffers.add(whole(packet.octets.size())) + room_;
    std::copy(packet.octets.begin(), packet.octets.end(), at);
    room.given.push_back({.octets = at,
                          .length = static_cast<std::uint32_t>(packet.octets.size()),
                          .room_before = room_,
                          .room_behind = room_,
                          .side = packet.side,
                          .status = kNoStatus,
                          .reason = 0,
                          .reserved = 0,
                          .more = 0});
  }
  room.packets = room.given;
  call_safely(HEADROOM_USER_PLANE, kForward, [&] {
    workers_.functions().forward(workers_.worker(worker), room.packets.data(), room.packets.size(), now_ns);
  });
  std::vector<ForwardOutcome> outcomes;
  outcomes.reserve(packets.size());
  for (std::size_t i = 0; i < packets.size(); ++i) {
    const headroom_user_packet& given = room.given[i];
    const headroom_user_packet& packet = room.packets[i];
    if (!Buffers::are_fences_whole(given.octets - room_, whole(given.length)))
      broken(kForward, "it wrote outside of the room of " + nth("packet", i) + " of a burst.");
    if (std::string defect = forward_defect(given, packet); !defect.empty()) broken(kForward, defect);
    ForwardOutcome& outcome = outcomes.emplace_back(ForwardOutcome{packet.status, packet.reason, packet.more != 0});
    if (packet.status != HEADROOM_OK) continue;
    outcome.side = packet.side;
    outcome.octets.assign(packet.octets, packet.octets + packet.length);
  }
  room.buffers.poison();
  return outcomes;
}

std::vector<TakenPacket> CheckedUserPlane::take(std::size_t worker, std::uint64_t now_ns) {
  Room& room = rooms_[worker];
  std::vector<TakenPacket> all;
  for (;;) {
    room.buffers.reset(kTakenAtOnce, kTakenAtOnce * HEADROOM_USER_PLANE_MAX);
    room.given.assign(kTakenAtOnce, {});
    for (headroom_user_packet& packet : room.given) {
      packet.octets = room.buffers.add(HEADROOM_USER_PLANE_MAX);
      packet.length = HEADROOM_USER_PLANE_MAX;
      packet.status = kNoStatus;
    }
    room.packets = room.given;
    const std::size_t taken = call_safely(HEADROOM_USER_PLANE, kTake, [&] {
      return workers_.functions().take(workers_.worker(worker), room.packets.data(), room.packets.size(), now_ns);
    });
    if (taken > kTakenAtOnce) {
      broken(kTake, "it returned " + std::to_string(taken) + " as the number of packets, of " +
                        std::to_string(kTakenAtOnce) + " that there is room for.");
    }
    for (std::size_t i = 0; i < kTakenAtOnce; ++i) {
      if (!Buffers::are_fences_whole(room.given[i].octets, HEADROOM_USER_PLANE_MAX))
        broken(kTake, "it wrote outside of the buffer of a packet.");
    }
    for (std::size_t i = 0; i < taken; ++i) {
      const headroom_user_packet& packet = room.packets[i];
      if (std::string defect = take_defect(room.given[i], packet); !defect.empty()) broken(kTake, defect);
      all.push_back({packet.side, {packet.octets, packet.octets + packet.length}});
    }
    room.buffers.poison();
    if (taken == 0) return all;
    if (all.size() > kMostTaken) broken(kTake, "it never comes to an end.");
  }
}

std::uint64_t CheckedUserPlane::next_deadline(std::size_t worker) {
  const headroom_api& api = workers_.instance().api();
  if (api.next_deadline == nullptr) return HEADROOM_NO_DEADLINE;
  return call_safely(HEADROOM_USER_PLANE, "next_deadline", [&] { return api.next_deadline(workers_.worker(worker)); });
}

void CheckedUserPlane::n4(const N4Datagram& message, std::uint64_t now_ns) {
  n4_room_.buffers.reset(1, message.octets.size());
  headroom_n4_message record = {.octets = n4_room_.buffers.add(message.octets.size()),
                                .length = static_cast<std::uint32_t>(message.octets.size()),
                                .capacity = static_cast<std::uint32_t>(message.octets.size()),
                                .peer = {},
                                .port = message.port,
                                .reserved = {}};
  std::copy(message.octets.begin(), message.octets.end(), record.octets);
  std::copy(message.peer.begin(), message.peer.end(), record.peer);
  call_safely(HEADROOM_USER_PLANE, kN4, [&] { workers_.functions().n4(workers_.first(), &record, now_ns); });
  if (!std::equal(message.octets.begin(), message.octets.end(), record.octets))
    broken(kN4, "it changed the message that it was given.");
  if (!Buffers::are_fences_whole(record.octets, message.octets.size()))
    broken(kN4, "it wrote outside of the message that it was given.");
  n4_room_.buffers.poison();
}

std::vector<N4Datagram> CheckedUserPlane::take_n4(std::uint64_t now_ns) {
  std::vector<N4Datagram> all;
  if (workers_.functions().take_n4 == nullptr) return all;
  for (;;) {
    n4_room_.buffers.reset(1, HEADROOM_USER_PLANE_MAX);
    std::uint8_t* const octets = n4_room_.buffers.add(HEADROOM_USER_PLANE_MAX);
    headroom_n4_message record = {};
    record.octets = octets;
    record.capacity = HEADROOM_USER_PLANE_MAX;
    const std::int32_t taken = call_safely(
        HEADROOM_USER_PLANE, kTakeN4, [&] { return workers_.functions().take_n4(workers_.first(), &record, now_ns); });
    if (!Buffers::are_fences_whole(octets, HEADROOM_USER_PLANE_MAX))
      broken(kTakeN4, "it wrote outside of the buffer of a message.");
    if (taken == 0) return all;
    if (taken != 1) broken(kTakeN4, "it returned " + std::to_string(taken) + "; it returns 1, or 0 when none waits.");
    if (record.octets != octets) broken(kTakeN4, "it moved a message, which it is to copy.");
    if (record.length == 0 || record.length > HEADROOM_USER_PLANE_MAX) {
      broken(kTakeN4, "it claims a message of " + std::to_string(record.length) + " octets in a buffer of " +
                          std::to_string(HEADROOM_USER_PLANE_MAX) + ".");
    }
    N4Datagram& datagram = all.emplace_back(N4Datagram{{octets, octets + record.length}, {}, record.port});
    std::copy(std::begin(record.peer), std::end(record.peer), datagram.peer.begin());
    n4_room_.buffers.poison();
    if (all.size() > kMostTaken) broken(kTakeN4, "it never comes to an end.");
  }
}

std::uint64_t CheckedUserPlane::n4_deadline() {
  if (workers_.functions().n4_deadline == nullptr) return HEADROOM_NO_DEADLINE;
  return call_safely(HEADROOM_USER_PLANE, "user-plane.n4_deadline",
                     [&] { return workers_.functions().n4_deadline(workers_.first()); });
}

}  // namespace headroom
