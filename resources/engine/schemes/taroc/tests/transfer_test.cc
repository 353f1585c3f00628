// SPDX-License-Identifier: Apache-2.0
//
// TCP over a link with bit errors through compressors whose contexts such errors do not spoil.
#include <gtest/gtest.h>

#include "base/json_reader.h"
#include "transfer/run.h"

namespace headroom::transfer {
namespace {

Json job_of(double ber) {
  const Json options = {{"mss", 296}, {"issthresh", 3200}, {"window_scale", 0}};
  const Json adapter = {{"library", HEADROOM_LIBRARIES "/reference.so"},
                        {"config", {{"scheme", "taroc"}, {"options", options}}}};
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

// Appendix B assumes headers of 7 octets.
TEST(TransferTaroc, HeadersAreAsShortAsAssumed) {
  const Json compressed = result_of(job_of(0));
  EXPECT_EQ(compressed["link"]["discarded"], 0);
  EXPECT_LT(compressed["link"]["header_octets"].get<double>() / compressed["link"]["packets"].get<double>(), 8);
}

// "The compressor rarely gets out of synchronization with the decompressor" (4).
TEST(TransferTaroc, ADamagedPacketCostsNoOther) {
  for (const double ber : {1e-5, 1e-4}) {
    Json job = job_of(ber);
    const Json compressed = result_of(job);
    EXPECT_GT(compressed["link"]["damaged"].get<double>(), 100);
    EXPECT_LE(compressed["link"]["discarded"].get<double>(), 2);
    EXPECT_EQ(compressed["link"]["wrong"], 0);
    job.erase("codec");
    job.erase("reverse_codec");
    EXPECT_GT(compressed["throughput"].get<double>(), 1.02 * result_of(job)["throughput"].get<double>());
  }
}

}  // namespace
}  // namespace headroom::transfer
