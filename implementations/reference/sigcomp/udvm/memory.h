// SPDX-License-Identifier: Apache-2.0
//
// The UDVM's memory, with byte copying by the rules of RFC 3320 8.4 (RFC 4896 chapter 4 states them more clearly).
#pragma once

#include <array>
#include <cstring>
#include <optional>
#include <vector>

#include "sigcomp/octets.h"
#include "sigcomp/udvm/code.h"

namespace headroom::sigcomp::udvm {

inline constexpr std::uint32_t kMostMemory = 65536;  // RFC 3320 chapter 7: "up to a maximum of 65536 bytes"

// The registers of figure 7.
inline constexpr std::uint16_t kByteCopyLeft = 64;
inline constexpr std::uint16_t kByteCopyRight = 66;
inline constexpr std::uint16_t kInputBitOrder = 68;
inline constexpr std::uint16_t kStackLocation = 70;
// The size in octets of the smallest memory that contains byte_copy_left and byte_copy_right.
inline constexpr std::uint32_t kLeastMemory = kByteCopyRight + 2;

// The values of byte_copy_left and byte_copy_right when an instruction begins. The instruction uses them to its end,
// "as if the original instruction were still in place in the UDVM memory (this also applies if byte_copy_left or
// byte_copy_right are overwritten)".
struct CopyBounds {
  std::uint16_t left;
  std::uint16_t right;

  // Returns the address that byte copying uses after `address`.
  [[nodiscard]] std::uint16_t next(std::uint16_t address) const noexcept {
    const auto following = static_cast<std::uint16_t>(address + 1);
    return following == right ? left : following;
  }
  // Returns the number of consecutive addresses from `address` on, before the next jump back to `left` or to 0.
  [[nodiscard]] std::uint32_t run(std::uint16_t address) const noexcept {
    return right > address ? static_cast<std::uint32_t>(right - address) : kMostMemory - address;
  }
  // Returns the address `offset` steps before `address`, in constant time (9.2.6): "If the memory address specified in
  // byte_copy_left is reached, the next memory address is taken to be (byte_copy_right - 1) modulo 2^16."
  [[nodiscard]] std::uint16_t before(std::uint16_t address, std::uint16_t offset) const noexcept {
    const auto to_left = static_cast<std::uint16_t>(address - left);
    if (offset <= to_left) [[likely]]
      return static_cast<std::uint16_t>(address - offset);
    return before_left(static_cast<std::uint16_t>(offset - to_left));
  }
  // Returns the address `offset` steps before `left`. REQUIRES: offset > 0.
  [[nodiscard]] std::uint16_t before_left(std::uint16_t offset) const noexcept;
};

// The largest number of octets that copy_short() copies.
inline constexpr std::uint32_t kShort = 32;
// Copies octets as memmove() does, without a function call. REQUIRES: 2 <= length <= kShort.
inline void copy_short(std::uint8_t* to, const std::uint8_t* from, std::uint32_t length) noexcept {
  // Copies the first and the last octets in pieces that may overlap; both are read before any is written.
  const auto both_ends = [&]<typename Piece>(Piece first) {
    Piece last;
    std::memcpy(&first, from, sizeof first);
    std::memcpy(&last, from + length - sizeof last, sizeof last);
    std::memcpy(to, &first, sizeof first);
    std::memcpy(to + length - sizeof last, &last, sizeof last);
  };
  if (length >= 16) {
    both_ends(std::array<std::uint64_t, 2>{});
  } else if (length >= 8) {
    both_ends(std::uint64_t{});
  } else if (length >= 4) {
    both_ends(std::uint32_t{});
  } else {
    both_ends(std::uint16_t{});
  }
}

class Memory {
 public:
  // `code`, if not nullptr, is notified of every write by the functions below.
  explicit Memory(Code* code = nullptr) : octets_(kMostMemory + kPadding), code_(code) {}

