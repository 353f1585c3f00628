// SPDX-License-Identifier: Apache-2.0
//
// Contexts that flows of two families share: who gets one, who loses one, and what is put back.
#include "rohc/framework/compressor/context_pool.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

namespace headroom::rohc {
namespace {

using wire::Profile;

class Flows final : public CompressorFamily {
 public:
  // `homes`: a one where hashes may differ in the bucket of the table.
  explicit Flows(ContextPool& pool, std::uint32_t homes = 0xffffffffU) : pool_(pool), homes_(homes) { pool.add(*this); }

  void worths_of(std::uint32_t first, Profile, std::span<Worth> row) const noexcept override {
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = worths.at(first + static_cast<std::uint32_t>(i));
  }
  void drop(std::uint32_t index) noexcept override {
    dropped.push_back(index);
    pool_.table().erase(hash_of(index), index);
    worths.erase(index);
  }
  [[nodiscard]] bool take_feedback(std::uint32_t, const wire::FeedbackData&, std::uint32_t) noexcept override {
    return true;
  }

  std::uint32_t begin(std::uint32_t channel, std::uint32_t last_used_ms, unsigned level = 0) {
    const std::uint32_t index = pool_.choose(channel, Profile::kIp);
    replaced = pool_.take(index, *this);
    worths[index] = worth(level, last_used_ms);
    pool_.insert(hash_of(index), index);
    return index;
  }

  std::map<std::uint32_t, Worth> worths;
  std::vector<std::uint32_t> dropped;
  bool replaced = false;  // by the flow begun last

 private:
  [[nodiscard]] std::uint64_t hash_of(std::uint32_t index) const {
    return std::uint64_t{index & homes_} << 32 | std::uint64_t{index + 1} << 16;
  }

  ContextPool& pool_;
  std::uint32_t homes_;
};

class Pool : public ::testing::Test {
 protected:
  static ChannelParameters two_channels_of_four() {
    ChannelParameters channel;
    channel.channels = 2;
    channel.max_cid = 3;
    return channel;
  }

  void fill() {
    for (std::uint32_t i = 0; i < 4; ++i) (i % 2 == 0 ? first_ : second_).begin(1, 100 + i);
  }

