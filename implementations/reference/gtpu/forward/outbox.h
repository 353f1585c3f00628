// SPDX-License-Identifier: Apache-2.0
//
// Outbox holds packets of one worker that wait for `take`. It is a ring with a fixed number of places, each with room
// for a short message; only longer packets allocate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace headroom::gtpu {

class Outbox {
 public:
  static constexpr std::size_t kShort = 128;  // octets of IPv6, UDP and the longest message made by a worker
  static constexpr std::size_t kPlaces = 1024;

  Outbox() : places_(kPlaces) {
    for (Place& place : places_) place.octets.reserve(kShort);
  }

  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
  [[nodiscard]] bool full() const noexcept { return count_ == kPlaces; }

  // Adds a packet. Returns room for its `length` octets, which the caller fills before the next call, or nullptr if the
  // outbox is full.
  std::uint8_t* add(std::size_t length, std::int32_t side) {
    if (full()) return nullptr;
    Place& place = places_[(first_ + count_) % kPlaces];
    place.octets.resize(length);
    place.side = side;
    ++count_;
    return place.octets.data();
  }
  // Shortens the last added packet.
  void shorten(std::size_t length) noexcept { places_[(first_ + count_ - 1) % kPlaces].octets.resize(length); }

  // Removes the oldest packet and copies it into `room`. Returns its length, or 0 if the outbox is empty.
  std::size_t take(std::uint8_t* room, std::int32_t& side) {
    if (empty()) return 0;
    Place& place = places_[first_];
    const std::size_t length = place.octets.size();
    std::memcpy(room, place.octets.data(), length);
    side = place.side;
    if (place.octets.capacity() > kKept) {
      place.octets = {};
      place.octets.reserve(kShort);
    }
    first_ = (first_ + 1) % kPlaces;
    --count_;
    return length;
  }

 private:
  static constexpr std::size_t kKept = 2048;  // octets of a place that stay allocated

  struct Place {
    std::vector<std::uint8_t> octets{};
    std::int32_t side = 0;
  };
  std::vector<Place> places_;
  std::size_t first_ = 0;
  std::size_t count_ = 0;
};

}  // namespace headroom::gtpu
