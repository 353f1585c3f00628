// SPDX-License-Identifier: Apache-2.0
//
// Packets that the link cannot carry whole (RFC 3095, 5.2.5).
#include <gtest/gtest.h>

#include "base/hex.h"
#include "replay_jobs.h"

namespace headroom::replay {
namespace {

// A link for packets of at most 40 octets: each IR packet, of 33 to 40 octets of header, becomes segments.
Json narrow_job(std::uint64_t packets) {
  Json job = job_with(kReference, packets);
  for (const char* side : {"compressor", "decompressor"}) {
    job[side]["config"]["mrru"] = 1000;
    job[side]["config"]["largest_packet"] = 40;
  }
  job["records"] = "all";
  return job;
}

TEST(Segments, TravelAsLinkPacketsOfTheirOwn) {
  const Json result = run_job(narrow_job(50));
  const Json& forward = result["forward"];
  EXPECT_EQ(forward["verdicts"]["identical"], 50);
  const auto segmented = forward["compressor"]["statistics"]["segmented"].get<std::uint64_t>();
  EXPECT_EQ(segmented, 4u);  // the IR packets
  EXPECT_EQ(forward["compressor"]["statuses"]["OK"], 50);
  EXPECT_EQ(forward["decompressor"]["statistics"]["reassembled"], segmented);
  EXPECT_GT(forward["link"]["packets"], 50);
  std::uint64_t on_link = 0, octets = 0;
  for (const Json& record : result["records"]) {
    if (!record.contains("segments")) {
      EXPECT_LE(record["link"].get<std::string>().size(), 80u);
      ++on_link;
      octets += record["link"].get<std::string>().size() / 2;
      continue;
    }
    EXPECT_FALSE(record.contains("link"));
    const Json& segments = record["segments"];
    for (std::size_t i = 0; i < segments.size(); ++i) {
      const auto link = segments[i]["link"].get<std::string>();
      EXPECT_EQ(link.substr(0, 2), i + 1 == segments.size() ? "ff" : "fe");
      EXPECT_LE(link.size(), 80u);
      EXPECT_EQ(segments[i]["fate"], "delivered");
      ++on_link;
      octets += link.size() / 2;
    }
    EXPECT_EQ(record["decompressor"].size(), segments.size());
    EXPECT_EQ(record["decompressor"][0]["status"], "NOTHING");
    EXPECT_EQ(record["decompressor"].back()["status"], "OK");
  }
  EXPECT_EQ(forward["link"]["packets"], on_link);
  EXPECT_EQ(forward["link"]["octets"], octets);
  Json burst = narrow_job(50);
  burst["burst"] = 16;
  const Json together = run_job(burst);
  EXPECT_EQ(together["forward"]["verdicts"]["identical"], 50);
  for (std::size_t i = 0; i < 50; ++i) {
    for (const char* key : {"link", "segments"})
      EXPECT_EQ(together["records"][i].value(key, Json()), result["records"][i].value(key, Json()));
  }
}

TEST(Segments, OneThatIsLostDamagedOrInterruptedCostsThePacket) {
  Json job = narrow_job(4);
  const Json whole = run_job(job);
  const std::size_t first = whole["records"][0]["segments"].size();
  ASSERT_GE(first, 2u);
  job["link"]["forward"] = {{"drop", {0}}};
  Json result = run_job(job);
  EXPECT_EQ(result["records"][0]["verdict"], "lost_on_link");
  EXPECT_EQ(result["forward"]["verdicts"]["identical"], 3);
  job["link"]["forward"] = {{"drop", {first - 1}}};
  result = run_job(job);
  EXPECT_EQ(result["records"][0]["verdict"], "lost_on_link");
  // Without sequence numbers the segments of the next packet are taken for the missing ones, and both packets are lost.
  EXPECT_EQ(result["records"][1]["decompressor"].back()["status"], "ERR_CRC");
  EXPECT_EQ(result["forward"]["verdicts"]["identical"], 2);
  // A bit of the payload, where the link delivers such packets: the CRC of the unit does not forgive it.
  job["link"]["forward"] = {{"flip", {{{"packet", first - 1}, {"bit", 60}}}}, {"header_errors", "deliver"}};
  result = run_job(job);
  EXPECT_EQ(result["records"][0]["verdict"], "not_delivered");
  EXPECT_EQ(result["records"][0]["decompressor"].back()["status"], "ERR_CRC");
  // "Any non-segment-header packet following a nonfinal segment header aborts the reassembly" (RFC 3095, 5.2.5.2).
  job["link"]["forward"] = {{"insert", {{{"before", first - 1}, {"hex", "f120"}}}}};
  result = run_job(job);
  EXPECT_EQ(result["records"][0]["verdict"], "not_delivered");
  EXPECT_EQ(result["forward"]["decompressor"]["statistics"]["abandoned"], 1);
  EXPECT_EQ(result["forward"]["verdicts"]["identical"], 3);
}

TEST(Segments, CarryFeedbackInFront) {
  Json job = narrow_job(200);
  job["reverse"] = true;
  job["compressor"]["config"]["mode"] = job["decompressor"]["config"]["mode"] = "O";
  job["link"]["feedback"] = {{"path", "piggybacked"}};
  const Json result = run_job(job);
  for (const char* direction : {"forward", "reverse"}) {
    EXPECT_EQ(result[direction]["verdicts"]["identical"], 200);
    EXPECT_GT(result[direction]["feedback"]["received"]["messages"], 0);
    EXPECT_EQ(result[direction]["feedback"]["received"]["messages"], result[direction]["feedback"]["sent"]["messages"]);
  }
}

}  // namespace
}  // namespace headroom::replay
