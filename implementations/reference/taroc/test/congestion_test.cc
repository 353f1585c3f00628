// SPDX-License-Identifier: Apache-2.0
//
// 6.2 and 6.3, sentence by sentence, with numbers worked out by hand. MSS is 1000, ISSTHRESH 8000.
#include "taroc/congestion.h"

#include <gtest/gtest.h>

namespace headroom::taroc {
namespace {

constexpr std::uint32_t kMss = 1000, kIssthresh = 8000, kFirst = 0xFFFFF000;  // numbers wrap soon
constexpr std::uint64_t kUnlimited = std::uint64_t{0xFFFF} << 14;

template <typename Tracker>
struct Tracked : Tracker {
  explicit Tracked(std::uint32_t first = kFirst) : Tracker(kMss, kIssthresh, first) {}
  // `octets` behind the first number.
  void at(std::uint32_t octets, std::uint64_t advertised = kUnlimited) { this->receive(kFirst + octets, advertised); }
};
using Sequence = Tracked<SequenceTracker>;
using Acknowledgement = Tracked<AcknowledgementTracker>;

TEST(Sequence, StartsInSlowStart) {
  const Sequence t;
  EXPECT_EQ(t.phase(), Phase::slow_start);
  EXPECT_EQ(t.cwnd(), 4000u);  // "IW SHOULD be set to 4*MSS"
  EXPECT_EQ(t.ssthresh(), 8000u);
  EXPECT_EQ(t.reach(), 16000u);  // MAX(cwnd, 2 * ssthresh)
}

// "Increase cwnd by the distance between NSN and CMAXSN … If the cwnd is larger than ssthresh, the algorithm transits
// to CONGESTION-AVOIDANCE state."
TEST(Sequence, GrowsByTheDistanceInSlowStart) {
  Sequence t;
  t.at(1000);
  EXPECT_EQ(t.cwnd(), 5000u);
  EXPECT_EQ(t.highest(), kFirst + 1000);
  EXPECT_EQ(t.lowest(), kFirst);  // 1000 are not more than cwnd
  t.at(4000);
  EXPECT_EQ(t.cwnd(), 8000u);
  EXPECT_EQ(t.phase(), Phase::slow_start);
  t.at(4001);
  EXPECT_EQ(t.cwnd(), 8001u);
  EXPECT_EQ(t.phase(), Phase::congestion_avoidance);
}

// "Increase cwnd by ((NSN-CMAXSN)*MSS)/cwnd"; CMINSN = CMAXSN - cwnd.
TEST(Sequence, GrowsByAShareInCongestionAvoidance) {
  Sequence t;
  t.at(5000);
  EXPECT_EQ(t.cwnd(), 9000u);
  EXPECT_EQ(t.phase(), Phase::congestion_avoidance);
  t.at(6000);
  EXPECT_EQ(t.cwnd(), 9111u);  // 1000 * 1000 / 9000 = 111
  t.at(15000);
  EXPECT_EQ(t.cwnd(), 9111u + 987u);  // 9000 * 1000 / 9111 = 987
  EXPECT_EQ(t.lowest(), kFirst + 15000 - 10098);
}

// "If the distance between NSN and CMAXSN is less than or equal to 3*MSS, ignore it."
TEST(Sequence, IgnoresMisorderingUpToThreeSegments) {
  for (const std::uint32_t ahead : {3000u, 6000u}) {  // in each of the two states
    Sequence t;
    t.at(ahead);
    const std::uint64_t cwnd = t.cwnd();
    t.at(ahead);
    t.at(ahead - 3000);
    EXPECT_EQ(t.cwnd(), cwnd);
    EXPECT_EQ(t.ssthresh(), 8000u);
    EXPECT_EQ(t.highest(), kFirst + ahead);
    t.at(ahead - 3001);
    EXPECT_EQ(t.phase(), Phase::fast_recovery);
    EXPECT_EQ(t.cwnd(), cwnd / 2);
    EXPECT_EQ(t.ssthresh(), cwnd / 2);
    EXPECT_EQ(t.highest(), kFirst + ahead);
  }
}

// "Halve the cwnd and set ssthresh to MAX(cwnd, 2*MSS)": and no cwnd is below 2*MSS.
TEST(Sequence, NoWindowIsBelowTwoSegments) {
  Sequence t;
  t.at(2000, 3000);  // advertised
  EXPECT_EQ(t.cwnd(), 3000u);
  t.at(0xFFFFF000);
  EXPECT_EQ(t.cwnd(), 2000u);
  EXPECT_EQ(t.ssthresh(), 2000u);
  Sequence closed;
  closed.at(1000, 0);
  EXPECT_EQ(closed.cwnd(), 2000u);
}

// "If NSN is larger than or equal to CMAXSN + cwnd, the algorithm transits into CONGESTION-AVOIDANCE state; otherwise,
// ignore it." CMAXSN stays until then.
TEST(Sequence, LeavesFastRecoveryBehindAWindow) {
  Sequence t;
  t.at(6000);  // cwnd 10000
  t.at(0);
  EXPECT_EQ(t.phase(), Phase::fast_recovery);
  EXPECT_EQ(t.cwnd(), 5000u);
  t.at(10999);
  t.at(1000);
  EXPECT_EQ(t.phase(), Phase::fast_recovery);
  EXPECT_EQ(t.highest(), kFirst + 6000);
  t.at(11000);
  EXPECT_EQ(t.phase(), Phase::congestion_avoidance);
  EXPECT_EQ(t.highest(), kFirst + 11000);
  EXPECT_EQ(t.cwnd(), 5000u);
}

TEST(Acknowledgement, GrowsAsTheSequenceDoes) {
  Acknowledgement t;
  EXPECT_EQ(t.cwnd(), 4000u);
  t.at(4000);
  EXPECT_EQ(t.cwnd(), 8000u);
  EXPECT_EQ(t.phase(), Phase::slow_start);
  t.at(5000);
  EXPECT_EQ(t.phase(), Phase::congestion_avoidance);
  t.at(6000);
  EXPECT_EQ(t.cwnd(), 9111u);
  t.at(7000, 9000);
  EXPECT_EQ(t.cwnd(), 9000u);  // advertised
}

// "If NDUPACKS is greater than 3, halve the cwnd and set ssthresh to MAX(cwnd, 2*MSS)": the fourth duplicate.
TEST(Acknowledgement, TheFourthDuplicateHalves) {
  for (const std::uint32_t ahead : {2000u, 6000u}) {
    Acknowledgement t;
    t.at(ahead);
    const std::uint64_t cwnd = t.cwnd();
    for (int i = 0; i < 3; ++i) t.at(ahead);
    EXPECT_EQ(t.duplicates(), 3u);
    EXPECT_EQ(t.cwnd(), cwnd);
    t.at(ahead);
    EXPECT_EQ(t.phase(), Phase::fast_recovery);
    EXPECT_EQ(t.cwnd(), cwnd / 2);
    EXPECT_EQ(t.ssthresh(), cwnd / 2);
  }
}

TEST(Acknowledgement, OthersEndTheCountOfDuplicates) {
  Acknowledgement t;
  t.at(2000);
  t.at(2000);
  t.at(2000);
  t.at(1000);  // "Otherwise, set NDUPACKS to 0"
  EXPECT_EQ(t.duplicates(), 0u);
  t.at(2000);
  t.at(3000);
  EXPECT_EQ(t.duplicates(), 0u);
  EXPECT_EQ(t.phase(), Phase::slow_start);
}

// "If NEWACK is larger than CMAXACK, set NDUPACKS to 0. After that, the algorithm transits into CONGESTION-AVOID
// state; otherwise, ignore it."
TEST(Acknowledgement, LeavesFastRecoveryWithTheNextOne) {
  Acknowledgement t;
  t.at(6000);
  for (int i = 0; i < 4; ++i) t.at(6000);
  t.at(6000);
  t.at(5000);
  EXPECT_EQ(t.phase(), Phase::fast_recovery);
  t.at(6001);
  EXPECT_EQ(t.phase(), Phase::congestion_avoidance);
  EXPECT_EQ(t.duplicates(), 0u);
  EXPECT_EQ(t.highest(), kFirst + 6001);
  EXPECT_EQ(t.cwnd(), 5000u);
}

}  // namespace
}  // namespace headroom::taroc
