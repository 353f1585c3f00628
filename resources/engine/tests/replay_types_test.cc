// SPDX-License-Identifier: Apache-2.0
//
// The type of the link layer: carried, captured, read again; and the report of a damaged frame.
#include "replay_jobs.h"

namespace headroom::replay {
namespace {

const std::string kTyped = HEADROOM_LIBRARIES "/faulty/typed.so";

TEST(ReplayTypes, TheLinkCarriesTheTypeOfEachPacket) {
  Json job = job_with(kTyped, 100, 3);
  job["burst"] = 7;
  job["records"] = "all";
  const Json result = run_job(job);
  EXPECT_EQ(result["forward"]["verdicts"]["identical"], 100);
  EXPECT_EQ(result["records"][0]["link_type"], 0x2D);
  EXPECT_EQ(result["records"][1]["link_type"], 0x2F);
}

// A link packet is one packet of the source: what comes out once more is none, even if it has the same octets.
TEST(ReplayTypes, WhatComesOutTwiceIsNoPacketOfTheSource) {
  Json job = job_with(kTyped, 20, 3);
  job["records"] = "all";
  job["decompressor"]["config"]["options"] = {{"twice", true}};
  const Json forward = run_job(job)["forward"];
  EXPECT_EQ(forward["verdicts"]["identical"], 20);
  EXPECT_EQ(forward["inserted"]["delivered"], 20);
}

TEST(ReplayTypes, WhatIsSentTwiceComesOutOnce) {
  Json job = job_with(kTyped, 20);
  job["burst"] = 1;
  job["records"] = "all";
  job["compressor"]["config"]["options"] = {{"again", 0}};
  const Json result = run_job(job);
  EXPECT_EQ(result["forward"]["verdicts"]["identical"], 20);
  EXPECT_EQ(result["forward"]["inserted"]["delivered"], 20);
  EXPECT_EQ(result["records"][20]["of"], 0);
}

TEST(ReplayTypes, WhatACompressorSendsBesidesIsRecorded) {
  Json job = job_with(kTyped, 20);
  job.erase("decompressor");
  job["burst"] = 1;
  job["records"] = "all";
  job["compressor"]["config"]["channels"] = 2;
  job["compressor"]["config"]["options"] = {{"again", 1}};
  const Json records = run_job(job)["records"];
  int besides = 0;
  for (const Json& record : records) {
    if (!record.contains("besides")) continue;
    ++besides;
    EXPECT_EQ(record["before"], besides);
    EXPECT_EQ(record["channel"], 1);
    EXPECT_EQ(record["link"], records[static_cast<std::size_t>(besides) - 1]["segments"][0]["link"]);
  }
  EXPECT_EQ(besides, 20);
}

TEST(ReplayTypes, LinkPacketsOfAJobHaveThem) {
  const Json job = {
      {"decompressor", adapter(kTyped)},
      {"source",
       {{"packets", {{{"hex", "2d2e"}, {"type", 0x2D}}, {{"hex", "2d2e"}, {"type", 0x2F}}, {{"hex", "2d2e"}}}}}},
      {"expected", {{"packets", {{{"hex", "0003"}}, {{"hex", "0201"}}, nullptr}}}}};
  const Json verdicts = run_job(job)["forward"]["verdicts"];
  EXPECT_EQ(verdicts["identical"], 2);
  EXPECT_EQ(verdicts["withheld"], 1);
}

TEST(ReplayTypes, TheDigestTellsTypesApart) {
  Json job = {{"decompressor", adapter(kTyped)}, {"source", {{"packets", {{{"hex", "2d2e"}, {"type", 0x2D}}}}}}};
  const Json one = run_job(job)["link_sha256"];
  job["source"]["packets"][0]["type"] = 0x2F;
  EXPECT_NE(run_job(job)["link_sha256"], one);
}

TEST(ReplayTypes, AReportOfADamagedFrameReachesTheDecompressor) {
  Json job = job_with(faulty("takes_a_loss_for_a_packet"), 10);
  EXPECT_TRUE(run_job(job)["promise_broken"].is_null());
  job["link"]["forward"] = {{"insert", {{{"before", 5}, {"error", true}}}}};
  EXPECT_EQ(run_job(job)["promise_broken"]["side"], "decompressor");
  job["link"]["forward"] = {{"flip", {{{"packet", 5}, {"bit", 0}}}}};
  EXPECT_TRUE(run_job(job)["promise_broken"].is_null());
  job["link"]["forward"]["header_errors"] = "report";
  EXPECT_EQ(run_job(job)["promise_broken"]["side"], "decompressor");
}

TEST(ReplayTypes, AReportOnAChannelThatIsNotThereMayBeRefused) {
  Json job = job_with(kReference, 10);
  job["link"]["forward"] = {{"insert", {{{"before", 5}, {"error", true}, {"channel", 5}}}}};
  const Json result = run_job(job);
  EXPECT_TRUE(result["promise_broken"].is_null()) << result["promise_broken"];
  EXPECT_EQ(result["forward"]["verdicts"]["identical"], 10);
}

TEST(ReplayTypes, WhatComesOutAfterAReportIsNoPacketOfTheSource) {
  Json job = job_with(kTyped, 10);
  job["burst"] = 1;
  job["link"]["forward"] = {{"insert", {{{"before", 5}, {"error", true}}}}};
  EXPECT_EQ(run_job(job)["forward"]["inserted"]["delivered"], 0);
  job["decompressor"]["config"]["options"] = {{"twice", true}};
  EXPECT_EQ(run_job(job)["forward"]["inserted"]["delivered"], 10 + 1);
}

TEST(ReplayTypes, AReportIsNoPacket) {
  Json job = job_with(kTyped, 100);
  job["link"]["forward"] = {{"ber", 0.0005}, {"header_errors", "report"}, {"payload_errors", "report"}};
  const Json forward = run_job(job)["forward"];
  EXPECT_GT(forward["verdicts"]["lost_on_link"], 0);
  EXPECT_EQ(forward["verdicts"]["identical"].get<int>() + forward["verdicts"]["lost_on_link"].get<int>(), 100);
  EXPECT_EQ(forward["inserted"]["delivered"], 0);
  EXPECT_EQ(forward["inserted"]["statuses"], Json::object());
}

}  // namespace
}  // namespace headroom::replay
