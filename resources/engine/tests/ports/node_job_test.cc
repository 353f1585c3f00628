// SPDX-License-Identifier: Apache-2.0
//
// Jobs of `node`: what is right, and where each wrong one is wrong.
#include <gtest/gtest.h>

#include "node/job.h"
#include "node_frames.h"

namespace headroom::node {
namespace {

// The place that the error names; the sentence is in the second.
std::pair<std::string, std::string> refusal(const Json& job) {
  try {
    (void)read(job);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::job);
    return {error.where(), error.what()};
  }
  return {"accepted", ""};
}

Json with(const char* key, const Json& value) {
  Json job = job_of("null");
  job[key] = value;
  return job;
}

TEST(NodeJob, HasDefaults) {
  const Job job = read(job_of("null"));
  EXPECT_EQ(job.burst, 32);
  EXPECT_EQ(job.plain_mtu, 1500u);
  EXPECT_EQ(job.link_mtu, 1500u);
  EXPECT_EQ(job.feedback, Feedback::own);
  EXPECT_TRUE(job.pad);
  EXPECT_FALSE(job.tags().used());
  EXPECT_FALSE(read(job_of("")).pad) << "a bare bridge has no packets of its own";
}

TEST(NodeJob, DrawsASeedWhereNoneIsGiven) {
  Json job = job_of("null");
  job["compressor"]["config"].erase("seed");
  job["decompressor"]["config"]["seed"] = 7;
  const Json one = seeds_of(read(job)), other = seeds_of(read(job));
  EXPECT_EQ(one["decompressor"], 7);
  EXPECT_EQ(other["decompressor"], 7);
  EXPECT_TRUE(one["endpoint"].is_null());
  EXPECT_NE(one["compressor"], other["compressor"]) << "one in 2^53 draws";
  EXPECT_LT(one["compressor"].get<std::uint64_t>(), std::uint64_t{1} << 53);
  const Job again = [&] {
    job["compressor"]["config"]["seed"] = one["compressor"];
    return read(job);
  }();
  EXPECT_EQ(seeds_of(again), one) << "what a result shows repeats the run";
  EXPECT_EQ(again.compressor->config["seed"], one["compressor"]) << "the adapter gets it";
  EXPECT_TRUE(seeds_of(read(job_of("")))["compressor"].is_null()) << "a bare bridge";
}

TEST(NodeJob, IsRefusedWhereItIsWrong) {
  EXPECT_EQ(refusal(with("workers", Json::array())).first, "/workers");
  EXPECT_EQ(refusal(with("workers", {1, 2, 1})).first, "/workers/2");
  EXPECT_EQ(refusal(with("workers", {5000})).first, "/workers/0");
  EXPECT_EQ(refusal(with("burst", 0)).first, "/burst");
  EXPECT_EQ(refusal(with("mtu", {{"plain", 20}})).first, "/mtu/plain");
  EXPECT_EQ(refusal(with("mtu", {{"wire", 1500}})).first, "/mtu/wire");
  EXPECT_EQ(refusal(with("feedback", "loud")).first, "/feedback");
  EXPECT_EQ(refusal(with("channel_vlan", 4095)).first, "/channel_vlan");
  EXPECT_EQ(refusal(with("no_such_key", 1)).first, "/no_such_key");
  EXPECT_EQ(refusal(with("distribution", "queues")).first, "/distribution") << "not a user plane";
  EXPECT_EQ(refusal(with("link", {{"vdev", "net_null0"}})).first, "/link") << "the plain side's port";
  EXPECT_EQ(refusal(with("duration_s", -1)).first, "/duration_s");
  EXPECT_EQ(refusal(with("shaper", {{"rate_bps", 1000}})).first, "/shaper") << "no queue_packets";
  EXPECT_EQ(refusal(with("shaper", {{"rate_bps", 0}, {"queue_packets", 1}})).first, "/shaper/rate_bps");
  Json shaped = with("shaper", {{"rate_bps", 1000}, {"queue_packets", 6}});
  EXPECT_EQ(read(shaped).shaper->queue_packets, 6u);
  shaped["workers"] = {0, 1};
  EXPECT_EQ(refusal(shaped).first, "/shaper");
}

TEST(NodeJob, HasUniversalTimeWhereTheSchemeHasUseForIt) {
  Job job;
  job.compressor = AdapterJob{};
  job.compressor->scheme = "ule";
  job.compressor->config = {{"scheme", "ule"}};
  job.decompressor = AdapterJob{};
  job.decompressor->scheme = "rohc";
  job.decompressor->config = {{"scheme", "rohc"}};
  add_universal_time(job, 1'234'567);
  EXPECT_EQ(job.compressor->config["universal_time_ns"], 1'234'567);
  EXPECT_FALSE(job.decompressor->config.contains("universal_time_ns"));
  add_universal_time(job, 7);
  EXPECT_EQ(job.compressor->config["universal_time_ns"], 1'234'567) << "the job's own";
}

TEST(NodeJob, HasReceivingCoresOfItsOwn) {
  Json job = with("distribution", "rx-cores");
  EXPECT_NE(refusal(job).second.find("rx_cores"), std::string::npos) << "there are none";
  job["rx_cores"] = {1, 2};
  EXPECT_EQ(read(job).rx_cores, (std::vector<unsigned>{1, 2}));
  job["rx_cores"] = {1, 2, 1};
  EXPECT_EQ(refusal(job).first, "/rx_cores/2");
  job["rx_cores"] = {1, 0};
  EXPECT_EQ(refusal(job).first, "/rx_cores/1") << "a worker's, and both would poll";
  job["idle"] = "sleep";
  EXPECT_EQ(read(job).rx_cores, (std::vector<unsigned>{1, 0}));
  job["distribution"] = "hand-over";
  EXPECT_EQ(refusal(job).first, "/rx_cores") << "workers receive";
  job.erase("distribution");
  EXPECT_EQ(refusal(job).first, "/rx_cores");
}

TEST(NodeJob, HasVlansForAllChannels) {
  Json job = with("workers", {0, 1, 2});
  job["channel_vlan"] = 4092;
  EXPECT_EQ(read(job).tags().first, 4092);
  job["channel_vlan"] = 4093;
  EXPECT_EQ(refusal(job).first, "/channel_vlan");
}

TEST(NodeJob, HasOneChannelAnInstance) {
  EXPECT_EQ(refusal(job_of("null", {{"channels", 2}})).first, "/compressor/config/channels");
}

TEST(NodeJob, PadsOnlyWhatMayBePadded) {
  Json job = job_of("null");
  job["compressor"]["config"]["scheme"] = "copy";
  EXPECT_EQ(refusal(job).first, "/decompressor/config/scheme") << "two schemes on one link";
  job["decompressor"]["config"]["scheme"] = "copy";
  EXPECT_FALSE(read(job).pad);
  job["pad"] = true;
  EXPECT_EQ(refusal(job).first, "/pad");
}

}  // namespace
}  // namespace headroom::node
