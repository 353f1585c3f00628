// SPDX-License-Identifier: Apache-2.0
#include "sigcomp/udvm/memory.h"

#include <algorithm>

namespace headroom::sigcomp::udvm {

std::uint16_t CopyBounds::before_left(std::uint16_t offset) const noexcept {
  // One step leads from `left` to `right` - 1, and from there the way to `left` repeats itself.
  const auto last = static_cast<std::uint16_t>(right - 1);
  const std::uint32_t round = static_cast<std::uint32_t>(static_cast<std::uint16_t>(last - left)) + 1;
  return static_cast<std::uint16_t>(last - (offset - 1U) % round);
}

template <typename Act>
std::optional<std::uint16_t> Memory::for_each_run(std::uint16_t from, std::uint32_t length, CopyBounds bounds,
                                                  Act act) const noexcept {
  while (length > 0) {
    const std::uint32_t count = std::min(length, bounds.run(from));
    if (from + count > size_) return {};
    act(from, count);
    length -= count;
    from = bounds.next(static_cast<std::uint16_t>(from + count - 1));
  }
  return from;
}

std::optional<std::uint16_t> Memory::write(std::uint16_t to, Octets octets, CopyBounds bounds) noexcept {
  const std::uint8_t* next = octets.data();
  return for_each_run(to, static_cast<std::uint32_t>(octets.size()), bounds,
                      [&](std::uint16_t address, std::uint32_t count) {
                        std::memcpy(octets_.data() + address, next, count);
                        written(address, count);
                        next += count;
                      });
}

std::optional<std::uint16_t> Memory::write_sequence(std::uint16_t to, std::uint32_t length, std::uint8_t start,
                                                    std::uint8_t offset, CopyBounds bounds) noexcept {
  std::uint8_t value = start;
  return for_each_run(to, length, bounds, [&](std::uint16_t address, std::uint32_t count) {
    std::uint8_t* p = octets_.data() + address;
    written(address, count);
    if (offset == 0) {
      std::memset(p, value, count);
      return;
    }
    for (std::uint32_t i = 0; i < count; ++i, value = static_cast<std::uint8_t>(value + offset)) p[i] = value;
  });
}

std::optional<std::uint16_t> Memory::read(std::uint16_t from, std::uint32_t length, std::uint8_t* room,
                                          CopyBounds bounds) const noexcept {
  return for_each_run(from, length, bounds, [&](std::uint16_t address, std::uint32_t count) {
    std::memcpy(room, octets_.data() + address, count);
    room += count;
  });
}

void Memory::copy_long(std::uint32_t from, std::uint32_t length, std::uint32_t to) noexcept {
  std::uint8_t* const memory = octets_.data();
  if (to <= from || to >= from + length) {
    // Going forwards, an octet is read before it is overwritten.
    std::memmove(memory + to, memory + from, length);
    return;
  }
  // The destination runs into what it has written: the first to - from octets repeat themselves.
  const std::uint8_t* const source = memory + from;
  std::uint8_t* destination = memory + to;
  for (std::uint32_t left = length; left > 0;) {
    const auto piece = std::min(left, static_cast<std::uint32_t>(destination - source));
    std::memcpy(destination, source, piece);
    destination += piece;
    left -= piece;
  }
}

std::optional<std::uint16_t> Memory::copy_in_pieces(std::uint16_t from, std::uint32_t length, std::uint16_t to,
                                                    CopyBounds bounds) noexcept {
  while (length > 0) {
    const std::uint32_t count = std::min({length, bounds.run(from), bounds.run(to)});
    if (from + count > size_ || to + count > size_) return {};
    copy_piece(from, count, to);
    length -= count;
    from = bounds.next(static_cast<std::uint16_t>(from + count - 1));
    to = bounds.next(static_cast<std::uint16_t>(to + count - 1));
  }
  return to;
}

}  // namespace headroom::sigcomp::udvm
