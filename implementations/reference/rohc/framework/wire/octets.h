// SPDX-License-Identifier: Apache-2.0
//
// Loads and stores of unaligned integers in network byte order, and a bounded reader and writer of octets.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace headroom::rohc {

using Octets = std::span<const std::uint8_t>;

namespace wire {

[[nodiscard]] constexpr std::uint16_t swap16(std::uint16_t v) noexcept {
  return static_cast<std::uint16_t>(v << 8 | v >> 8);
}

// Loads with the least significant octet first: the order in which CRCs process bits.
[[nodiscard]] inline std::uint16_t load_little16(const std::uint8_t* p) noexcept {
  std::uint16_t v;
  std::memcpy(&v, p, sizeof v);
  if constexpr (std::endian::native == std::endian::big) v = swap16(v);
  return v;
}

[[nodiscard]] inline std::uint32_t load_little32(const std::uint8_t* p) noexcept {
  std::uint32_t v;
  std::memcpy(&v, p, sizeof v);
  if constexpr (std::endian::native == std::endian::big) v = __builtin_bswap32(v);
  return v;
}

[[nodiscard]] inline std::uint64_t load_little64(const std::uint8_t* p) noexcept {
  std::uint64_t v;
  std::memcpy(&v, p, sizeof v);
  if constexpr (std::endian::native == std::endian::big) v = __builtin_bswap64(v);
  return v;
}

[[nodiscard]] inline std::uint16_t load16(const std::uint8_t* p) noexcept { return swap16(load_little16(p)); }

[[nodiscard]] inline std::uint32_t load32(const std::uint8_t* p) noexcept {
  return __builtin_bswap32(load_little32(p));
}

inline void store_little32(std::uint8_t* p, std::uint32_t v) noexcept {
  if constexpr (std::endian::native == std::endian::big) v = __builtin_bswap32(v);
  std::memcpy(p, &v, sizeof v);
}
inline void store16(std::uint8_t* p, std::uint16_t v) noexcept {
  if constexpr (std::endian::native == std::endian::little) v = swap16(v);
  std::memcpy(p, &v, sizeof v);
}

inline void store32(std::uint8_t* p, std::uint32_t v) noexcept {
  if constexpr (std::endian::native == std::endian::little) v = __builtin_bswap32(v);
  std::memcpy(p, &v, sizeof v);
}

// Reads octets in order. A read past the end returns zeros and marks the reader as failed for good, so a parser can
// read a whole format and check ok() once.
class Reader {
 public:
  explicit Reader(Octets octets) noexcept : at_(octets.data()), end_(octets.data() + octets.size()) {}

  [[nodiscard]] bool ok() const noexcept { return ok_; }
  [[nodiscard]] std::size_t remaining() const noexcept { return static_cast<std::size_t>(end_ - at_); }
  [[nodiscard]] const std::uint8_t* position() const noexcept { return at_; }
  [[nodiscard]] Octets rest() const noexcept { return {at_, remaining()}; }

  // Returns the next octet without consuming it, or 0 at the end.
  [[nodiscard]] std::uint8_t peek() const noexcept { return at_ == end_ ? std::uint8_t{0} : *at_; }

  std::uint8_t octet() noexcept {
    const std::uint8_t* p = take(1);
    return p == nullptr ? std::uint8_t{0} : *p;
  }
  std::uint16_t two() noexcept {
    const std::uint8_t* p = take(2);
    return p == nullptr ? std::uint16_t{0} : load16(p);
  }
  std::uint32_t four() noexcept {
    const std::uint8_t* p = take(4);
    return p == nullptr ? 0 : load32(p);
  }
  // Consumes `count` octets and returns the first one's address. If fewer octets remain, returns nullptr and marks the
  // reader as failed.
  const std::uint8_t* take(std::size_t count) noexcept {
    if (remaining() < count) {
      ok_ = false;
      at_ = end_;
      return nullptr;
    }
    const std::uint8_t* p = at_;
    at_ += count;
    return p;
  }

 private:
  const std::uint8_t* at_;
  const std::uint8_t* end_;
  bool ok_ = true;
};

// Writes octets in order. A write past the end is skipped and marks the writer as failed for good.
class Writer {
 public:
  explicit Writer(std::span<std::uint8_t> room) noexcept
      : begin_(room.data()), at_(room.data()), end_(room.data() + room.size()) {}

  [[nodiscard]] bool ok() const noexcept { return ok_; }
  [[nodiscard]] std::size_t size() const noexcept { return static_cast<std::size_t>(at_ - begin_); }
  [[nodiscard]] Octets written() const noexcept { return {begin_, size()}; }
  [[nodiscard]] std::uint8_t* begin() const noexcept { return begin_; }

  void octet(std::uint8_t v) noexcept {
    if (std::uint8_t* p = take(1)) *p = v;
  }
  void two(std::uint16_t v) noexcept {
    if (std::uint8_t* p = take(2)) store16(p, v);
  }
  void four(std::uint32_t v) noexcept {
    if (std::uint8_t* p = take(4)) store32(p, v);
  }
  void octets(Octets v) noexcept {
    if (v.empty()) return;
    if (std::uint8_t* p = take(v.size())) std::memcpy(p, v.data(), v.size());
  }
  // Returns room for `count` octets, which the caller fills. If the room is too small, returns nullptr and marks the
  // writer as failed.
  std::uint8_t* take(std::size_t count) noexcept {
    if (static_cast<std::size_t>(end_ - at_) < count) {
      ok_ = false;
      return nullptr;
    }
    std::uint8_t* p = at_;
    at_ += count;
    return p;
  }

 private:
  std::uint8_t* begin_;
  std::uint8_t* at_;
  std::uint8_t* end_;
  bool ok_ = true;
};

}  // namespace wire
}  // namespace headroom::rohc