  ContextPool pool_{two_channels_of_four()};
  Flows first_{pool_};
  Flows second_{pool_};
};

TEST_F(Pool, ChannelsHaveContextsOfTheirOwn) {
  EXPECT_EQ(first_.begin(1, 1), 4U);
  EXPECT_EQ(second_.begin(1, 1), 5U);
  EXPECT_EQ(second_.begin(0, 1), 0U);
  EXPECT_EQ(pool_.fresh(1), 2U);
  EXPECT_EQ(pool_.owners().of(4), &first_);
  EXPECT_EQ(pool_.owners().of(5), &second_);
  EXPECT_EQ(pool_.owners().of(6), nullptr);
  EXPECT_EQ(pool_.owners().in_use(), 3U);
}

TEST_F(Pool, LeastIsGivenUpWhoeverHasIt) {
  fill();
  second_.worths[7] = Flows::worth(0, 5);
  EXPECT_EQ(first_.begin(1, 200), 7U);
  EXPECT_TRUE(first_.replaced);
  EXPECT_EQ(second_.dropped, std::vector<std::uint32_t>{7});
  EXPECT_EQ(pool_.owners().of(7), &first_);
  EXPECT_EQ(pool_.owners().in_use(), 4U);
}

TEST_F(Pool, HigherLevelIsGivenUpWhereThereIsNoOther) {
  fill();
  first_.worths[4] = Flows::worth(1, 0);
  EXPECT_EQ(first_.begin(1, 200), 5U);
  ChannelParameters one;
  one.max_cid = 0;
  ContextPool small(one);
  Flows flows(small);
  flows.begin(0, 0, 2);
  EXPECT_EQ(flows.begin(0, 0), 0U);
}

TEST_F(Pool, ContextGivenBackIsTakenFirst) {
  fill();
  pool_.give_back(6);
  pool_.give_back(5);
  EXPECT_EQ(pool_.owners().in_use(), 2U);
  EXPECT_EQ(second_.begin(1, 1), 5U);
  EXPECT_FALSE(second_.replaced);
  EXPECT_EQ(second_.begin(1, 1), 6U);
  EXPECT_EQ(pool_.owners().of(6), &second_);
}

TEST_F(Pool, NewContextIsTakenBack) {
  first_.begin(1, 1);
  const auto mark = pool_.mark(1);
  const std::uint32_t index = second_.begin(1, 1);
  pool_.take_back(index, mark, nullptr);
  EXPECT_EQ(pool_.owners().of(index), nullptr);
  EXPECT_EQ(pool_.fresh(1), 1U);
  EXPECT_EQ(second_.begin(1, 1), index);
}

TEST_F(Pool, ReturnedContextIsTakenBack) {
  fill();
  pool_.give_back(6);
  pool_.give_back(5);
  const auto mark = pool_.mark(1);
  pool_.take_back(second_.begin(1, 1), mark, nullptr);
  EXPECT_EQ(pool_.choose(1, Profile::kIp), 5U);
  EXPECT_EQ(pool_.fresh(1), 4U);
  EXPECT_EQ(second_.begin(1, 1), 5U);
  EXPECT_EQ(second_.begin(1, 1), 6U);
}

TEST_F(Pool, OwnContextIsTakenBack) {
  fill();
  first_.worths[6] = Flows::worth(0, 5);
  const auto mark = pool_.mark(1);
  const std::uint32_t index = first_.begin(1, 200);
  ASSERT_EQ(index, 6U);
  pool_.take_back(index, mark, &first_);
  EXPECT_EQ(pool_.owners().of(6), &first_) << "which puts its flow back";
  EXPECT_EQ(pool_.owners().in_use(), 4U);
}

// What the other family has dropped is not there any more; its next packet begins anew.
TEST_F(Pool, ContextOfTheOtherFamilyIsFreeOnceTakenBack) {
  fill();
  second_.worths[7] = Flows::worth(0, 5);
  const auto mark = pool_.mark(1);
  const std::uint32_t index = first_.begin(1, 200);
  ASSERT_EQ(index, 7U);
  pool_.take_back(index, mark, &second_);
  EXPECT_EQ(pool_.owners().of(7), nullptr);
  EXPECT_EQ(second_.begin(1, 300), 7U);
  EXPECT_FALSE(second_.replaced);
}

// Eight buckets of eight are within reach of a hash.
TEST(FullNeighbourhood, DisplacedFlowGivesItsContextBack) {
  ChannelParameters channel;
  channel.large_cids = true;
  channel.max_cid = 1000;
  ContextPool pool(channel);
  Flows flows(pool, 0);
  for (std::uint32_t i = 0; i < 64; ++i) flows.begin(0, i);
  EXPECT_TRUE(flows.dropped.empty());
  EXPECT_EQ(flows.begin(0, 64), 64U);
  EXPECT_EQ(flows.dropped, std::vector<std::uint32_t>{0});
  EXPECT_EQ(pool.owners().of(0), nullptr);
  EXPECT_EQ(flows.begin(0, 65), 0U) << "and displaces the next";
}

TEST_F(Pool, NoFlowsForAWhileAfterReject) {
  pool_.refuse_flows(1, 1000);
  EXPECT_FALSE(pool_.takes_flows(1, 999));
  EXPECT_TRUE(pool_.takes_flows(1, 1000));
  EXPECT_TRUE(pool_.takes_flows(0, 0));
  pool_.move_epoch(400);
  EXPECT_FALSE(pool_.takes_flows(1, 599));
  EXPECT_TRUE(pool_.takes_flows(1, 600));
}

}  // namespace
}  // namespace headroom::rohc
