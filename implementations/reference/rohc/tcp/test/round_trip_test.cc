// SPDX-License-Identifier: Apache-2.0
//
// Whatever goes in comes out, as long as no more packets in a row are lost than the compressor reckons with; and behind
// that nothing wrong comes out of a decompressor that verifies checksums.
#include <gtest/gtest.h>

#include <set>

#include "rohc/tcp/test/ends.h"
#include "rohc/tcp/test/traffic.h"

namespace headroom::rohc::tcp {
namespace {

using namespace testing;

TEST(TcpRoundTrip, EveryPacketComesOutAsItWentIn) {
  std::set<PacketType> seen;
  for (unsigned shape = 0; shape < Traffic::kShapes; ++shape) {
    for (const unsigned wildness : {0U, 8U, 64U, 255U}) {
      for (unsigned seed = 0; seed < 10; ++seed) {
        CompressorConfig config;
        config.repeats = 1 + seed % 4;
        Ends ends(config, {}, seed % 2 == 1, seed * 50);
        Traffic traffic(100 * shape + seed, shape, wildness);
        std::mt19937 loss(seed + 99);
        unsigned lost = 0;
        for (unsigned i = 0; i < 300; ++i) {
          const Packet packet = traffic.next();
          const Packet link = ends.compress(packet);
          if (ends.last.unfit != Unfit::kNone) continue;
          ASSERT_FALSE(ends.last.no_space);
          seen.insert(ends.last.type);
          if (lost + 1 < config.repeats && loss() % 4 == 0) {
            ++lost;
            continue;
          }
          lost = 0;
          ASSERT_TRUE(ends.decompress(link) == packet)
              << "shape " << shape << " wildness " << wildness << " seed " << seed << " packet " << i << " type "
              << static_cast<unsigned>(ends.last.type) << " status " << static_cast<unsigned>(ends.result.status)
              << " link " << test::to_hex(link);
          ASSERT_EQ(ends.result.type, ends.last.type);
          ASSERT_EQ(ends.result.compressed_header, ends.last.compressed_header);
        }
      }
    }
  }
  for (unsigned type = 0; type < kFormats + 2; ++type) EXPECT_EQ(seen.count(static_cast<PacketType>(type)), 1U) << type;
}

// Flows that begin with IR-CR packets, while their base contexts go on; losses below `repeats` on both CIDs.
TEST(TcpRoundTrip, ReplicatedFlowsComeOut) {
  unsigned replicated = 0;
  for (unsigned shape = 0; shape < Traffic::kShapes; ++shape) {
    for (const unsigned wildness : {0U, 16U, 64U}) {
      for (unsigned seed = 0; seed < 20; ++seed) {
        Ends base({}, {}, false, 3);
        Traffic old_flow(200 * shape + seed, shape, wildness);
        std::mt19937 random(seed);
        const auto step = [&](Ends& ends, Traffic& traffic, bool replicates, unsigned& lost) {
          const Packet packet = traffic.next();
          const Packet link = ends.compress(packet, replicates ? &base.in : nullptr);
          if (ends.last.unfit != Unfit::kNone) return;
          replicated += ends.last.type == PacketType::kIrCr;
          if (lost < 2 && random() % 4 == 0) {
            ++lost;
            return;
          }
          lost = 0;
          ASSERT_TRUE(ends.decompress(link, &base.out) == packet)
              << shape << " " << wildness << " " << seed << " type " << static_cast<unsigned>(ends.last.type)
              << " status " << static_cast<unsigned>(ends.result.status);
        };
        unsigned lost = 0, new_lost = 0;
        for (unsigned i = 0; i < 20; ++i) {
          step(base, old_flow, false, lost);
          if (base.result.status == Status::kOk && lost == 0) base.answer(DueFeedback::kAck);
        }
        Ends ends({}, {}, false, 5);
        Traffic new_flow(200 * shape + seed + 100, shape, wildness);
        for (unsigned i = 0; i < 40; ++i) {
          step(ends, new_flow, true, new_lost);
          step(base, old_flow, false, lost);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
  EXPECT_GT(replicated, 500U);
}

// The fast paths make the same octets as the general ones, whatever comes in between.
TEST(TcpRoundTrip, BothPathsAreEqual) {
  for (unsigned shape = 0; shape < Traffic::kShapes; ++shape) {
    for (const unsigned wildness : {0U, 4U, 16U, 64U}) {
      for (unsigned seed = 0; seed < 12; ++seed) {
        CompressorConfig config;
        config.repeats = 1 + seed % 8;
        config.ir_refresh = 150;
        Ends fast(config);
        config.fast_path = false;
        DecompressorConfig general;
        general.fast_path = false;
        Ends slow(config, general);
        Traffic traffic(100 * shape + seed, shape, wildness);
        std::mt19937 random(seed);
        for (unsigned i = 0; i < 300; ++i) {
          const Packet packet = traffic.next();
          Packet link = fast.compress(packet);
          ASSERT_TRUE(link == slow.compress(packet)) << shape << " " << wildness << " " << seed << " " << i;
          ASSERT_EQ(fast.last.type, slow.last.type);
          ASSERT_EQ(fast.last.compressed_header, slow.last.compressed_header);
          ASSERT_EQ(fast.last.plain_header, slow.last.plain_header);
          if (link.empty() || random() % 16 == 0) continue;
          if (random() % 16 == 0) link[random() % fast.last.compressed_header] ^= 1;
          const Packet out = fast.decompress(link);
          ASSERT_TRUE(out == slow.decompress(link)) << shape << " " << wildness << " " << seed << " " << i;
          ASSERT_EQ(fast.result.status, slow.result.status);
          ASSERT_EQ(fast.result.due_feedback, slow.result.due_feedback);
          ASSERT_EQ(fast.out.msn(), slow.out.msn());
          ASSERT_EQ(fast.result.compressed_header, slow.result.compressed_header);
          if (random() % 32 == 0) {
            const DueFeedback due_feedback = fast.result.due_feedback;
            fast.answer(due_feedback);
            slow.answer(due_feedback);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace headroom::rohc::tcp
