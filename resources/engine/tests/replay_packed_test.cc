// SPDX-License-Identifier: Apache-2.0
//
// Link packets that carry several packets, or parts of them, and leave at a deadline where no packet comes.
#include <gtest/gtest.h>

#include "base/hex.h"
#include "replay/packed.h"
#include "replay_jobs.h"

namespace headroom::replay {
namespace {

// Packets of these lengths, `step_ns` apart, each with octets of its own, on one channel or two in turn.
Json packer_job(const std::vector<std::size_t>& lengths, std::uint64_t step_ns, std::uint32_t channels = 1) {
  const Json side = {{"library", HEADROOM_LIBRARIES "/faulty/packer.so"},
                     {"config", {{"scheme", "cells"}, {"channels", channels}}}};
  Json packets = Json::array();
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    Octets octets(lengths[i]);
    for (std::size_t k = 0; k < octets.size(); ++k) octets[k] = static_cast<std::uint8_t>(16 * i + k);
    packets.push_back({{"hex", to_hex(octets)}, {"time_ns", i * step_ns}, {"channel", i % channels}});
  }
  return {{"compressor", side}, {"decompressor", side}, {"source", {{"packets", packets}}}, {"records", "all"}};
}

std::vector<std::string> verdicts(const Json& result) {
  std::vector<std::string> verdicts;
  for (const Json& record : result["records"]) verdicts.push_back(record["verdict"].text());
  return verdicts;
}

using Verdicts = std::vector<std::string>;

TEST(PackedReplay, EachPacketIsFoundAgain) {
  for (const std::uint32_t burst : {1u, 3u}) {
    Json job = packer_job({10, 10, 100, 3, 27, 28, 29, 30, 1, 58}, 1000);
    job["burst"] = burst;
    const Json result = run_job(job);
    EXPECT_TRUE(result["promise_broken"].is_null()) << result["promise_broken"];
    EXPECT_EQ(verdicts(result), Verdicts(10, "identical"));
    EXPECT_EQ(result["forward"]["link"]["packets"], 11) << "10 full cells, and one at the deadline";
    EXPECT_EQ(result["forward"]["mismatches"], 0);
    EXPECT_EQ(result["forward"]["duplicates_delivered"], 0);
  }
}

TEST(PackedReplay, WhatWaitsLeavesAtTheDeadline) {
  const Json result = run_job(packer_job({5, 5, 5}, 700'000));
  EXPECT_EQ(verdicts(result), Verdicts(3, "identical"));
  EXPECT_EQ(result["forward"]["link"]["packets"], 1) << "each packet puts it off by a millisecond";
  EXPECT_EQ(result["records"][0]["decompressor"][0]["time_ns"], 2'400'000);
  EXPECT_EQ(result["records"][0].value("segments", Json()), Json());
  EXPECT_EQ(result["records"][2]["segments"].size(), 1u);
  EXPECT_EQ(result["records"][0]["compressor"]["status"], "NOTHING");
  const Json apart = run_job(packer_job({5, 5, 5}, 2'000'000));
  EXPECT_EQ(apart["forward"]["link"]["packets"], 3);
  EXPECT_EQ(apart["records"][1]["decompressor"][0]["time_ns"], 3'000'000);
}

TEST(PackedReplay, ChannelsAreApart) {
  const Json result = run_job(packer_job({5, 40, 5, 40, 5, 40}, 10, 2));
  EXPECT_EQ(verdicts(result), Verdicts(6, "identical"));
}

TEST(PackedReplay, ALostLinkPacketCostsWhatItCarries) {
  // 12 octets each, and cells of 30: packets 2 and 4 begin in one cell and end in the next.
  Json job = packer_job(std::vector<std::size_t>(8, 10), 1000);
  job["link"]["forward"] = {{"drop", {1}}};
  const Json result = run_job(job);
  EXPECT_EQ(verdicts(result), (Verdicts{"identical", "identical", "lost_on_link", "lost_on_link", "lost_on_link",
                                        "identical", "identical", "identical"}));
}

TEST(PackedReplay, ADamagedLinkPacketIsNotLost) {
  Json job = packer_job(std::vector<std::size_t>(8, 10), 1000);
  job["link"]["forward"] = {{"flip", {{{"packet", 1}, {"bit", 8 * 12}}}}, {"header_errors", "deliver"}};
  const Json result = run_job(job);
  EXPECT_EQ(result["forward"]["verdicts"]["mismatched"], 1);
  EXPECT_EQ(result["forward"]["mismatches"], 1);
  EXPECT_EQ(result["forward"]["verdicts"]["identical"], 7);
  EXPECT_EQ(result["records"][3]["verdict"], "mismatched");
  // The same behind a loss: each verdict is that of its own packet.
  job["link"]["forward"]["drop"] = {0};
  const Json both = run_job(job);
  EXPECT_EQ(both["records"][0]["verdict"], "lost_on_link");
  EXPECT_EQ(both["records"][3]["verdict"], "mismatched");
  job["link"]["forward"].erase("drop");
  // A number that is wrong: the decompressor drops what it has begun, and what the cell begins with.
  job["link"]["forward"]["flip"][0]["bit"] = 0;
  const Json late = run_job(job);
  EXPECT_EQ(late["forward"]["mismatches"], 0);
  EXPECT_GT(late["forward"]["verdicts"]["not_delivered"], 0);
  EXPECT_EQ(late["forward"]["verdicts"]["lost_on_link"], 0);
}

TEST(PackedReplay, ACopyOfALinkPacketIsSeen) {
  Json job = packer_job(std::vector<std::size_t>(5, 10), 2'000'000);  // one cell each
  const std::string cell = run_job(job)["records"][1]["segments"][0]["link"].text();
  job["link"]["forward"] = {{"insert", {{{"before", 2}, {"hex", cell}}}}};
  const Json result = run_job(job);
  EXPECT_EQ(verdicts(result), Verdicts(5, "identical"));
  EXPECT_EQ(result["forward"]["duplicates_delivered"], 1);
}

TEST(PackedReplay, WithoutADecompressorPacketsAreSent) {
  Json job = packer_job({10, 10, 10, 10}, 1000);
  job.erase("decompressor");
  job["link"]["forward"] = {{"drop", {1}}};
  EXPECT_EQ(verdicts(run_job(job)), (Verdicts{"sent", "sent", "lost_on_link", "lost_on_link"}));
}

TEST(PackedReplay, APacketThatNobodySentIsWrong) {
  Json job = packer_job({10, 10}, 2'000'000);
  job["link"]["forward"] = {{"insert", {{{"before", 2}, {"hex", "020000017f" + std::string(54, 'f')}}}}};
  job["source"]["packets"].push_back({{"hex", "00"}, {"time_ns", 4'000'000}});
  const Json result = run_job(job);
  EXPECT_EQ(result["forward"]["verdicts"]["identical"], 2);
  EXPECT_EQ(result["forward"]["verdicts"]["mismatched"], 1) << "it came in the place of the third";
  job["link"]["forward"]["insert"][0]["before"] = 3;
  const Json behind = run_job(job);
  EXPECT_EQ(behind["forward"]["inserted"]["delivered"], 1) << "none is missing";
  EXPECT_EQ(behind["forward"]["verdicts"]["identical"], 3);
}

TEST(PackedReplay, ADeadlineThatNeverMovesIsABrokenPromise) {
  const Json result = run_job(job_with(faulty("has_a_deadline_that_is_over"), 3));
  EXPECT_EQ(result["promise_broken"]["function"], "next_deadline");
}

TEST(PackedReplay, DeadlinesWithoutEndAreABrokenPromise) {
  const Json result = run_job(job_with(faulty("has_deadlines_without_end"), 3));
  EXPECT_EQ(result["promise_broken"]["function"], "next_deadline");
}

SourcePacket packet(std::uint32_t channel, Octets octets) {
  SourcePacket packet;
  packet.channel = channel;
  packet.octets = std::move(octets);
  return packet;
}

TEST(Packed, CopiesAreTakenInOrder) {
  const std::vector<SourcePacket> source = {packet(0, {1}), packet(0, {2}), packet(0, {1}), packet(1, {1})};
  Packed packed(source);
  for (std::size_t i = 0; i < source.size(); ++i) packed.take(i);
  EXPECT_EQ(packed.deliver(0, source[1].octets)->index, 1u);
  EXPECT_EQ(packed.deliver(0, source[0].octets)->index, 2u) << "the first copy was lost: order says so";
  EXPECT_EQ(packed.deliver(0, source[0].octets)->index, 0u) << "or it came late";
  EXPECT_TRUE(packed.deliver(0, source[0].octets)->again);
  EXPECT_FALSE(packed.deliver_another(0));
  EXPECT_FALSE(packed.deliver(1, source[1].octets));
  EXPECT_FALSE(packed.deliver(2, source[1].octets));
}

TEST(Packed, SomethingElseStandsForTheNext) {
  const std::vector<SourcePacket> source = {packet(0, {1}), packet(0, {2}), packet(0, {3}), packet(0, {4})};
  Packed packed(source);
  for (std::size_t i = 0; i < source.size(); ++i) packed.take(i);
  EXPECT_EQ(packed.deliver(0, source[1].octets)->index, 1u);
  EXPECT_EQ(packed.deliver_another(0), 2u) << "the first is lost, the third damaged";
  EXPECT_EQ(packed.deliver_another(0), 3u);
  EXPECT_EQ(packed.deliver_another(0), 0u);
  EXPECT_FALSE(packed.deliver_another(0));
  EXPECT_FALSE(packed.deliver_another(1));
}

TEST(Packed, WhatHasNotLeftIsUnsent) {
  const std::vector<SourcePacket> source(3, packet(0, {1}));
  Packed packed(source);
  EXPECT_FALSE(packed.is_unsent(0)) << "not taken";
  packed.take(0);
  packed.take(1);
  EXPECT_TRUE(packed.is_unsent(0));
  packed.note_sent(0, 0, true);
  EXPECT_FALSE(packed.is_unsent(0));
  EXPECT_TRUE(packed.is_unsent(1));
  packed.take(2);
  packed.note_sent(0, Packed::kDeadline, true);
  EXPECT_FALSE(packed.is_unsent(2));
}

TEST(Packed, APacketMayBeInItsOwnCallsLinkPacketsAndTheNext) {
  const std::vector<SourcePacket> source(6, packet(0, {1}));
  Packed packed(source);
  packed.take(0);
  packed.take(1);
  packed.note_sent(0, 1, true);
  packed.take(2);
  packed.note_sent(0, 2, false);
  packed.take(3);
  packed.note_sent(0, 3, true);
  packed.take(4);
  packed.note_sent(0, Packed::kDeadline, false);
  packed.take(5);
  packed.note_sent(0, 5, false);
  EXPECT_FALSE(packed.may_be_lost(0)) << "it had left with the call for 1 at the latest";
  EXPECT_TRUE(packed.may_be_lost(1));
  EXPECT_TRUE(packed.may_be_lost(2));
  EXPECT_TRUE(packed.may_be_lost(3));
  EXPECT_TRUE(packed.may_be_lost(4));
  EXPECT_TRUE(packed.may_be_lost(5));
}

}  // namespace
}  // namespace headroom::replay
