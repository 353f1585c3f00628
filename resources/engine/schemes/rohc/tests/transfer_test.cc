// SPDX-License-Identifier: Apache-2.0
//
// TCP by profile 0x0006 (RFC 6846) over a link with bit errors, with feedback over the other direction.
#include <gtest/gtest.h>

#include "base/json_reader.h"
#include "transfer/run.h"

namespace headroom::transfer {
namespace {

Json job_of(double ber, const char* profile) {
  const Json config = {{"scheme", "rohc"}, {"profiles", {"0x0000", profile}}, {"mode", "O"}};
  const Json end = {{"library", HEADROOM_LIBRARIES "/reference.so"}, {"config", config}};
  const Json codec = {{"compressor", end}, {"decompressor", end}};
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

double header_of(const Json& result) {
  return result["link"]["header_octets"].get<double>() / result["link"]["packets"].get<double>();
}

// A base header of 3 or 4 octets and the checksum (RFC 6846, 8.2). Profile 0x0004 compresses IP alone.
TEST(TransferRohc, HeadersAreShortOnACleanLink) {
  const Json tcp = result_of(job_of(0, "0x0006")), ip = result_of(job_of(0, "0x0004"));
  EXPECT_EQ(tcp["link"]["discarded"], 0);
  EXPECT_LT(header_of(tcp), 7);
  EXPECT_GT(tcp["throughput"].get<double>(), 1.05 * ip["throughput"].get<double>());
}

// Lost packets spoil no context: the compressor's window of references is wider than most losses.
TEST(TransferRohc, ContextsOutliveDamagedPackets) {
  const Json result = result_of(job_of(3e-5, "0x0006"));
  const double damaged = result["link"]["damaged"].get<double>();
  EXPECT_GT(damaged, 100);
  EXPECT_LT(result["link"]["discarded"].get<double>(), 0.05 * damaged);
  EXPECT_EQ(result["link"]["wrong"], 0);
  EXPECT_LT(header_of(result), 8);
}

}  // namespace
}  // namespace headroom::transfer
