// SPDX-License-Identifier: Apache-2.0
#include "wire/expected.h"

#include <bit>
#include <cstring>

#include "base/random.h"

namespace headroom::wire {

std::uint64_t hash_of(OctetView octets) noexcept {
  std::uint64_t hash = octets.size() * kGolden;
  const std::uint8_t* at = octets.data();
  std::size_t left = octets.size();
  for (; left >= 8; left -= 8, at += 8) {
    std::uint64_t word;
    std::memcpy(&word, at, 8);
    hash = std::rotl(hash ^ mix64(word), 27) * kGolden;
  }
  std::uint64_t rest = 0;
  if (left != 0) std::memcpy(&rest, at, left);
  return mix64(hash ^ mix64(rest));
}

Expected::Expected(std::span<const std::uint64_t> hashes)
    : slots_(std::bit_ceil(hashes.size() * 2 + 1), Slot{0, kNone, kNone}),
      same_(hashes.size(), kNone),
      sent_ns_(hashes.size(), 0),
      arrived_(hashes.size(), false) {
  // From the last to the first, so that each becomes the head of those with its octets.
  for (std::size_t i = hashes.size(); i-- > 0;) {
    Slot& slot = slot_of(hashes[i]);
    same_[i] = slot.first;
    slot = {hashes[i], static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i)};
  }
}

Expected::Slot& Expected::slot_of(std::uint64_t hash) noexcept {
  const std::size_t mask = slots_.size() - 1;
  std::size_t i = hash & mask;
  while (slots_[i].first != kNone && slots_[i].hash != hash) i = (i + 1) & mask;
  return slots_[i];
}

Expected::Arrival Expected::note_arrival(std::uint64_t hash) noexcept {
  Slot& slot = slot_of(hash);
  if (slot.first == kNone) return {Kind::unexpected, 0, 0};
  if (slot.next != kNone && sent_ns_[slot.next] != 0) {
    const std::size_t index = slot.next;
    slot.next = same_[index];
    arrived_[index] = true;
    return {Kind::arrived, index, sent_ns_[index]};
  }
  // All copies that were sent have arrived; or none was sent yet.
  if (sent_ns_[slot.first] == 0) return {Kind::unexpected, 0, 0};
  return {Kind::duplicate, slot.first, sent_ns_[slot.first]};
}

}  // namespace headroom::wire
