// SPDX-License-Identifier: Apache-2.0
//
// Two million packets over a bad link: random and burst loss, bit errors in compressed headers, reordering,
// duplication, and feedback that gets lost or damaged. Nothing may crash, contexts must always recover, and wrong
// packets may be delivered only as often as the CRCs allow.
//
// How often is that? A damaged header that is decompressed at all gives a wrong one, whose CRC fits by chance: with
// probability 1/8 for the 3 bits of types 0 and 1, 1/128 for the 7 bits of type 2, 1/256 for the 8 bits of IR and
// IR-DYN. So at most one damaged header in eight is delivered wrong. It also leaves a wrong reference, and the same
// happens after losses that W-LSB windows do not cover (more than L - 1 in a row): the following headers then fail with
// probability 7/8 each until the context has been repaired or refreshed, so each such event delivers another 1/8 + 1/64
// + … < 1/7 wrong packets in the mean, and where a wrong value left the register after the CRC-STATIC octets unchanged
// (1/8 of the wrong updates of pattern fields), more until the next update. Events are damaged headers, loss bursts of
// L and more, and reordered packets; one wrong delivery for four events is a generous bound.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "test/support/effort.h"
#include "test/support/eventful_flow.h"
#include "test/support/link.h"

namespace headroom::rohc {
namespace {

using test::EventfulFlow;
using test::Packet;
using test::Random;

struct Case {
  const char* name;
  bool large_cids;
  std::uint32_t channels;
  wire::Mode mode;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

// A packet on its way, with what must come out of it.
struct Travelling {
  Packet octets;
  Packet original;
  std::uint32_t channel = 0;
};

struct Tally {
  std::uint64_t sent = 0;
  std::uint64_t wrong = 0;
  std::uint64_t damaged = 0;
  std::uint64_t bursts = 0;
  std::uint64_t reordered = 0;

  void add(const Tally& t) {
    sent += t.sent;
    wrong += t.wrong;
    damaged += t.damaged;
    bursts += t.bursts;
    reordered += t.reordered;
  }
};

class Soak {
 public:
  Soak(const Case& c, std::uint64_t seed)
      : random_(seed), compressor_(compressor_config(c)), decompressor_(decompressor_config(c)) {
    for (std::uint16_t n = 0; n < kFlows; ++n) {
      test::FlowCharacter character = test::drawn_character(random_, static_cast<std::uint16_t>(n + 1));
      character.events = 0.03;
      flows_.push_back(std::make_unique<EventfulFlow>(character, random_.next()));
      channels_.push_back(random_.below(c.channels));
    }
  }

  // `bad`: the link loses, damages, repeats and reorders. Otherwise it is perfect.
  void run(std::size_t packets, bool bad) {
    for (std::size_t i = 0; i < packets; ++i) {
      const std::uint32_t f = random_.below(kFlows);
      now_ns_ += 2 * test::kMillisecond + flows_[f]->pause_ms() * test::kMillisecond;
      Travelling t{{}, flows_[f]->next(), channels_[f]};
      const test::Compressed c = test::compress(compressor_, t.original, now_ns_, t.channel);
      ASSERT_EQ(c.status, HEADROOM_OK);
      t.octets = c.octets;
      ++tally_.sent;
      if (bad) {
        impair(std::move(t), c.header());
      } else {
        deliver(t);
      }
      feed_back(bad);
    }
    late_.clear();
  }

  // After trouble, a perfect link: nothing may fail any more. Damage can lie dormant for a while, though: an SN that
  // the compressor makes stands in no header, so no CRC sees that the decompressor's is another until an IP-ID depends
  // on it. Then a few packets fail and the context recovers from that, too.
  void recover() {
    run(100 * kFlows, false);
    for (int attempt = 0; attempt < 5; ++attempt) {
      const std::uint64_t failures = failures_;
      run(500, false);
      if (failures_ == failures) return;
      EXPECT_LE(failures_ - failures, 8U) << "more than k_1 failures in each of two contexts";
    }
    ADD_FAILURE() << "contexts do not recover";
  }

  [[nodiscard]] const Tally& tally() const { return tally_; }
  [[nodiscard]] const DecompressorCounters& counters() const { return decompressor_.counters(); }

 private:
  static constexpr std::uint32_t kFlows = 10;

