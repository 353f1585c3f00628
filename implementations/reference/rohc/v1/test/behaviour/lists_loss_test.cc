// SPDX-License-Identifier: Apache-2.0
//
// Lists that come, go and change at any time, and packets that get lost meanwhile (RFC 3095 5.8).
#include <gtest/gtest.h>

#include <vector>

#include "rohc/framework/test/support/effort.h"
#include "rohc/framework/test/support/random.h"
#include "rohc/v1/test/support/link.h"
#include "rohc/v1/test/support/restless_flow.h"

namespace headroom::rohc {
namespace {

using test::Link;
using test::Packet;
using test::Random;
using test::RestlessFlow;

TEST(Lists, AnythingMayHappen) {
  for (std::uint64_t seed = 1; seed <= test::seeds(60); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Link link;
    RestlessFlow flow(test::listed_packet(seed), seed);
    for (unsigned i = 0; i < 600; ++i) ASSERT_TRUE(link.pass(flow.next())) << "packet " << i << '\n' << link.describe();
  }
}

TEST(Lists, AnyThreeConsecutivePacketsMayGetLost) {
  constexpr unsigned kL = 4;
  for (std::uint64_t seed = 1; seed <= test::seeds(24); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    CompressorConfig config;
    config.repeats = kL;
    Compressor compressor(config);
    RestlessFlow flow(test::listed_packet(seed), seed);
    std::vector<Packet> plain;
    std::vector<test::Compressed> link;
    for (unsigned i = 0; i < 150; ++i) {
      plain.push_back(flow.next());
      link.push_back(test::compress(compressor, plain.back()));
    }
    DecompressorConfig d;
    d.repair_reference = d.repair_wraparound = false;
    for (std::size_t lost = 1; lost < kL; ++lost) {
      for (std::size_t from = 0; from + lost <= plain.size(); ++from) {
        Decompressor decompressor(d);
        for (std::size_t i = 0; i < plain.size(); ++i) {
          if (i >= from && i < from + lost) continue;
          const test::Restored r = test::decompress(decompressor, link[i].octets);
          ASSERT_TRUE(r.status == HEADROOM_OK && r.octets == plain[i])
              << lost << " lost from " << from << ": packet " << i << " (" << test::name_of(link[i].type())
              << ") gave status " << r.status << "\nlink " << test::to_hex(link[i].octets) << "\nwas  "
              << test::to_hex(plain[i]) << "\nis   " << test::to_hex(r.octets);
        }
      }
    }
  }
}

// Without a wrong packet: what R-mode does not know to be there, it does not use.
TEST(Lists, ReliableModeLosesOnlyWhatTheLinkLoses) {
  for (std::uint64_t seed = 1; seed <= test::seeds(30); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    CompressorConfig c = test::without_refreshes();
    c.highest_mode = wire::Mode::kReliable;
    DecompressorConfig d;
    d.mode = wire::Mode::kReliable;
    Link link(c, d);
    RestlessFlow flow(test::listed_packet(seed), seed);
    Random random(seed);
    for (unsigned i = 0; i < 800; ++i) {
      const Packet packet = flow.next();
      if (i > 40 && random.chance(0.1)) {
        link.lose(packet);
        continue;
      }
      ASSERT_TRUE(link.pass(packet)) << "packet " << i << '\n' << link.describe();
      link.carry_feedback();
    }
    EXPECT_EQ(link.sent.mode(), wire::Mode::kReliable);
  }
}

TEST(Lists, OptimisticModeRecoversFromAnyLoss) {
  for (std::uint64_t seed = 1; seed <= test::seeds(30); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    DecompressorConfig d;
    d.mode = wire::Mode::kOptimistic;
    Link link(test::without_refreshes(), d);
    RestlessFlow flow(test::listed_packet(seed), seed);
    Random random(seed);
    unsigned silent = 0;
    for (unsigned i = 0; i < 1500; ++i) {
      const Packet packet = flow.next();
      if (i > 20 && random.chance(0.1)) {  // a context that was never established gets no NACK (5.2.6)
        for (unsigned k = 0; k < random.below(12); ++k) link.lose(flow.next());
      }
      // A CRC of 3 bits passes one wrong header in eight, so after losses like these a wrong packet says nothing.
      silent = link.pass(packet) ? 0 : silent + 1;
      ASSERT_LT(silent, 60U) << "packet " << i << '\n' << link.describe();
      link.carry_feedback();
    }
  }
}

}  // namespace
}  // namespace headroom::rohc
