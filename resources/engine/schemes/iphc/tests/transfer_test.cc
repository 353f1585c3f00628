// SPDX-License-Identifier: Apache-2.0
//
// TCP over a link with bit errors through compressors whose contexts such errors spoil, and which repair them.
#include <gtest/gtest.h>

#include "base/json_reader.h"
#include "transfer/run.h"

namespace headroom::transfer {
namespace {

Json job_of(double ber, const char* repair = "twice") {
  const Json compressor = {{"library", HEADROOM_LIBRARIES "/reference.so"}, {"config", {{"scheme", "iphc"}}}};
  Json decompressor = compressor;
  decompressor["config"]["options"] = {{"repair", repair}};
  const Json codec = {{"compressor", compressor}, {"decompressor", decompressor}};
  return {{"tcp", {{"congestion_control", "reno"}}},
          {"mtu", 296},
          {"network", {{"rate_bps", 8'000'000}, {"delay_ns", 100'000'000}}},
          {"link",
           {{"rate_bps", 64'000},
            {"delay_ns", 100'000'000},
            {"queue_packets", 20},
            {"ber", ber},
            {"harmed_at", "before-queue"}}},
          {"reverse_link", {{"rate_bps", 64'000}, {"delay_ns", 100'000'000}}},
          {"codec", codec},
          {"reverse_codec", codec},
          {"duration_ns", 1'000'000'000'000},
          {"batches", {{"fewest", 2}, {"most", 2}}},
          {"seed", 1}};
}

Json result_of(const Json& job) { return run(read_job(parse_json(job.dump()))); }

// "The usual 4-7 octets" (RFC 2507, 11.2).
TEST(TransferIphc, HeadersAreShortOnACleanLink) {
  const Json compressed = result_of(job_of(0));
  EXPECT_EQ(compressed["link"]["discarded"], 0);
  EXPECT_LT(compressed["link"]["header_octets"].get<double>() / compressed["link"]["packets"].get<double>(), 7);
}

// 10.1: the "twice" algorithm repairs most of what a lost packet spoils; without it all is lost until a segment is sent
// again, or a header that was requested comes (10.2).
TEST(TransferIphc, TwiceRepairsWhatADamagedPacketSpoils) {
  const Json repaired = result_of(job_of(3e-5)), dropped = result_of(job_of(3e-5, "verify"));
  EXPECT_GT(repaired["link"]["damaged"].get<double>(), 100);
  EXPECT_LT(repaired["link"]["discarded"].get<double>(), 0.5 * dropped["link"]["discarded"].get<double>());
  EXPECT_GT(repaired["throughput"].get<double>(), 1.1 * dropped["throughput"].get<double>());
  EXPECT_EQ(repaired["link"]["wrong"], 0);
}

}  // namespace
}  // namespace headroom::transfer
