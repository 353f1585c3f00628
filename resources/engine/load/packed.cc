// SPDX-License-Identifier: Apache-2.0
#include "load/packed.h"

#include "base/random.h"

namespace headroom::load {
namespace {

std::uint64_t hash_of(OctetView octets) noexcept {
  std::uint64_t hash = octets.size();
  for (; octets.size() >= 8; octets = octets.subspan(8)) hash = mix64((hash ^ load64(octets.data())) + kGolden);
  for (const std::uint8_t octet : octets) hash = mix64((hash ^ octet) + kGolden);
  return hash;
}

}  // namespace

bool SentPackets::push(std::uint32_t number, OctetView packet, bool hashed) noexcept {
  Channel& channel = channels_[number];
  const bool full = channel.tail - channel.head == most_;
  if (full) ++channel.head;
  at(number, channel.tail++) = {hashed ? hash_of(packet) : 0, static_cast<std::uint32_t>(packet.size()), hashed};
  return full;
}

SentPackets::Verdict SentPackets::take(std::uint32_t number, OctetView packet) noexcept {
  Channel& channel = channels_[number];
  if (channel.head == channel.tail) return Verdict::wrong_length;  // it was never sent
  const Sent& sent = at(number, channel.head++);
  if (sent.length != packet.size()) return Verdict::wrong_length;
  if (!sent.hashed) return Verdict::right;
  return sent.hash == hash_of(packet) ? Verdict::compared : Verdict::mismatched;
}

}  // namespace headroom::load
