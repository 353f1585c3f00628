// SPDX-License-Identifier: Apache-2.0
//
// Admission: what a source may cost, what strangers may cost together, and that others do not pay for it.
#include "sigcomp/guard/admission.h"

#include <gtest/gtest.h>

#include <limits>

#include "sigcomp/decompressor.h"
#include "sigcomp/dictionary/dictionary.h"
#include "sigcomp/test/support/machine.h"

namespace headroom::sigcomp {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kLongAgo = 5 * kSecond;  // the clock need not begin at 0

TEST(AdmissionTest, WithoutLimitsAdmitsEverythingAndRemembersNobody) {
  Admission admission({});
  for (SourceId source = 0; source < 100; ++source) {
    EXPECT_TRUE(admission.admit(source, 0));
    admission.charge(source, 0, std::numeric_limits<std::uint64_t>::max(), true);
  }
  EXPECT_EQ(admission.counters().admitted, 100U);
  EXPECT_EQ(admission.sources(), 0U);
}

TEST(AdmissionTest, WhatCannotWorkIsRefusedWithASentence) {
  EXPECT_THROW(Admission({.most_sources = 0}), std::invalid_argument);
  EXPECT_THROW(Admission({.work = {1000, 0}}), std::invalid_argument);
}

// 1000 units a second, 500 at once; each message takes 100.
TEST(AdmissionTest, ASourceGetsItsBurstAndThenItsRate) {
  Admission admission({.work = {1000, 500}});
  unsigned admitted = 0;
  for (std::uint64_t ms = 0; ms < 10'000; ++ms) {
    const std::uint64_t now = kLongAgo + ms * 1'000'000;
    if (!admission.admit(1, now)) continue;
    admission.charge(1, now, 100, false);
    ++admitted;
  }
  EXPECT_GE(admitted, 104U);  // 5 and 10 a second
  EXPECT_LE(admitted, 105U);
  EXPECT_EQ(admission.counters().refused_for_work, 10'000U - admitted);
  // Another has not paid for it.
  EXPECT_TRUE(admission.admit(2, kLongAgo + 10 * kSecond));
}

TEST(AdmissionTest, ADebtIsPaidOffInTime) {
  Admission admission({.work = {1000, 1}});
  ASSERT_TRUE(admission.admit(1, kLongAgo));
  admission.charge(1, kLongAgo, 20'000, false);
  EXPECT_FALSE(admission.admit(1, kLongAgo + 19 * kSecond));
  EXPECT_TRUE(admission.admit(1, kLongAgo + 20 * kSecond));
}

TEST(AdmissionTest, FailuresCountByThemselves) {
  // One in ten seconds, three at once.
  Admission admission({.failures = {AdmissionConfig::kFailure / 10, 3 * AdmissionConfig::kFailure}});
  unsigned admitted = 0;
  for (std::uint64_t second = 0; second < 100; ++second) {
    if (!admission.admit(1, kLongAgo + second * kSecond)) continue;
    admission.charge(1, kLongAgo + second * kSecond, 1, true);
    ++admitted;
  }
  EXPECT_GE(admitted, 12U);
  EXPECT_LE(admitted, 13U);
  EXPECT_EQ(admission.counters().refused_for_failures, 100U - admitted);
  // What succeeds is as frequent as it likes.
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(admission.admit(2, kLongAgo));
    admission.charge(2, kLongAgo, 1, false);
  }
}

// Each message comes from a new address.
TEST(AdmissionTest, StrangersShareWhatTheyMayCost) {
  Admission admission({.strangers = {1000, 100}, .most_sources = 16});
  admission.vouch(1);
  unsigned admitted = 0;
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    const std::uint64_t now = kLongAgo + i * 1'000'000;
    const SourceId forged = 1'000'000 + i;
    ASSERT_TRUE(admission.admit(1, now)) << "one who has been vouched for pays for strangers";
    admission.charge(1, now, 100, false);
    if (!admission.admit(forged, now)) continue;
    admission.charge(forged, now, 100, false);
    ++admitted;
    ASSERT_LE(admission.sources(), 16U);
  }
  EXPECT_GE(admitted, 100U);
  EXPECT_LE(admitted, 102U);
  EXPECT_EQ(admission.counters().refused_as_strangers, 10'000U - admitted);
  EXPECT_EQ(admission.counters().forgotten, 10'000U - 15U);
}

TEST(AdmissionTest, WhoIsForgottenIsTheStrangerHeardOfLeastRecently) {
  Admission admission({.work = {1, 1}, .most_sources = 3});
  for (const SourceId source : {1U, 2U, 3U}) {
    ASSERT_TRUE(admission.admit(source, kLongAgo));
    admission.charge(source, kLongAgo, 1000, false);
  }
  admission.vouch(1);
  EXPECT_FALSE(admission.admit(2, kLongAgo));  // so 3 is older now
  EXPECT_TRUE(admission.admit(4, kLongAgo));
  EXPECT_FALSE(admission.admit(1, kLongAgo));
  EXPECT_FALSE(admission.admit(2, kLongAgo));
  EXPECT_TRUE(admission.admit(3, kLongAgo)) << "what it owed should be forgotten";
  EXPECT_EQ(admission.sources(), 3U);
  EXPECT_EQ(admission.counters().forgotten, 2U);
}

TEST(AdmissionTest, OnlyVouchedSourcesAreForgottenForEachOther) {
  Admission admission({.work = {1, 1}, .most_sources = 2});
  admission.vouch(1);
  admission.vouch(2);
  admission.vouch(3);
  EXPECT_EQ(admission.sources(), 2U);
  EXPECT_EQ(admission.counters().forgotten, 1U);
}

TEST(AdmissionTest, ExtremesDoNotOverflow) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  Admission admission({.work = {1, 1}, .failures = {1, kMost}, .strangers = {kMost, kMost}});
  for (const std::uint64_t now : {std::uint64_t{0}, kMost / 2}) {
    (void)admission.admit(1, now);
    admission.charge(1, now, kMost, true);
    EXPECT_FALSE(admission.admit(1, now));
  }
  admission.charge(1, kMost, kMost, true);
  (void)admission.admit(1, kMost);  // there is no time after it
}

TEST(AdmissionTest, TimeThatGoesBackStandsStill) {
  Admission admission({.work = {1000, 500}});
  admission.charge(1, 10 * kSecond, 100, false);
  EXPECT_TRUE(admission.admit(1, 0)) << "100 of 500";
  admission.charge(1, 0, 300, false);
  EXPECT_TRUE(admission.admit(1, 0)) << "400 of 500";
  admission.charge(1, 0, 200, false);
  EXPECT_FALSE(admission.admit(1, 5 * kSecond)) << "no time has passed, so nothing has been paid off";
  EXPECT_TRUE(admission.admit(1, 10 * kSecond + kSecond / 2));
}

TEST(AdmissionTest, WhoIsForgottenHasNeitherDebtsNorFriends) {
  Admission admission({.work = {1, 1}, .strangers = {1, 1}});
  ASSERT_TRUE(admission.admit(1, kLongAgo));
  admission.charge(1, kLongAgo, 1000, false);
  admission.vouch(2);
  admission.forget(1);
  admission.forget(2);
  admission.forget(3);
  EXPECT_EQ(admission.sources(), 0U);
  EXPECT_FALSE(admission.admit(2, kLongAgo)) << "a stranger again, and strangers owe 1000";
  EXPECT_EQ(admission.counters().refused_as_strangers, 1U);
  EXPECT_TRUE(admission.admit(1, kLongAgo + 1000 * kSecond));
}

// The attack of maenpaa-2005 11.7, changed so that the verifier has no proof (each hash takes a bit of input), from one
// source, beside the calls of another.
TEST(AdmissionTest, AnAttackerTakesItsShareAndNoMore) {
  StateHandler states(1);
  Decompressor decompressor({}, states);
  const auto program = assembler::assemble(
      "at (128) :start INPUT-BITS (1, 1024, loop) SHA-1 (0, 1, 1024) SHA-1 (0, 1, 1024) SHA-1 (0, 1, 1024)"
      "SHA-1 (0, 1, 1024) SHA-1 (0, 1, 1024) JUMP (start) :loop DECOMPRESSION-FAILURE");
  const auto attack = assembler::upload(std::get<assembler::Program>(program), test::Bytes(1437, 'x'));
  const auto good = assembler::assemble(
      "at (64) :place pad (2) at (128) :start INPUT-BYTES (1, place, end) OUTPUT (place, 1) JUMP (start)"
      ":end END-MESSAGE (0, 0, 0, 0, 0, 0, 0)");
  const auto message = assembler::upload(std::get<assembler::Program>(good), test::Bytes(1300, 'x'));

  // A tenth of a core of 100 million units a second.
  constexpr std::uint64_t kRate = 10'000'000;
  constexpr std::uint64_t kBurst = 1'000'000;
  Admission admission({.work = {kRate, kBurst}});
  std::uint64_t attackers_work = 0;
  std::uint64_t largest = 0;
  const auto give = [&](SourceId source, const test::Bytes& octets, std::uint64_t now) -> std::uint64_t {
    if (!admission.admit(source, now)) return 0;
    const Outcome& outcome = decompressor.decompress(octets, Transport::kMessages);
    admission.charge(source, now, outcome.work, outcome.kind == Outcome::Kind::kFailure);
    EXPECT_EQ(outcome.kind == Outcome::Kind::kFailure, source == 1);
    return outcome.work;
  };
  for (std::uint64_t ms = 0; ms < 1000; ++ms) {
    const std::uint64_t now = kLongAgo + ms * 1'000'000;
    const std::uint64_t work = give(1, std::get<test::Bytes>(attack), now);
    attackers_work += work;
    largest = std::max(largest, work);
    if (ms % 100 == 0) {
      EXPECT_GT(give(2, std::get<test::Bytes>(message), now), 0U);
    }
  }
  EXPECT_GT(largest, 400'000U) << "no attack";
  EXPECT_LE(attackers_work, kRate + kBurst + largest);
  EXPECT_GT(admission.counters().refused_for_work, 900U);
}

}  // namespace
}  // namespace headroom::sigcomp