  static CompressorConfig compressor_config(const Case& c) {
    CompressorConfig config;
    config.channel.large_cids = c.large_cids;
    config.channel.channels = c.channels;
    config.channel.max_cid = c.large_cids ? 200 : 15;
    config.ir_refresh = {64, 5000};
    config.fo_refresh = {20, 1000};
    return config;
  }
  static DecompressorConfig decompressor_config(const Case& c) {
    DecompressorConfig config;
    config.channel = compressor_config(c).channel;
    config.mode = c.mode;
    return config;
  }

  void impair(Travelling t, std::size_t header) {
    if (burst_left_ != 0) {
      --burst_left_;
      return;
    }
    if (random_.chance(0.002)) {
      burst_left_ = random_.between(4, 60);
      ++tally_.bursts;
      return;
    }
    if (random_.chance(0.01)) return;
    if (random_.chance(0.01)) {
      ++tally_.damaged;
      for (unsigned flips = random_.between(1, 3); flips > 0; --flips) {
        const std::uint32_t bit = random_.below(static_cast<std::uint32_t>(8 * header));
        t.octets[bit / 8] = static_cast<std::uint8_t>(t.octets[bit / 8] ^ 1U << bit % 8);
      }
    }
    if (random_.chance(0.002)) {
      ++tally_.reordered;
      late_.push_back(std::move(t));
      return;
    }
    deliver(t);
    if (random_.chance(0.002)) {
      ++tally_.reordered;
      deliver(t);
    }
    if (!late_.empty() && random_.chance(0.3)) {
      deliver(late_.back());
      late_.pop_back();
    }
  }

  void deliver(const Travelling& t) {
    const test::Restored r = test::decompress(decompressor_, t.octets, now_ns_, t.channel);
    if (r.status == HEADROOM_OK) {
      tally_.wrong += r.octets != t.original ? 1U : 0U;
    } else {
      ++failures_;
    }
  }

  void feed_back(bool bad) {
    for (test::FeedbackElement& e : test::take_all(decompressor_.own_feedback())) {
      if (bad && random_.chance(0.1)) continue;
      if (bad && random_.chance(0.02)) e.octets[random_.below(static_cast<std::uint32_t>(e.octets.size()))] ^= 0x10;
      compressor_.give_feedback(e.channel, e.octets, now_ns_);
    }
    (void)test::take_all(decompressor_.received_feedback());
  }

  Random random_;
  Compressor compressor_;
  Decompressor decompressor_;
  std::vector<std::unique_ptr<EventfulFlow>> flows_;
  std::vector<std::uint32_t> channels_;
  std::vector<Travelling> late_;
  std::uint64_t now_ns_ = 0;
  unsigned burst_left_ = 0;
  std::uint64_t failures_ = 0;
  Tally tally_;
};

class SoakTest : public testing::TestWithParam<Case> {};

TEST_P(SoakTest, HalfAMillionPackets) {
  Tally total;
  std::uint64_t dynamic_damage = 0;
  std::uint64_t repaired_references = 0;
  for (std::uint64_t seed = 1; seed <= test::seeds(5); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Soak soak(GetParam(), seed);
    for (int round = 0; round < 10; ++round) {
      soak.run(8'500, true);
      if (HasFatalFailure()) return;
      soak.recover();
      if (HasFailure()) return;
    }
    total.add(soak.tally());
    dynamic_damage += soak.counters().events[static_cast<std::size_t>(Event::kDynamicDamage)];
    repaired_references += soak.counters().events[static_cast<std::size_t>(Event::kRepairedReference)];
  }
  EXPECT_GE(total.sent, 500'000U);
  EXPECT_GT(total.damaged, total.sent / 200) << "the link was bad enough to say anything";
  EXPECT_GT(total.bursts, 500U);
  EXPECT_GT(dynamic_damage, 0U);
  EXPECT_GT(repaired_references, 0U);
  EXPECT_LE(total.wrong, (total.damaged + total.bursts + total.reordered) / 4)
      << "wrong " << total.wrong << ", damaged " << total.damaged << ", bursts " << total.bursts << ", reordered "
      << total.reordered;
  RecordProperty("wrong", std::to_string(total.wrong));
  RecordProperty("damaged", std::to_string(total.damaged));
}

INSTANTIATE_TEST_SUITE_P(All, SoakTest,
                         testing::Values(Case{"UnidirectionalSmallCids", false, 1, wire::Mode::kUnidirectional},
                                         Case{"UnidirectionalLargeCids", true, 3, wire::Mode::kUnidirectional},
                                         Case{"OptimisticSmallCids", false, 1, wire::Mode::kOptimistic},
                                         Case{"OptimisticLargeCids", true, 3, wire::Mode::kOptimistic}),
                         [](const testing::TestParamInfo<Case>& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace headroom::rohc
