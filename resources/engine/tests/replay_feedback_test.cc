// SPDX-License-Identifier: Apache-2.0
//
// The ways that feedback takes, what becomes of it on them, and what else reaches a compressor beside packets.
#include <gtest/gtest.h>

#include <functional>

#include "replay_jobs.h"

namespace headroom::replay {
namespace {

Json talk(
    const std::string& path, const std::function<void(Json&)>& change = [](Json&) {}) {
  Json job = job_with(kTalker, 100);
  job["link"]["feedback"] = {{"path", path}};
  job["reverse"] = path == "interspersed" || path == "piggybacked";
  change(job);
  return run_job(job);
}

TEST(Feedback, OwnChannel) {
  const Json forward = talk("own")["forward"];
  EXPECT_EQ(forward["feedback"]["sent"]["messages"], 20);
  EXPECT_EQ(forward["feedback"]["received"]["octets"], 40);
  EXPECT_EQ(forward["compressor"]["statistics"]["given"], 20);
  EXPECT_EQ(forward["verdicts"]["identical"], 100);
}

// A compressor knows no report of a damaged frame: it gets whole elements (headroom.h).
TEST(Feedback, OwnChannelCarriesNoReports) {
  const Json forward = talk("own", [](Json& job) {
    Json& link = job["link"]["feedback"];
    link["insert"] = {{{"before", 0}, {"error", true}}};
    link["flip"] = Json::array({{{"packet", 1}, {"bit", 0}}});
    link["header_errors"] = "report";
  })["forward"];
  EXPECT_EQ(forward["feedback"]["lost"]["header_error"], 1);
  EXPECT_EQ(forward["feedback"]["received"]["messages"], 19);
  EXPECT_EQ(forward["compressor"]["statistics"]["given"], 19);
}

TEST(Feedback, OwnChannelCanLose) {
  const Json forward = talk("own", [](Json& job) { job["link"]["feedback"]["drop"] = {0, 3}; })["forward"];
  EXPECT_EQ(forward["feedback"]["lost"]["scripted_drop"], 2);
  EXPECT_EQ(forward["compressor"]["statistics"]["given"], 18);
}

TEST(Feedback, NoPathDiscards) {
  const Json forward = talk("none")["forward"];
  EXPECT_EQ(forward["feedback"]["discarded"], 20);
  EXPECT_EQ(forward["compressor"]["statistics"]["given"], 0);
}

TEST(Feedback, Interspersed) {
  const Json result = talk("interspersed");
  for (const char* direction : {"forward", "reverse"}) {
    EXPECT_EQ(result[direction]["compressor"]["statistics"]["given"], 20) << direction;
    EXPECT_EQ(result[direction]["verdicts"]["identical"], 100);
    EXPECT_EQ(result[direction]["inserted"]["statuses"]["NOTHING"], 20);
    EXPECT_EQ(result[direction]["link"]["packets"], 120);
  }
}

TEST(Feedback, RecordsSayWhoSaidWhat) {
  const Json result = talk("piggybacked", [](Json& job) { job["records"] = "all"; });
  std::size_t said = 0, found = 0;
  for (const Json& record : result["records"]) {
    if (record.contains("feedback")) said += record["feedback"].size();
    if (record.contains("passed_on")) found += record["passed_on"].size();
  }
  EXPECT_EQ(said, 40u);
  EXPECT_EQ(found, result["forward"]["feedback"]["received"]["messages"].get<std::size_t>() +
                       result["reverse"]["feedback"]["received"]["messages"].get<std::size_t>());
  EXPECT_GE(found, 38u);
}

TEST(Feedback, Piggybacked) {
  const Json result = talk("piggybacked");
  for (const char* direction : {"forward", "reverse"}) {
    const auto given = result[direction]["compressor"]["statistics"]["given"].get<std::uint64_t>();
    const auto waiting = result[direction]["feedback"]["waiting"].get<std::uint64_t>();
    EXPECT_EQ(given + waiting, 20u) << direction;
    EXPECT_LE(waiting, 1u);
    EXPECT_EQ(result[direction]["verdicts"]["identical"], 100);
    EXPECT_EQ(result[direction]["link"]["packets"], 100);
  }
}

TEST(Feedback, SharesTheFateOfTheReverseChannel) {
  const Json result = talk("interspersed", [](Json& job) { job["link"]["reverse"] = {{"loss", 1}}; });
  EXPECT_EQ(result["forward"]["feedback"]["sent"]["messages"], 20);
  EXPECT_EQ(result["forward"]["compressor"]["statistics"]["given"], 0);
  EXPECT_EQ(result["forward"]["verdicts"]["identical"], 100);
  EXPECT_EQ(result["reverse"]["verdicts"]["lost_on_link"], 100);
}

TEST(Replay, TimeNeverGoesBackForAnyInstance) {
  const Json result = talk("piggybacked", [](Json& job) {
    job["burst"] = 4;
    job["link"]["forward"] = {
        {"delay_ns", 30'000'000}, {"jitter_ns", 200'000'000}, {"reorder", {{"probability", 0.3}, {"depth", 5}}}};
    job["link"]["reverse"] = {{"jitter_ns", 70'000'000}, {"duplicate", 0.5}};
  });
  for (const char* direction : {"forward", "reverse"}) {
    for (const char* side : {"compressor", "decompressor"}) {
      EXPECT_EQ(result[direction][side]["statistics"]["time_went_back"], false) << direction << side;
    }
  }
}

TEST(Replay, ControlMessagesComeBeforeTheirPacket) {
  const Json result = talk("own", [](Json& job) {
    job["burst"] = 16;
    job["control"] = {{{"before", 50}, {"side", "compressor"}, {"message", {{"mode", "O"}}}}};
  });
  Json modes = Json::array();
  for (const Json& transition : result["forward"]["compressor"]["transition_list"]) {
    if (transition["what"] == "mode") modes.push_back({transition["packet"], transition["from"], transition["to"]});
  }
  EXPECT_EQ(modes.dump(), R"([[0,null,"U"],[50,"U","O"]])");
  EXPECT_EQ(result["control_missed"], 0);
}

TEST(Replay, ControlMessagesForPacketsThatNeverComeAreCounted) {
  const Json result = talk("own", [](Json& job) {
    const auto count = job["source"]["packets"].get<std::uint64_t>();
    job["control"] = {{{"before", count - 1}, {"side", "compressor"}, {"message", {{"mode", "O"}}}},
                      {{"before", count}, {"side", "compressor"}, {"message", {{"mode", "U"}}}},
                      {{"before", count + 7}, {"side", "decompressor"}, {"message", {{"mode", "U"}}}}};
  });
  EXPECT_EQ(result["control_missed"], 2);
}

TEST(Replay, StatisticsComeFromDetails) {
  const Json compressor = talk("own")["forward"]["compressor"];
  EXPECT_EQ(compressor["packet_types"]["IR"]["packets"], 2);
  EXPECT_EQ(compressor["packet_types"]["SMALL"]["packets"], 98);
  EXPECT_EQ(compressor["header_length"]["mean"], 1);
  EXPECT_EQ(compressor["profiles"]["0x0001"], 100);
  EXPECT_EQ(compressor["contexts"], 1);
  EXPECT_EQ(compressor["transition_list"][2].dump(),
            R"({"packet":2,"channel":0,"cid":7,"what":"state","from":"IR","to":"SO"})");
  EXPECT_EQ(talk("own")["forward"]["decompressor"]["events"]["spoke"], 20);
}

}  // namespace
}  // namespace headroom::replay
