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
  if (arrives) return;
  for (const std::size_t index : channel.waiting) {
    if (index <= cause) lost_.insert(index);
  }
}

std::optional<std::size_t> Packed::last_taken(std::uint32_t number) const {
  const auto channel = channels_.find(number);
  return channel == channels_.end() ? std::nullopt : channel->second.last_taken;
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
  copies.missing.erase(first);
  channel.missing.erase(index);
  channel.next = index + 1;
  return Match{index, false};
}

std::optional<std::size_t> Packed::first_missing(std::uint32_t number) const {
  const auto channel = channels_.find(number);
  if (channel == channels_.end() || channel->second.missing.empty()) return std::nullopt;
  return *channel->second.missing.begin();
}

}  // namespace headroom::replay
