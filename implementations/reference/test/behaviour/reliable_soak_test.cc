// SPDX-License-Identifier: Apache-2.0
//
// R-mode over a bad link: loss, bursts, bit errors in compressed headers, reordering, and feedback that gets lost or
// damaged. Nothing may crash, contexts must always recover, and wrong packets may be delivered only as often as theory
// has it.
//
// How often is that? R-0 and R-1* have no CRC: a damaged one is delivered wrong, nearly always, but leaves nothing
// behind. A damaged update passes its CRC with probability 1/128 (7 bits) or 1/256 (8 bits) and then spoils the
// reference: packets without CRC are wrong until the updates that follow have failed k_1 out of n_1 times, which with
// the defaults is two bursts of R-0-CRC and what lies between, some 60 packets. So packets that are wrong without
// having been damaged themselves: fewer than 1 for each damaged update, and twice that is the bound.
//
// A packet that has been overtaken is read against a later reference than it was made for, and without a CRC nobody
// notices. An update is noticed by is_overtaken() where its SN can be told, else by its CRC, but for 1 in 128; and
// where the SN is made by the compressor and nothing in the header depends on it, by nobody ("there will be no …
// reordering of the compressor-generated SN", 5.11). So for what comes after, reordered updates count as damaged ones
// do.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
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
  double bit_errors;
  double reordering;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

struct Travelling {
  Packet octets;
  Packet original;
  bool damaged = false;
  bool reordered = false;
  bool update = false;
};

struct Tally {
  std::uint64_t sent = 0;
  std::uint64_t without_crc = 0;
  std::uint64_t damaged = 0;
  std::uint64_t damaged_updates = 0;
  std::uint64_t reordered = 0;
  std::uint64_t reordered_updates = 0;
  std::uint64_t wrong_and_damaged = 0;
  std::uint64_t wrong_otherwise = 0;
};

class Soak {
 public:
  Soak(const Case& c, std::uint64_t seed, Tally& tally)
      : case_(c), tally_(tally), random_(seed), compressor_(compressor_config(c)), decompressor_(config_of(c)) {
    for (std::uint16_t n = 0; n < kFlows; ++n) {
      test::FlowCharacter character = test::drawn_character(random_, static_cast<std::uint16_t>(n + 1));
      character.events = 0.02;
      flows_.push_back(std::make_unique<EventfulFlow>(character, random_.next()));
    }
  }

  void run(std::size_t packets, bool bad) {
    for (std::size_t i = 0; i < packets; ++i) {
      const std::uint32_t f = random_.below(kFlows);
      now_ns_ += 2 * test::kMillisecond + flows_[f]->pause_ms() * test::kMillisecond;
      Travelling t;
      t.original = flows_[f]->next();
      const test::Compressed c = test::compress(compressor_, t.original, now_ns_);
      ASSERT_EQ(c.status, HEADROOM_OK);
      t.octets = c.octets;
      t.update = wire::updates_in_r_mode(c.type());
      ++tally_.sent;
      tally_.without_crc += wire::is_without_crc(c.type()) ? 1U : 0U;
      if (bad) {
        impair(std::move(t), c.header());
      } else {
        deliver(t);
      }
      feed_back(bad);
    }
    late_.clear();
  }

  // After trouble a perfect link: soon nothing may fail or be wrong any more.
  void recover() {
    run(120 * kFlows, false);
    const std::uint64_t failures = failures_;
    const std::uint64_t wrong = tally_.wrong_otherwise;
    run(60 * kFlows, false);
    EXPECT_EQ(failures_, failures);
    EXPECT_EQ(tally_.wrong_otherwise, wrong);
  }

 private:
  static constexpr std::uint32_t kFlows = 10;

  static CompressorConfig compressor_config(const Case& c) {
    CompressorConfig config;
    config.highest_mode = wire::Mode::kReliable;
    config.channel.large_cids = c.large_cids;
    config.channel.max_cid = c.large_cids ? 200 : 15;
    return config;
  }
  static DecompressorConfig config_of(const Case& c) {
    DecompressorConfig config;
    config.channel = compressor_config(c).channel;
    config.mode = wire::Mode::kReliable;
    return config;
  }

  void impair(Travelling t, std::size_t header) {
    if (burst_left_ != 0) {
      --burst_left_;
      return;
    }
    if (random_.chance(0.002)) {
      burst_left_ = random_.between(4, 60);
      return;
    }
    if (random_.chance(0.02)) return;
    if (random_.chance(case_.bit_errors)) {
      t.damaged = true;
      ++tally_.damaged;
      tally_.damaged_updates += t.update ? 1U : 0U;
      for (unsigned flips = random_.between(1, 3); flips > 0; --flips) {
        const std::uint32_t bit = random_.below(static_cast<std::uint32_t>(8 * header));
        t.octets[bit / 8] = static_cast<std::uint8_t>(t.octets[bit / 8] ^ 1U << bit % 8);
      }
    }
    if (random_.chance(case_.reordering)) {
      ++tally_.reordered;
      tally_.reordered_updates += t.update ? 1U : 0U;
      t.reordered = true;
      late_.push_back(std::move(t));
      return;
    }
    deliver(t);
    if (!late_.empty() && random_.chance(0.2)) {
      deliver(late_.front());
      late_.erase(late_.begin());
    }
  }

  void deliver(const Travelling& t) {
    const test::Restored r = test::decompress(decompressor_, t.octets, now_ns_);
    if (r.status != HEADROOM_OK) {
      ++failures_;
    } else if (r.octets != t.original) {
      ++(t.damaged || t.reordered ? tally_.wrong_and_damaged : tally_.wrong_otherwise);
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

  Case case_;
  Tally& tally_;
  Random random_;
  Compressor compressor_;
  Decompressor decompressor_;
  std::vector<std::unique_ptr<EventfulFlow>> flows_;
  std::vector<Travelling> late_;
  std::uint64_t now_ns_ = 0;
  unsigned burst_left_ = 0;
  std::uint64_t failures_ = 0;
};

class ReliableSoak : public testing::TestWithParam<Case> {};

TEST_P(ReliableSoak, BadLinks) {
  Tally tally;
  for (std::uint64_t seed = 1; seed <= test::seeds(5); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Soak soak(GetParam(), seed, tally);
    for (int round = 0; round < 10; ++round) {
      SCOPED_TRACE("round " + std::to_string(round));
      soak.run(6'000, true);
      if (HasFatalFailure()) return;
      soak.recover();
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(tally.without_crc, tally.sent / 2) << "most packets have no CRC";
  EXPECT_LE(tally.wrong_and_damaged, tally.damaged + tally.reordered);
  EXPECT_LE(tally.wrong_otherwise, 2 * (tally.damaged_updates + tally.reordered_updates))
      << "damaged " << tally.damaged << ", of these updates " << tally.damaged_updates << ", reordered "
      << tally.reordered;
  RecordProperty("wrong", std::to_string(tally.wrong_and_damaged + tally.wrong_otherwise));
  RecordProperty("damaged", std::to_string(tally.damaged));
}

INSTANTIATE_TEST_SUITE_P(All, ReliableSoak,
                         testing::Values(Case{"BitErrorsSmallCids", false, 0.01, 0},
                                         Case{"BitErrorsLargeCids", true, 0.01, 0},
                                         Case{"ReorderingSmallCids", false, 0, 0.01},
                                         Case{"ReorderingLargeCids", true, 0, 0.01}, Case{"LossesOnly", false, 0, 0}),
                         [](const testing::TestParamInfo<Case>& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace headroom::rohc
