// SPDX-License-Identifier: Apache-2.0
//
// Byte copying (RFC 3320 8.4) against the pseudo-code of RFC 4896 chapter 4, one octet at a time.
#include "sigcomp/udvm/memory.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sigcomp/test/support/hex.h"
#include "sigcomp/test/support/random.h"

namespace headroom::sigcomp::udvm {
namespace {

using test::Bytes;
using test::Random;

// RFC 4896 chapter 4, word by word.
std::uint16_t next_byte(std::uint16_t current, std::uint16_t left, std::uint16_t right) {
  if (current == static_cast<std::uint16_t>(right - 1)) return left;
  return static_cast<std::uint16_t>(current + 1);
}
std::uint16_t previous_byte(std::uint16_t current, std::uint16_t left, std::uint16_t right) {
  if (current == left) return static_cast<std::uint16_t>(right - 1);
  return static_cast<std::uint16_t>(current - 1);
}

// An address that is often close to one of `marks`.
std::uint16_t near(Random& random, std::initializer_list<std::uint32_t> marks, std::uint32_t size) {
  if (random.below(4) == 0) return static_cast<std::uint16_t>(random.below(size));
  const std::uint32_t mark = *(marks.begin() + random.below(static_cast<std::uint32_t>(marks.size())));
  return static_cast<std::uint16_t>(mark + random.below(9) - 4);
}

struct Case {
  std::uint32_t size;
  CopyBounds bounds;
  std::uint16_t from;
  std::uint16_t to;
  std::uint32_t length;
};

Case some_case(Random& random) {
  constexpr std::uint32_t kSizes[] = {300, 2048, 65535, kMostMemory};
  Case c{};
  c.size = kSizes[random.below(4)];
  const std::uint32_t reach = random.below(3) == 0 ? 12 : 200;
  c.bounds.left = near(random, {0, 80, c.size}, c.size);
  c.bounds.right = static_cast<std::uint16_t>(c.bounds.left + random.below(2 * reach) - reach / 4);
  c.from = near(random, {0, c.bounds.left, c.bounds.right, c.size}, c.size);
  c.to = near(random, {0, c.bounds.left, c.bounds.right, c.from, c.size}, c.size);
  c.length = random.below(random.below(2) == 0 ? 20 : 400);
  return c;
}

Memory filled(std::uint32_t size, Random& random) {
  Memory memory;
  memory.reset(size);
  for (std::uint32_t i = 0; i < size; ++i) memory.data()[i] = random.octet();
  return memory;
}

TEST(Memory, CopiesAsOctetByOctet) {
  Random random(1);
  unsigned beyond = 0;
  for (int round = 0; round < 4000; ++round) {
    const Case c = some_case(random);
    Memory memory = filled(c.size, random);
    Bytes expected(memory.octets().begin(), memory.octets().end());
    bool fits = true;
    std::uint16_t from = c.from;
    std::uint16_t to = c.to;
    for (std::uint32_t i = 0; i < c.length && fits; ++i) {
      fits = from < c.size && to < c.size;
      if (fits) expected[to] = expected[from];
      from = next_byte(from, c.bounds.left, c.bounds.right);
      to = next_byte(to, c.bounds.left, c.bounds.right);
    }
    const auto end = memory.copy(c.from, c.length, c.to, c.bounds);
    ASSERT_EQ(end.has_value(), fits);
    beyond += fits ? 0 : 1;
    if (!fits) continue;
    ASSERT_EQ(*end, to);
    ASSERT_TRUE(std::ranges::equal(memory.octets(), expected))
        << c.from << " to " << c.to << ", " << c.length << " octets, " << c.bounds.left << " " << c.bounds.right;
  }
  EXPECT_GT(beyond, 100U);
}

TEST(Memory, ReadsAndWritesAsOctetByOctet) {
  Random random(2);
  for (int round = 0; round < 4000; ++round) {
    const Case c = some_case(random);
    Memory memory = filled(c.size, random);
    Bytes expected(memory.octets().begin(), memory.octets().end());
    Bytes string(c.length);
    Bytes sequence;
    for (auto& octet : string) octet = random.octet();
    const std::uint8_t start = random.octet();
    const std::uint8_t step = random.below(3) == 0 ? std::uint8_t{0} : random.octet();

    Bytes read(c.length);
    bool fits = true;
    std::uint16_t at = c.from;
    for (std::uint32_t i = 0; i < c.length && fits; ++i, at = next_byte(at, c.bounds.left, c.bounds.right)) {
      fits = at < c.size;
      if (fits) read[i] = expected[at];
    }
    Bytes room(c.length);
    ASSERT_EQ(memory.read(c.from, c.length, room.data(), c.bounds).has_value(), fits);
    if (const auto piece = memory.one_piece(c.from, c.length, c.bounds)) {
      ASSERT_TRUE(fits);
      ASSERT_TRUE(std::ranges::equal(*piece, read));
    }
    if (!fits) {
      ASSERT_FALSE(memory.write(c.from, string, c.bounds).has_value());
      ASSERT_FALSE(memory.write_sequence(c.from, c.length, start, step, c.bounds).has_value());
      continue;
    }
    ASSERT_EQ(room, read);
    ASSERT_EQ(memory.write(c.from, string, c.bounds), at);
    const auto put = [&](auto value) {
      std::uint16_t place = c.from;
      for (std::uint32_t i = 0; i < c.length; ++i, place = next_byte(place, c.bounds.left, c.bounds.right)) {
        expected[place] = value(i);
      }
    };
    put([&](std::uint32_t i) { return string[i]; });
    ASSERT_TRUE(std::ranges::equal(memory.octets(), expected));
    ASSERT_EQ(memory.write_sequence(c.from, c.length, start, step, c.bounds), at);
    put([&](std::uint32_t i) { return static_cast<std::uint8_t>(start + i * step); });
    ASSERT_TRUE(std::ranges::equal(memory.octets(), expected));
  }
}

TEST(Memory, CountsBackwardsAsStepByStep) {
  Random random(3);
  for (int round = 0; round < 20000; ++round) {
    const Case c = some_case(random);
    const auto offset = static_cast<std::uint16_t>(random.below(random.below(8) == 0 ? 65536 : 700));
    std::uint16_t expected = c.from;
    for (std::uint32_t i = 0; i < offset; ++i) expected = previous_byte(expected, c.bounds.left, c.bounds.right);
    ASSERT_EQ(c.bounds.before(c.from, offset), expected)
        << c.from << " - " << offset << ", " << c.bounds.left << " " << c.bounds.right;
  }
}

TEST(Memory, ResetZeroesWhatCanBeRead) {
  Memory memory;
  memory.reset(100);
  std::fill_n(memory.data(), 100, std::uint8_t{0xff});
  memory.reset(50);
  for (std::uint32_t i = 0; i < 50 + 22; ++i) ASSERT_EQ(memory.data()[i], 0) << i;
}

}  // namespace
}  // namespace headroom::sigcomp::udvm
