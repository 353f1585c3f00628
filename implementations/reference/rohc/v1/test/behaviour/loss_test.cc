// SPDX-License-Identifier: Apache-2.0
//
// What L repeats and a W-LSB window of L references are for (RFC 3095 4.5.2, 5.3.1.1.1): the loss of any L - 1
// consecutive packets, wherever in an eventful stream, must damage nothing. Tried for every position and every length.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "rohc/framework/test/support/effort.h"
#include "rohc/v1/test/support/eventful_flow.h"
#include "rohc/v1/test/support/link.h"

namespace headroom::rohc {
namespace {

using test::EventfulFlow;
using test::FlowCharacter;
using test::Packet;
using test::Random;
using test::to_hex;

struct Stream {
  std::vector<Packet> plain;
  std::vector<Packet> link;
  std::vector<wire::PacketType> types;
  std::vector<bool> uncompressed;  // of the Uncompressed profile: sent in a context of its own
};

Stream compressed_stream(const FlowCharacter& character, std::uint64_t seed, unsigned repeats, std::size_t packets) {
  CompressorConfig config;
  config.repeats = repeats;
  config.ir_refresh_start = 32;
  config.fo_refresh.packets = 50;
  Compressor compressor(config);
  EventfulFlow flow(character, seed);
  Stream s;
  for (std::size_t i = 0; i < packets; ++i) {
    s.plain.push_back(flow.next());
    const test::Compressed c = test::compress(compressor, s.plain.back());
    EXPECT_EQ(c.status, HEADROOM_OK);
    s.link.push_back(c.octets);
    s.types.push_back(c.type());
    s.uncompressed.push_back(c.detail.profile == 0);
  }
  return s;
}

// A decompressor with a channel, and so a set of contexts, for each of many trials. It may use no repairs: it must not
// need them.
Decompressor for_trials(std::size_t trials) {
  DecompressorConfig config;
  config.channel.channels = static_cast<std::uint32_t>(trials);
  config.repair_reference = config.repair_wraparound = false;
  return Decompressor(config);
}

// Decompresses, on a fresh channel, all but the packets from `from` to `from + lost - 1`; every other one must arrive
// as it was.
void expect_unharmed(const Stream& s, std::size_t from, std::size_t lost, Decompressor& decompressor,
                     std::uint32_t channel) {
  for (std::size_t i = 0; i < s.link.size(); ++i) {
    if (i >= from && i < from + lost) continue;
    const test::Restored r = test::decompress(decompressor, s.link[i], 0, channel);
    ASSERT_TRUE(r.status == HEADROOM_OK && std::ranges::equal(r.octets, s.plain[i]))
        << lost << " packets lost from " << from << " (" << test::name_of(s.types[from]) << "): packet " << i << " ("
        << test::name_of(s.types[i]) << ") gave status " << r.status << "\nlink " << to_hex(s.link[i]) << "\nwas  "
        << to_hex(s.plain[i]) << "\nis   " << to_hex(r.octets);
  }
}

// The same for one loss after another, as long as at least L packets of the flow's context lie between the bursts.
void expect_unharmed_by_bursts(const Stream& s, unsigned repeats, std::uint64_t seed) {
  Random random(seed);
  Decompressor decompressor(DecompressorConfig{});
  std::size_t kept = repeats + random.below(10);  // packets of the flow's own context that still arrive
  std::size_t lost = 0;                           // and then, that still get lost
  for (std::size_t i = 0; i < s.link.size(); ++i) {
    if (!s.uncompressed[i] && repeats > 1) {
      if (kept == 0 && lost == 0) {
        lost = 1 + random.below(repeats - 1);
        kept = repeats + random.below(10);
      }
      if (lost != 0) {
        --lost;
        continue;
      }
      --kept;
    }
    const test::Restored r = test::decompress(decompressor, s.link[i]);
    ASSERT_TRUE(r.status == HEADROOM_OK && std::ranges::equal(r.octets, s.plain[i]))
        << "packet " << i << " (" << test::name_of(s.types[i]) << ")";
  }
}

FlowCharacter eventful(std::uint64_t seed, bool strange) {
  Random random(seed);
  FlowCharacter c = test::drawn_character(random, static_cast<std::uint16_t>(seed));
  c.events = 0.15;
  c.may_be_strange = strange;
  return c;
}

// L = 4, every position, every length.
TEST(Loss, AnyThreeConsecutivePackets) {
  constexpr unsigned kL = 4;
  for (std::uint64_t seed = 1; seed <= test::seeds(24); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Stream s = compressed_stream(eventful(seed, seed % 2 == 0), seed, kL, 220);
    Decompressor decompressor = for_trials(kL * s.link.size());
    std::uint32_t trial = 0;
    for (std::size_t lost = 1; lost < kL; ++lost) {
      for (std::size_t from = 0; from + lost <= s.link.size(); ++from) {
        expect_unharmed(s, from, lost, decompressor, trial++);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(Loss, AnyLessThanLConsecutivePacketsForEveryL) {
  for (unsigned repeats = 1; repeats <= kMaxReferences; ++repeats) {
    for (std::uint64_t seed = 1; seed <= test::seeds(6); ++seed) {
      SCOPED_TRACE("L " + std::to_string(repeats) + ", seed " + std::to_string(seed));
      const Stream s = compressed_stream(eventful(seed, false), seed, repeats, 120);
      Decompressor decompressor = for_trials(s.link.size() + 1);
      std::uint32_t trial = 0;
      for (std::size_t from = 0; from + repeats - 1 <= s.link.size(); ++from) {
        expect_unharmed(s, from, repeats - 1, decompressor, trial++);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(Loss, OneBurstAfterAnother) {
  for (unsigned repeats = 1; repeats <= kMaxReferences; ++repeats) {
    for (std::uint64_t seed = 1; seed <= test::seeds(20); ++seed) {
      SCOPED_TRACE("L " + std::to_string(repeats) + ", seed " + std::to_string(seed));
      const Stream s = compressed_stream(eventful(seed, false), seed, repeats, 1500);
      expect_unharmed_by_bursts(s, repeats, seed);
      if (HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace headroom::rohc
