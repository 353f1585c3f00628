// SPDX-License-Identifier: Apache-2.0
//
// The sliding window beside a list of packets, of which minimum and maximum are searched.
#include "taroc/window.h"

#include <gtest/gtest.h>

#include <deque>
#include <random>

namespace headroom::taroc {
namespace {

using wire::distance;

// The window as 5 and 7.1 describe it: packets in the order in which they were sent.
class List {
 public:
  void add(const Values& values, std::uint64_t octets) {
    packets_.push_back(values);
    while (packets_.size() > 1 && (behind(kSequence) > octets || behind(kAcknowledgement) > octets))
      packets_.pop_front();
  }
  [[nodiscard]] Ranges ranges() const {
    Ranges ranges;
    for (std::size_t f = 0; f < kFields; ++f) {
      ranges[f] = {packets_.front()[f], packets_.front()[f]};
      for (const Values& v : packets_) ranges[f].unite({v[f], v[f]});
    }
    return ranges;
  }
  [[nodiscard]] std::size_t size() const { return packets_.size(); }
  // How far the first packet is behind the highest number.
  [[nodiscard]] std::uint64_t behind(Field field) const {
    wire::Range range = {packets_.front()[field], packets_.front()[field]};
    for (const Values& v : packets_) range.unite({v[field], v[field]});
    return range.max - packets_.front()[field];
  }

 private:
  std::deque<Values> packets_;
};

bool holds(const Ranges& wide, const Ranges& narrow) {
  for (std::size_t f = 0; f < kFields; ++f) {
    if (distance(wide[f].min, narrow[f].min) < 0 || distance(narrow[f].max, wide[f].max) < 0) return false;
  }
  return true;
}

Values next_of(Values v, std::mt19937& random) {
  const auto some = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random()) % n; };
  v[kSequence] += some(20) == 0 ? 0u - some(5000) : some(1500);
  v[kAcknowledgement] += some(3) == 0 ? some(3000) : 0;
  v[kPacketId] += 1 + some(4);
  v[kWindowField] = 8000 + some(2000);
  v[kTsValue] += some(30);
  v[kTsEcho] += some(2) == 0 ? some(30) : 0;
  return v;
}

Values first_of(std::mt19937& random) {
  Values v;
  for (std::uint32_t& one : v) one = static_cast<std::uint32_t>(random());
  v[kWindowField] = 8000;
  return v;
}

TEST(Window, OfUpTo64PacketsIsTheList) {
  std::mt19937 random(3);
  for (int round = 0; round < 5; ++round) {
    SlidingWindow window;
    List list;
    Values v = first_of(random);
    std::uint64_t octets = 15'000;
    for (int i = 0; i < 1000; ++i) {
      if (i % 100 == 0) octets = 5000 + random() % 15'000;
      v = next_of(v, random);
      ASSERT_TRUE(window.empty() || window.has_room_for(v));
      window.add(v, octets);
      list.add(v, octets);
      ASSERT_LE(list.size(), SlidingWindow::kBuckets) << "the test's packets are too short";
      ASSERT_EQ(window.packets(), list.size());
      const Ranges found = window.ranges(), expected = list.ranges();
      for (std::size_t f = 0; f < kFields; ++f) {
        ASSERT_EQ(found[f].min, expected[f].min) << i << ' ' << f;
        ASSERT_EQ(found[f].max, expected[f].max) << i << ' ' << f;
      }
    }
  }
}

TEST(Window, OfMorePacketsIsALittleWider) {
  std::mt19937 random(4);
  SlidingWindow window;
  List list;
  Values v = first_of(random);
  std::size_t most = 0;
  for (int i = 0; i < 4000; ++i) {
    const std::uint64_t octets = i < 2000 ? 430'000 : 60'000;
    v = next_of(v, random);
    window.add(v, octets);
    list.add(v, octets);
    most = std::max(most, list.size());
    if (i % 50 == 49) {
      ASSERT_TRUE(holds(window.ranges(), list.ranges())) << i;
    }
    if (i == 1999 || i == 3999) {
      EXPECT_LE(window.ranges()[kSequence].span(), octets + octets / 8);
      EXPECT_LE(window.packets(), list.size() + list.size() / 4);
    }
  }
  EXPECT_GT(most, 837u);  // as many have been seen
}

TEST(Window, HoldsNoMoreThanAThousandPackets) {
  SlidingWindow window;
  Values v{};
  for (int i = 0; i < 20'000; ++i) {
    v[kSequence] += 1;
    v[kPacketId] += 1;
    window.add(v, 1'000'000);
    ASSERT_LE(window.packets(), SlidingWindow::kMostPackets);
    ASSERT_LE(window.ranges()[kPacketId].reach(v[kPacketId] + 1), SlidingWindow::kMostPackets);
  }
  EXPECT_GT(window.packets(), SlidingWindow::kMostPackets - 64);
}

TEST(Window, BehindALongJumpOnePacketIsLeft) {
  std::mt19937 random(5);
  for (const int packets : {1, 10, 64, 65, 500}) {
    SlidingWindow window;
    Values v = first_of(random);
    for (int i = 0; i < packets; ++i) {
      v[kSequence] += 1000;
      window.add(v, 1'000'000);
    }
    v[kSequence] += 1'000'001;
    window.add(v, 1'000'000);
    EXPECT_EQ(window.packets(), 1u) << packets;
    EXPECT_EQ(window.ranges()[kSequence].span(), 0u);
    for (int i = 0; i < packets; ++i) {
      v[kAcknowledgement] += 1000;
      window.add(v, 1'000'000);
    }
    v[kAcknowledgement] += 1'000'001;
    window.add(v, 1'000'000);
    EXPECT_EQ(window.packets(), 1u) << packets;
  }
}

TEST(Window, HasRoomForWhatCanBeCompared) {
  SlidingWindow window;
  Values v{};
  window.add(v, 100);
  for (std::size_t f = 0; f < kFields; ++f) {
    for (const std::uint32_t near : {0u, SlidingWindow::kWidest, 0u - SlidingWindow::kWidest}) {
      Values other = v;
      other[f] += near;
      EXPECT_TRUE(window.has_room_for(other)) << f << ' ' << near;
    }
    for (const std::uint32_t far : {SlidingWindow::kWidest + 1, 0x80000000u, 0u - SlidingWindow::kWidest - 1}) {
      Values other = v;
      other[f] += far;
      EXPECT_FALSE(window.has_room_for(other)) << f << ' ' << far;
    }
  }
  window.clear();
  EXPECT_TRUE(window.empty());
  v[kSequence] = 0x80000000;
  window.add(v, 100);
  EXPECT_EQ(window.ranges()[kSequence].min, 0x80000000u);
}

}  // namespace
}  // namespace headroom::taroc
