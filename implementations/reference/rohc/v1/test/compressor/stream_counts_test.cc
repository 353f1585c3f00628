// SPDX-License-Identifier: Apache-2.0
#include "rohc/v1/compressor/stream_counts.h"

#include <gtest/gtest.h>

#include <map>

#include "rohc/framework/test/support/random.h"

namespace headroom::rohc {
namespace {

constexpr std::uint64_t hash_of(std::uint32_t home, std::uint32_t rest = 0) { return std::uint64_t{home} << 32 | rest; }

TEST(StreamCounts, CountsByTheWholeHash) {
  StreamCounts counts(8);
  EXPECT_EQ(counts.count(hash_of(3)), 0U);
  counts.add(hash_of(3), 5);
  counts.add(hash_of(3), 5);
  counts.add(hash_of(3, 1), 6);
  EXPECT_EQ(counts.count(hash_of(3)), 2U);
  EXPECT_EQ(counts.count(hash_of(3, 1)), 1U);
  EXPECT_EQ(counts.latest(hash_of(3)), 5U);
  EXPECT_EQ(counts.latest(hash_of(3, 1)), 6U);
  EXPECT_EQ(counts.latest(hash_of(4)), kNoContext);
  counts.remove(hash_of(3));
  counts.remove(hash_of(3));
  EXPECT_EQ(counts.count(hash_of(3)), 0U);
  EXPECT_EQ(counts.count(hash_of(3, 1)), 1U) << "an entry that was displaced is still found";
}

TEST(StreamCounts, RandomOperationsAgreeWithAMap) {
  test::Random random(1);
  constexpr std::uint32_t kCapacity = 20;
  StreamCounts counts(kCapacity);
  std::map<std::uint64_t, std::uint32_t> expected;
  std::uint32_t streams = 0;
  for (int step = 0; step < 200'000; ++step) {
    // Few homes, at the end of the table as well, so that runs collide and go round.
    const std::uint64_t hash = hash_of(60 + random.below(8), random.below(4));
    if (streams < kCapacity && random.flip()) {
      counts.add(hash, streams);
      ++expected[hash];
      ++streams;
    } else if (expected[hash] != 0) {
      counts.remove(hash);
      --expected[hash];
      --streams;
    }
    for (const auto& [h, n] : expected) ASSERT_EQ(counts.count(h), n) << step;
  }
}

}  // namespace
}  // namespace headroom::rohc
