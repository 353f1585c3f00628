// SPDX-License-Identifier: Apache-2.0
#include "cid_table.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace headroom {
namespace {

struct Key {
  std::uint32_t value = 0;
  [[nodiscard]] std::uint32_t hash() const noexcept { return value / 4; }
  friend bool operator==(const Key&, const Key&) = default;
};

TEST(CidTable, CidsAreGivenInOrderAndThenByTheirLastUse) {
  CidTable<Key> table(3);
  EXPECT_EQ(table.newest(), CidTable<Key>::kNone);
  for (std::uint32_t cid = 0; cid < 3; ++cid) {
    EXPECT_EQ(table.next(), cid);
    table.assign(cid, {cid});
    table.touch(cid);
  }
  table.touch(0);
  EXPECT_EQ(table.newest(), 0U);
  EXPECT_EQ(table.next(), 1U);
  table.assign(1, {77});
  EXPECT_EQ(table.next(), 1U) << "it has not been used";
  table.touch(1);
  EXPECT_EQ(table.next(), 2U);
}

TEST(CidTable, CidsOfOneKeyAreToldApart) {
  CidTable<Key> table(4);
  for (std::uint32_t cid = 0; cid < 3; ++cid) table.assign(cid, {5});
  for (std::uint32_t cid = 0; cid < 3; ++cid) {
    EXPECT_EQ(table.find({5}, [&](std::uint32_t one) { return one == cid; }), cid);
  }
  EXPECT_EQ(table.find({5}, [](std::uint32_t) { return false; }), CidTable<Key>::kNone);
  EXPECT_EQ(table.find({6}, [](std::uint32_t) { return true; }), CidTable<Key>::kNone);
}

// Beside a slow table: as many flows again as there are CIDs, in any order, with few buckets and with all of them.
TEST(CidTable, AgreesWithAMap) {
  for (const bool reserves : {false, true}) {
    CidTable<Key> table(40);
    if (reserves) table.reserve();
    std::map<std::uint32_t, std::uint32_t> cid_of;
    std::map<std::uint32_t, std::uint32_t> flow_of;
    std::map<std::uint32_t, int> used_at;
    std::mt19937 random(1);
    for (int now = 0; now < 20'000; ++now) {
      const std::uint32_t flow = static_cast<std::uint32_t>(random() % 80), hash = flow / 2;
      std::uint32_t cid = table.find({hash}, [&](std::uint32_t one) { return flow_of.at(one) == flow; });
      ASSERT_EQ(cid, cid_of.contains(flow) ? cid_of.at(flow) : CidTable<Key>::kNone);
      if (cid == CidTable<Key>::kNone) {
        cid = table.next();
        if (flow_of.contains(cid)) {
          for (const auto& [other, time] : used_at) ASSERT_LE(used_at.at(cid), time) << other;
          cid_of.erase(flow_of.at(cid));
        } else {
          ASSERT_EQ(cid, flow_of.size());
        }
        cid_of[flow] = cid;
        flow_of[cid] = flow;
        table.assign(cid, {hash});
      }
      table.touch(cid);
      used_at[cid] = now;
      ASSERT_EQ(table.newest(), cid);
    }
    EXPECT_EQ(table.size(), 40U);
  }
}

}  // namespace
}  // namespace headroom
