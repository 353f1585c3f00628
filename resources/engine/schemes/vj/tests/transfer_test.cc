// SPDX-License-Identifier: Apache-2.0
//
// TCP over a link with bit errors through compressors whose contexts such errors spoil.
#include <gtest/gtest.h>

#include "base/json_reader.h"
#include "transfer/run.h"

namespace headroom::transfer {
namespace {

Json job_of(double ber) {
  const Json adapter = {{"library", HEADROOM_LIBRARIES "/reference.so"}, {"config", {{"scheme", "vj"}}}};
  const Json codec = {{"compressor", adapter}, {"decompressor", adapter}};
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

TEST(TransferVj, IsFasterOnACleanLink) {
  Json job = job_of(0);
  const Json compressed = result_of(job);
  EXPECT_EQ(compressed["link"]["discarded"], 0);
  EXPECT_LT(compressed["link"]["header_octets"].get<double>() / compressed["link"]["packets"].get<double>(), 6);
  job.erase("codec");
  job.erase("reverse_codec");
  EXPECT_GT(compressed["throughput"].get<double>(), 1.05 * result_of(job)["throughput"].get<double>());
}

// RFC 1144, 4: behind a lost packet, all that follow are discarded until one is sent again.
TEST(TransferVj, LosesAWindowForEachDamagedPacket) {
  Json job = job_of(3e-5);
  const Json compressed = result_of(job);
  EXPECT_GT(compressed["link"]["discarded"].get<double>(), compressed["link"]["damaged"].get<double>());
  EXPECT_EQ(compressed["link"]["wrong"], 0);
  job.erase("codec");
  job.erase("reverse_codec");
  EXPECT_LT(compressed["throughput"].get<double>(), 0.8 * result_of(job)["throughput"].get<double>());
}

TEST(TransferVj, AssumedHeadersChangeTimesAlone) {
  Json job = job_of(0);
  job["compressed_header"] = 4;
  const Json result = result_of(job);
  const auto packets = result["link"]["packets"].get<std::uint64_t>();
  const auto whole = result["link"]["uncompressed"].get<std::uint64_t>();
  EXPECT_EQ(result["link"]["header_octets"], 4 * (packets - whole) + 40 * whole);
  EXPECT_LT(whole, packets / 10);
}

}  // namespace
}  // namespace headroom::transfer