  // Sets all of the memory to `size` zero octets. REQUIRES: size <= kMostMemory.
  void reset(std::uint32_t size) noexcept {
    size_ = size;
    std::memset(octets_.data(), 0, size + kPadding);
  }

  [[nodiscard]] std::uint32_t size() const noexcept { return size_; }
  // Returns the octets. After size() octets lie kPadding zero octets, so that an instruction may be read before its
  // end is known to lie in the memory.
  [[nodiscard]] std::uint8_t* data() noexcept { return octets_.data(); }
  [[nodiscard]] const std::uint8_t* data() const noexcept { return octets_.data(); }
  [[nodiscard]] Octets octets() const noexcept { return {octets_.data(), size_}; }

  // Byte copying. Each function returns the address that would be copied from (or to) next, or nothing if an address
  // was beyond the memory; some octets may have been copied then.

  // Copies within the memory, octet by octet, so a later octet may be a copy of an earlier one. Returns the next
  // destination address.
  std::optional<std::uint16_t> copy(std::uint16_t from, std::uint32_t length, std::uint16_t to,
                                    CopyBounds bounds) noexcept {
    if (length == 0 || length > bounds.run(from) || length > bounds.run(to) || from + length > size_ ||
        to + length > size_) [[unlikely]]
      return copy_in_pieces(from, length, to, bounds);
    copy_piece(from, length, to);
    return bounds.next(static_cast<std::uint16_t>(to + length - 1));
  }
  // Copies as copy() does. REQUIRES: length > 0, and source and destination each are one piece within the memory.
  void copy_piece(std::uint32_t from, std::uint32_t length, std::uint32_t to) noexcept {
    std::uint8_t* const memory = octets_.data();
    // Short strings are mostly texts and their repetitions, and not worth a function call.
    if (length == 1) {
      memory[to] = memory[from];
    } else if (length <= kShort && (to <= from || to >= from + length)) {
      copy_short(memory + to, memory + from, length);
    } else {
      copy_long(from, length, to);
    }
    written(to, length);
  }
  std::optional<std::uint16_t> write(std::uint16_t to, Octets octets, CopyBounds bounds) noexcept;
  // Writes start_value, start_value + offset … modulo 256 (MEMSET, 9.2.7).
  std::optional<std::uint16_t> write_sequence(std::uint16_t to, std::uint32_t length, std::uint8_t start,
                                              std::uint8_t offset, CopyBounds bounds) noexcept;
  // Copies octets of the memory into `room`. REQUIRES: `room` has `length` octets.
  std::optional<std::uint16_t> read(std::uint16_t from, std::uint32_t length, std::uint8_t* room,
                                    CopyBounds bounds) const noexcept;

  // Records a write through data().
  void written(std::uint32_t address, std::uint32_t length) noexcept {
    if (code_ != nullptr) code_->written(address, length);
  }

  // Returns the octets that byte copying would read, without copying them. Returns nothing if they are not one piece or
  // not all in the memory (read() tells these cases apart).
  [[nodiscard]] std::optional<Octets> one_piece(std::uint16_t from, std::uint32_t length,
                                                CopyBounds bounds) const noexcept {
    if (length > bounds.run(from) || from + length > size_) return {};
    return Octets(octets_.data() + from, length);
  }

 private:
  static constexpr std::uint32_t kPadding = 64;  // octets; the longest instruction of fixed length has 22

  std::optional<std::uint16_t> copy_in_pieces(std::uint16_t from, std::uint32_t length, std::uint16_t to,
                                              CopyBounds bounds) noexcept;
  void copy_long(std::uint32_t from, std::uint32_t length, std::uint32_t to) noexcept;

  // Calls act(address, count) for each run of consecutive addresses.
  template <typename Act>
  std::optional<std::uint16_t> for_each_run(std::uint16_t from, std::uint32_t length, CopyBounds bounds,
                                            Act act) const noexcept;

  std::vector<std::uint8_t> octets_;
  Code* code_;
  std::uint32_t size_ = 0;
};

}  // namespace headroom::sigcomp::udvm
