// SPDX-License-Identifier: Apache-2.0
//
// Insertion and removal schemes, RFC 3095 5.8.3, RFC 4815 5.3.
#include "rohc/v1/encoding/list_change.h"

#include <gtest/gtest.h>

#include <initializer_list>

#include "rohc/framework/test/support/random.h"

namespace headroom::rohc {
namespace {

using test::Random;
using wire::ListMask;

IndexList list_of(std::initializer_list<int> indexes) {
  IndexList list;
  for (const int index : indexes) EXPECT_TRUE(list.append(static_cast<std::uint8_t>(index)));
  return list;
}

ListMask mask_of(std::initializer_list<unsigned> ones, std::uint8_t width = 7) {
  ListMask mask{0, width};
  for (const unsigned one : ones) mask.set(one);
  return mask;
}

// The example of 5.8.4.1: A, B, C and A, C.
TEST(ListChange, RemovalMaskIsFilledUpWithOnes) {
  const ListChange change = change_between(list_of({0, 1, 2}), list_of({0, 2}));
  EXPECT_TRUE(change.removes);
  EXPECT_FALSE(change.inserts);
  EXPECT_EQ(change.removal.width, 7);
  EXPECT_EQ(change.removal.bits >> 8, 0b0101111) << "remove the second; four positions have no item";
}

TEST(ListChange, InsertionMaskIsFilledUpWithZeros) {
  const ListChange change = change_between(list_of({0, 2}), list_of({0, 1, 2}));
  EXPECT_FALSE(change.removes);
  EXPECT_TRUE(change.inserts);
  EXPECT_EQ(change.insertion.bits >> 8, 0b0100000);
  EXPECT_EQ(change.inserted, list_of({1}));
}

TEST(ListChange, WideMasksOnlyWhereNeeded) {
  IndexList eight = list_of({0, 1, 2, 3, 4, 5, 6, 7});
  const ListChange front = change_between(eight, list_of({1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(front.removal.width, 7) << "what a 7-bit mask does not cover stays (RFC 4815 5.3)";
  EXPECT_EQ(remove_from(eight, front.removal), list_of({1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(change_between(eight, list_of({0, 1, 2, 3, 4, 5, 6})).removal.width, 15);
}

TEST(ListChange, ErrorsOfTheDecompressor) {
  EXPECT_FALSE(remove_from(list_of({1, 2}), mask_of({0}))) << "'0' observed when ref_list has been exhausted";
  EXPECT_TRUE(remove_from(list_of({1, 2}), mask_of({0, 2, 3, 4, 5, 6})));
  EXPECT_FALSE(insert_into(list_of({1}), mask_of({0, 1}), list_of({5}))) << "the added items are exhausted";
  IndexList full;
  while (full.append(3)) continue;
  EXPECT_FALSE(insert_into(full, mask_of({0}), list_of({5}))) << "sixteen items";
}

TEST(ListChange, InsertionBehindTheReference) {
  EXPECT_EQ(insert_into(list_of({1}), mask_of({1, 2}), list_of({8, 9})), list_of({1, 8, 9}));
}

TEST(ListChange, AnyTwoListsAreOneChangeApart) {
  Random random(5);
  for (unsigned trial = 0; trial < 20'000; ++trial) {
    const auto drawn = [&] {
      IndexList list;
      const unsigned count = random.below(16);
      for (unsigned i = 0; i < count; ++i) EXPECT_TRUE(list.append(static_cast<std::uint8_t>(random.below(8))));
      return list;
    };
    const IndexList from = drawn();
    const IndexList to = drawn();
    const ListChange change = change_between(from, to);
    const auto rest = change.removes ? remove_from(from, change.removal) : from;
    ASSERT_TRUE(rest);
    const auto result = change.inserts ? insert_into(*rest, change.insertion, change.inserted) : rest;
    ASSERT_TRUE(result);
    ASSERT_EQ(*result, to);
  }
}

}  // namespace
}  // namespace headroom::rohc
