// SPDX-License-Identifier: Apache-2.0
//
// The hash table from flows to contexts: collisions of tags and buckets, overflow into further buckets, erasure, and
// what to do when it is full.
#include "rohc/framework/compressor/flow_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "rohc/framework/test/support/random.h"

namespace headroom::rohc {
namespace {

using test::Random;

// A hash with this home bucket (low bits of the upper half) and tag (high bits of the lower half).
constexpr std::uint64_t hash_of(std::uint32_t home, std::uint16_t tag) {
  return std::uint64_t{home} << 32 | std::uint64_t{tag} << 16;
}

std::uint32_t find(const FlowTable& table, std::uint64_t hash, std::uint32_t context) {
  return table.find(hash, [&](std::uint32_t index) { return index == context; });
}

TEST(FlowTable, FindsWhatWasInserted) {
  FlowTable table(1000);
  EXPECT_EQ(find(table, hash_of(5, 77), 1), kNoContext);
  ASSERT_TRUE(table.insert(hash_of(5, 77), 1));
  EXPECT_EQ(find(table, hash_of(5, 77), 1), 1U);
  EXPECT_EQ(table.guess(hash_of(5, 77)), 1U);
  EXPECT_EQ(find(table, hash_of(5, 78), 1), kNoContext) << "another tag";
  EXPECT_EQ(find(table, hash_of(6, 77), 1), kNoContext) << "another bucket";
  EXPECT_EQ(table.guess(hash_of(6, 77)), kNoContext);
}

TEST(FlowTable, EqualTagsAreLeftToThePredicate) {
  FlowTable table(1000);
  for (std::uint32_t context = 0; context < 5; ++context) ASSERT_TRUE(table.insert(hash_of(3, 9), context));
  for (std::uint32_t context = 0; context < 5; ++context) EXPECT_EQ(find(table, hash_of(3, 9), context), context);
  std::vector<std::uint32_t> asked;
  EXPECT_EQ(table.find(hash_of(3, 9), [&](std::uint32_t index) { return asked.push_back(index), false; }), kNoContext);
  EXPECT_EQ(asked.size(), 5U) << "every entry with the tag is offered once";
}

// A tag of 0 marks a free slot; a hash whose tag would be 0 must work all the same.
TEST(FlowTable, TagZero) {
  FlowTable table(1000);
  EXPECT_EQ(table.guess(hash_of(3, 0)), kNoContext) << "free slots are no match";
  ASSERT_TRUE(table.insert(hash_of(3, 0), 42));
  EXPECT_EQ(find(table, hash_of(3, 0), 42), 42U);
  table.erase(hash_of(3, 0), 42);
  EXPECT_EQ(find(table, hash_of(3, 0), 42), kNoContext);
}

TEST(FlowTable, GuessSeesEverySlot) {
  FlowTable table(1000);
  for (std::uint16_t slot = 0; slot < 8; ++slot)
    ASSERT_TRUE(table.insert(hash_of(3, static_cast<std::uint16_t>(100 + slot)), slot));
  for (std::uint16_t slot = 0; slot < 8; ++slot)
    EXPECT_EQ(table.guess(hash_of(3, static_cast<std::uint16_t>(100 + slot))), slot);
  EXPECT_EQ(table.guess(hash_of(3, 99)), kNoContext);
  EXPECT_EQ(table.guess(hash_of(3, 0x8064)), kNoContext) << "differs from the first tag in its top bit only";
}

// Neighbouring lanes must not borrow from each other, whatever the tags are.
TEST(FlowTable, GuessNeverInventsAMatch) {
  Random random(1);
  for (int round = 0; round < 2000; ++round) {
    FlowTable table(8);
    std::vector<std::uint16_t> tags;
    for (std::uint32_t slot = 0; slot < 8; ++slot) {
      tags.push_back(random.flip() ? static_cast<std::uint16_t>(1 + random.below(3)) : random.word());
      ASSERT_TRUE(table.insert(hash_of(0, tags.back()), slot));
    }
    for (const std::uint16_t tag :
         {std::uint16_t{1}, std::uint16_t{2}, std::uint16_t{0x8000}, std::uint16_t{0xffff}, tags[random.below(8)]}) {
      const std::uint32_t guess = table.guess(hash_of(0, tag));
      const auto effective = [](std::uint16_t t) { return t == 0 ? 1 : t; };
      const auto expected =
          std::find_if(tags.begin(), tags.end(), [&](std::uint16_t t) { return effective(t) == effective(tag); });
      ASSERT_EQ(guess, expected == tags.end() ? kNoContext : static_cast<std::uint32_t>(expected - tags.begin()));
    }
  }
}

TEST(FlowTable, OverflowsIntoTheNextBuckets) {
  FlowTable table(10'000);
  for (std::uint32_t i = 0; i < 64; ++i)
    ASSERT_TRUE(table.insert(hash_of(7, static_cast<std::uint16_t>(1000 + i)), i)) << i;
  for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(find(table, hash_of(7, static_cast<std::uint16_t>(1000 + i)), i), i);
  EXPECT_FALSE(table.insert(hash_of(7, 1), 64)) << "eight buckets of eight are within reach";
  EXPECT_TRUE(table.insert(hash_of(20, 1), 65)) << "others are not full";
}

TEST(FlowTable, GuessLooksIntoTheNextBucketAsWell) {
  FlowTable table(10'000);
  for (std::uint32_t i = 0; i < 12; ++i)
    ASSERT_TRUE(table.insert(hash_of(7, static_cast<std::uint16_t>(1000 + i)), i)) << i;
  for (std::uint32_t i = 0; i < 12; ++i) EXPECT_EQ(table.guess(hash_of(7, static_cast<std::uint16_t>(1000 + i))), i);
  EXPECT_EQ(table.guess(hash_of(7, 5)), kNoContext);
}

TEST(FlowTable, VictimMakesRoom) {
  FlowTable table(10'000);
  std::map<std::uint32_t, std::uint64_t> hashes;
  for (std::uint32_t i = 0; i < 64; ++i) {
    hashes[i] = hash_of(7, static_cast<std::uint16_t>(1000 + i));
    ASSERT_TRUE(table.insert(hashes[i], i));
  }
  const std::uint64_t fresh = hash_of(7, 5);
  ASSERT_FALSE(table.insert(fresh, 64));
  const std::uint32_t victim = table.victim(fresh);
  table.erase(hashes[victim], victim);
  EXPECT_TRUE(table.insert(fresh, 64));
  EXPECT_EQ(find(table, fresh, 64), 64U);
  EXPECT_EQ(find(table, hashes[victim], victim), kNoContext);
  for (std::uint32_t i = 0; i < 64; ++i) {
    if (i == victim) continue;
    ASSERT_EQ(find(table, hashes[i], i), i) << "entries beyond the gap are still found";
  }
}

TEST(FlowTable, ErasedHomeEntryDoesNotHideOverflownOnes) {
  FlowTable table(10'000);
  for (std::uint32_t i = 0; i < 9; ++i) ASSERT_TRUE(table.insert(hash_of(7, static_cast<std::uint16_t>(1000 + i)), i));
  for (std::uint32_t i = 0; i < 8; ++i) table.erase(hash_of(7, static_cast<std::uint16_t>(1000 + i)), i);
  EXPECT_EQ(find(table, hash_of(7, 1008), 8), 8U) << "its home bucket is empty now, but it went on from there";
}

TEST(FlowTable, WrapsAroundAtItsEnd) {
  FlowTable table(100);  // 32 buckets
  for (std::uint32_t i = 0; i < 20; ++i)
    ASSERT_TRUE(table.insert(hash_of(0xffffffffU, static_cast<std::uint16_t>(1000 + i)), i));
  for (std::uint32_t i = 0; i < 20; ++i)
    EXPECT_EQ(find(table, hash_of(0xffffffffU, static_cast<std::uint16_t>(1000 + i)), i), i);
}

// Tables with fewer buckets than an entry may be carried along: a search comes back to where it began.
TEST(FlowTable, TinyTablesHoldTheirCapacity) {
  for (std::uint32_t capacity = 1; capacity <= 70; ++capacity) {
    FlowTable table(capacity);
    for (std::uint32_t i = 0; i < capacity; ++i) {
      const std::uint64_t worst = hash_of(0, static_cast<std::uint16_t>(1 + i % 2));
      if (!table.insert(worst, i)) {
        ASSERT_GE(i, 64U) << "capacity " << capacity;
        break;
      }
      ASSERT_EQ(find(table, worst, i), i) << "capacity " << capacity;
    }
  }
}

TEST(FlowTable, RandomOperationsAgreeWithAMap) {
  Random random(2);
  constexpr std::uint32_t kCapacity = 500;
  FlowTable table(kCapacity);
  std::map<std::uint32_t, std::uint64_t> present;  // context -> hash
  for (int step = 0; step < 200'000; ++step) {
    const std::uint32_t context = random.below(kCapacity);
    const auto it = present.find(context);
    if (it != present.end()) {
      ASSERT_EQ(find(table, it->second, context), context);
      if (random.flip()) {
        table.erase(it->second, context);
        ASSERT_EQ(find(table, it->second, context), kNoContext);
        present.erase(it);
      }
      continue;
    }
    // Few homes and few tags, so that everything collides.
    std::uint64_t hash = hash_of(random.below(40), static_cast<std::uint16_t>(random.below(30)));
    if (table.insert(hash, context)) present[context] = hash;
  }
  for (const auto& [context, hash] : present) ASSERT_EQ(find(table, hash, context), context);
}

TEST(FlowTable, MemoryIsThatOfItsBuckets) {
  EXPECT_EQ(FlowTable(1).memory_bytes(), 64U);
  const FlowTable large(100'000);
  EXPECT_GE(large.memory_bytes() / 64 * 8, 100'000U * 2) << "a load of at most a half";
  EXPECT_LE(large.memory_bytes(), std::size_t{100'000} * 32);
}

}  // namespace
}  // namespace headroom::rohc
