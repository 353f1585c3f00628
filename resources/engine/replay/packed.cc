// SPDX-License-Identifier: Apache-2.0
#include "replay/packed.h"

namespace headroom::replay {

void Packed::take(std::size_t index) {
  const SourcePacket& packet = source_[index];
  Channel& channel = channels_[packet.channel];
  if (channel.last_cause == kDeadline) {
    channel.waiting.clear();
    channel.last_cause.reset();
  }
  channel.last_taken = index;
  channel.waiting.push_back(index);
  channel.missing.insert(index);
  const auto [copies, is_new] = copies_.try_emplace(key_of(packet.channel, packet.octets), Copies{index, {}});
  copies->second.missing.insert(index);
}

void Packed::note_sent(std::uint32_t number, std::size_t cause, bool arrives) {
  Channel& channel = channels_[number];
  // What calls had left behind has left with the call after them that put something out.
  if (channel.last_cause && cause != channel.last_cause)
    std::erase_if(channel.waiting, [&](std::size_t index) { return index < *channel.last_cause; });
  channel.last_cause = cause;
  channel.sent = cause == kDeadline ? channel.last_taken : cause;
  if (arrives) return;
  for (const std::size_t index : channel.waiting) {
    if (index <= cause) lost_.insert(index);
  }
}

std::optional<std::size_t> Packed::last_taken(std::uint32_t number) const {
  const auto channel = channels_.find(number);
  return channel == channels_.end() ? std::nullopt : channel->second.last_taken;
}

bool Packed::is_unsent(std::size_t index) const {
  const auto channel = channels_.find(source_[index].channel);
  if (channel == channels_.end() || index > channel->second.last_taken) return false;
  return !channel->second.sent || index > *channel->second.sent;
}

void Packed::note_delivered(Channel& channel, Copies& copies, std::size_t index) {
  copies.missing.erase(index);
  channel.missing.erase(index);
  channel.next = index + 1;
}

std::optional<Packed::Match> Packed::deliver(std::uint32_t number, OctetView octets) {
  const auto found = copies_.find(key_of(number, octets));
  if (found == copies_.end()) return std::nullopt;
  Copies& copies = found->second;
  if (copies.missing.empty()) return Match{copies.first, true};
  Channel& channel = channels_[number];
  auto first = copies.missing.lower_bound(channel.next);
  if (first == copies.missing.end()) first = copies.missing.begin();
  const std::size_t index = *first;
  note_delivered(channel, copies, index);
  return Match{index, false};
}

std::optional<std::size_t> Packed::deliver_another(std::uint32_t number) {
  const auto found = channels_.find(number);
  if (found == channels_.end() || found->second.missing.empty()) return std::nullopt;
  Channel& channel = found->second;
  auto first = channel.missing.lower_bound(channel.next);
  while (first != channel.missing.end() && lost_.contains(*first)) ++first;
  if (first == channel.missing.end()) first = channel.missing.begin();
  const std::size_t index = *first;
  note_delivered(channel, copies_.at(key_of(number, source_[index].octets)), index);
  return index;
}

}  // namespace headroom::replay
