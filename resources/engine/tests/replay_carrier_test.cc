// SPDX-License-Identifier: Apache-2.0
//
// Link packets of one scheme that are packets of another: here in cells of 32 octets, with 30 octets of packets and two
// of length in front of each.
#include <gtest/gtest.h>

#include "replay_jobs.h"

namespace headroom::replay {
namespace {

Json cells(std::uint32_t channels = 1) {
  return {{"library", HEADROOM_LIBRARIES "/faulty/packer.so"},
          {"config", {{"scheme", "cells"}, {"channels", channels}, {"mrru", 2000}}}};
}

Json carried_job(std::uint64_t packets = 300, std::uint64_t flows = 3) {
  Json job = job_with(kReference, packets, flows);
  job["carrier"] = {{"compressor", cells()}, {"decompressor", cells()}};
  job["records"] = "all";
  return job;
}

std::uint64_t with_verdict(const Json& result, const char* verdict) {
  return result["forward"]["verdicts"][verdict].get<std::uint64_t>();
}

TEST(Carrier, EachPacketComesOutAsItWentIn) {
  for (const bool ethernet : {false, true}) {
    for (const std::uint32_t burst : {1u, 5u}) {
      Json job = carried_job();
      job["carrier"]["ethernet"] = ethernet;
      job["burst"] = burst;
      const Json result = run_job(job);
      EXPECT_TRUE(result["promise_broken"].is_null()) << result["promise_broken"];
      EXPECT_EQ(with_verdict(result, "identical"), 300u);
      const Json& carrier = result["forward"]["carrier"];
      EXPECT_EQ(carrier["packets"]["delivered"], 300);
      EXPECT_EQ(carrier["packets"]["carried"], 300);
      EXPECT_EQ(result["forward"]["link"]["packets"], 300);
      const auto inner = result["forward"]["link"]["octets"].get<std::uint64_t>();
      const auto outer = carrier["link"]["octets"].get<std::uint64_t>();
      EXPECT_EQ(outer % 32, 0u);
      EXPECT_GT(outer / 32 * 30, inner + 300 * (ethernet ? 16 : 2));
      EXPECT_EQ(carrier["compressor"]["adapter"]["name"], "packer");
      EXPECT_TRUE(carrier["decompressor"]["statistics"].is_object());
    }
  }
}

TEST(Carrier, WhatWaitsLeavesAtTheCarriersDeadline) {
  const Json result = run_job(carried_job(2, 1));
  const Json& last = result["records"][1];
  const auto sent = last["time_ns"].get<std::uint64_t>(),
             arrived = last["decompressor"][0]["time_ns"].get<std::uint64_t>();
  EXPECT_EQ(arrived, sent + 1'000'000);
}

TEST(Carrier, ChannelsAreApart) {
  Json job = carried_job(300, 3);
  for (const char* side : {"compressor", "decompressor"}) {
    job[side]["config"] = {{"scheme", "rohc"}, {"channels", 3}, {"max_cid", 0}};
    job["carrier"][side] = cells(3);
  }
  EXPECT_EQ(with_verdict(run_job(job), "identical"), 300u);
  for (const char* side : {"compressor", "decompressor"}) job["carrier"][side] = cells(2);
  EXPECT_NE(job_error(job, ErrorKind::job).find("/carrier: each channel needs one of the carrier's: there are 3"),
            std::string::npos);
}

TEST(Carrier, WhatItLosesIsLostOnTheLink) {
  Json job = carried_job(300, 1);
  job["link"]["forward"] = {{"drop", {20, 40}}};
  const Json result = run_job(job);
  const Json& carrier = result["forward"]["carrier"];
  EXPECT_EQ(carrier["link"]["lost"], Json({{"scripted_drop", 2}}));
  const std::uint64_t missing = 300 - carrier["packets"]["delivered"].get<std::uint64_t>();
  EXPECT_GE(missing, 2u);
  EXPECT_EQ(result["forward"]["link"]["lost"], Json({{"carrier", missing}}));
  EXPECT_EQ(with_verdict(result, "lost_on_link"), missing);
  EXPECT_EQ(with_verdict(result, "identical"), 300 - missing);
  std::uint64_t recorded = 0;
  for (const Json& record : result["records"]) {
    const bool is_lost = record["fate"] == "carrier";
    EXPECT_EQ(record["verdict"] == "lost_on_link", is_lost);
    EXPECT_EQ(record["decompressor"].empty(), is_lost);
    recorded += is_lost ? 1 : 0;
  }
  EXPECT_EQ(recorded, missing);
}

// Cells have no CRC: what is damaged comes out in the place of what was sent.
TEST(Carrier, WhatItDamagesReachesTheDecompressor) {
  Json job = carried_job(300, 1);
  job["link"]["forward"] = {{"flip", {{{"packet", 30}, {"bit", 8 * 20}}}}, {"header_errors", "deliver"}};
  const Json result = run_job(job);
  EXPECT_EQ(result["forward"]["carrier"]["packets"]["damaged"], 1);
  EXPECT_EQ(result["forward"]["carrier"]["packets"]["delivered"], 299);
  EXPECT_EQ(with_verdict(result, "lost_on_link"), 0u);
  EXPECT_EQ(with_verdict(result, "identical"), 299u);
}

TEST(Carrier, ACopyOfItsLinkPacketsIsSeen) {
  Json job = job_with(kNull, 5);
  job["carrier"] = {{"compressor", adapter(kNull)}, {"decompressor", adapter(kNull)}};
  job["link"]["forward"] = {{"duplicate", 1.0}};
  const Json result = run_job(job);
  EXPECT_EQ(with_verdict(result, "identical"), 5u);
  EXPECT_EQ(result["forward"]["carrier"]["packets"]["delivered"], 5);
  EXPECT_EQ(result["forward"]["carrier"]["packets"]["duplicates"], 5);
  EXPECT_EQ(result["forward"]["duplicates_delivered"], 5);
}

TEST(Carrier, SegmentsAreCarriedToo) {
  Json job = carried_job(100, 2);
  for (const char* side : {"compressor", "decompressor"}) {
    job[side]["config"]["mrru"] = 2000;
    job[side]["config"]["largest_packet"] = 20;
  }
  const Json whole = run_job(job);
  EXPECT_EQ(with_verdict(whole, "identical"), 100u);
  EXPECT_GT(whole["forward"]["link"]["packets"], 150);
  job["link"]["forward"] = {{"loss", 0.03}};
  const Json result = run_job(job);
  EXPECT_GT(with_verdict(result, "lost_on_link"), 2u);
  EXPECT_EQ(with_verdict(result, "mismatched"), 0u);
  for (const Json& record : result["records"]) {
    bool is_lost = record.value("fate", "") == "carrier";
    for (const Json& segment : record.value("segments", Json::array())) is_lost |= segment["fate"] == "carrier";
    EXPECT_EQ(record["verdict"] == "lost_on_link", is_lost) << record;
  }
}

TEST(Carrier, WithoutADecompressorTheRunEndsAtTheLink) {
  Json job = carried_job(300, 1);
  job.erase("decompressor");
  EXPECT_NE(job_error(job, ErrorKind::job).find("leave out the carrier's"), std::string::npos);
  job["carrier"].erase("decompressor");
  job["link"]["forward"] = {{"drop", {20}}};
  const Json result = run_job(job);
  EXPECT_GT(with_verdict(result, "lost_on_link"), 0u);
  EXPECT_EQ(with_verdict(result, "lost_on_link") + with_verdict(result, "sent"), 300u);
}

TEST(Carrier, FeedbackHasAChannelOfItsOwn) {
  Json job = carried_job(300, 1);
  for (const char* side : {"compressor", "decompressor"}) job[side]["config"]["mode"] = "O";
  job["link"] = {{"feedback", {{"path", "own"}}}};
  const Json result = run_job(job);
  EXPECT_EQ(with_verdict(result, "identical"), 300u);
  EXPECT_GT(result["forward"]["feedback"]["received"]["messages"], 0);
}

TEST(Carrier, ADefectOfItsAdapterIsItsOwn) {
  for (const std::string side : {"compressor", "decompressor"}) {
    for (const char* fault : {"claims_too_many_octets", "has_deadlines_without_end", "has_a_deadline_that_is_over"}) {
      Json job = job_with(kNull, 10);
      job["carrier"] = {{"compressor", adapter(kNull)}, {"decompressor", adapter(kNull)}};
      EXPECT_EQ(with_verdict(run_job(job), "identical"), 10u);
      job["carrier"][side] = adapter(faulty(fault));
      const Json broken = run_job(job)["promise_broken"];
      ASSERT_TRUE(broken.is_object()) << side << " " << fault;
      EXPECT_EQ(broken["side"], "carrier-" + side) << fault;
    }
  }
}

TEST(Carrier, JobsThatAreWrongAreRefused) {
  const auto error = [](const std::function<void(Json&)>& change) {
    Json job = carried_job(5, 1);
    change(job);
    return job_error(job, ErrorKind::job);
  };
  EXPECT_EQ(error([](Json& job) { job["reverse"] = true; }),
            "/carrier: a carrier carries one direction: leave out \"reverse\".");
  EXPECT_NE(error([](Json& job) { job["carrier"].erase("decompressor"); }).find("has to put out"), std::string::npos);
  EXPECT_NE(error([](Json& job) { job["carrier"]["type"] = 100; }), "no error");
  EXPECT_NE(error([](Json& job) { job["carrier"]["kind"] = 1; }), "no error");
  EXPECT_NE(error([](Json& job) { job["compressor"] = job["decompressor"] = cells(); }).find("cannot be carried again"),
            std::string::npos);
  EXPECT_NE(error([](Json& job) {
              job["compressor"]["config"] = job["decompressor"]["config"] = {{"scheme", "vj"}};
            }).find("have types of their own"),
            std::string::npos);
}

}  // namespace
}  // namespace headroom::replay
