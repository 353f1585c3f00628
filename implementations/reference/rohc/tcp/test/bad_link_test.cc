// SPDX-License-Identifier: Apache-2.0
//
// Links that lose, damage, repeat and reorder more than the compressor reckons with, and octets that nobody sent.
#include <gtest/gtest.h>

#include "rohc/tcp/test/ends.h"
#include "rohc/tcp/test/traffic.h"

namespace headroom::rohc::tcp {
namespace {

using namespace testing;

struct Outcome {
  unsigned delivered = 0, wrong = 0, refused = 0, wrong_ip = 0;
};

// True if two packets are equal but for fields of IP headers that TCP's checksum does not cover.
bool equal_but_for_ip(const Packet& a, const Packet& b) {
  Layout x, y;
  if (a.size() != b.size() || find_headers(a, x) != Unfit::kNone || find_headers(b, y) != Unfit::kNone) return false;
  if (x.tcp().at != y.tcp().at) return false;
  return std::equal(a.begin() + x.tcp().at, a.end(), b.begin() + y.tcp().at);
}

// `harm`: of 256 packets so many begin a burst of losses, and as many are damaged in one bit.
Outcome run(Ends& ends, Traffic& traffic, std::mt19937& random, unsigned packets, unsigned harm, bool feedback) {
  Outcome outcome;
  unsigned burst = 0;
  for (unsigned i = 0; i < packets; ++i) {
    const Packet packet = traffic.next();
    Packet link = ends.compress(packet);
    if (ends.last.unfit != Unfit::kNone) continue;
    if (burst != 0) {
      --burst;
      continue;
    }
    if (random() % 256 < harm) {
      burst = static_cast<unsigned>(random() % 24);
      continue;
    }
    if (random() % 256 < harm) {
      const std::size_t bit = random() % (8 * ends.last.compressed_header);
      link[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
    }
    const Packet out = ends.decompress(link);
    if (ends.result.status != Status::kOk) {
      ++outcome.refused;
    } else {
      ++outcome.delivered;
      if (out != packet) ++(equal_but_for_ip(out, packet) ? outcome.wrong_ip : outcome.wrong);
    }
    if (feedback) ends.answer(ends.result.due_feedback);
  }
  return outcome;
}

// Behind losses beyond `repeats` a decompressor that verifies checksums delivers nothing wrong of what they cover; with
// feedback it is in step again soon.
TEST(TcpBadLink, NothingWrongIsDelivered) {
  Outcome sum;
  for (unsigned shape = 0; shape < Traffic::kShapes; ++shape) {
    if (shape == 9 || shape == 11) continue;  // no checksum to verify: routing headers and minimal encapsulation
    for (const unsigned wildness : {0U, 16U, 100U}) {
      for (unsigned seed = 0; seed < 4; ++seed) {
        DecompressorConfig config;
        config.verify_checksum = true;
        Ends ends({}, config);
        Traffic traffic(seed * 31 + shape, shape, wildness);
        std::mt19937 random(seed);
        const Outcome o = run(ends, traffic, random, 1500, 8, true);
        sum.delivered += o.delivered;
        sum.refused += o.refused;
        sum.wrong += o.wrong;
        sum.wrong_ip += o.wrong_ip;
        // The link becomes good again.
        (void)run(ends, traffic, random, 60, 0, true);
        const Outcome good = run(ends, traffic, random, 100, 0, true);
        // An MSN that is behind by 16 shows only when the IP-ID begins to count.
        EXPECT_EQ(good.wrong + good.wrong_ip, 0U) << shape << " " << wildness << " " << seed;
        EXPECT_LE(good.refused, 4U) << shape << " " << wildness << " " << seed;
      }
    }
  }
  RecordProperty("delivered", static_cast<int>(sum.delivered));
  RecordProperty("refused", static_cast<int>(sum.refused));
  RecordProperty("wrong_ip", static_cast<int>(sum.wrong_ip));
  EXPECT_EQ(sum.wrong, 0U) << "of " << sum.delivered << ", wrong in IP alone: " << sum.wrong_ip << ", refused "
                           << sum.refused;
  EXPECT_GT(sum.delivered, 8 * sum.refused);
  EXPECT_LT(sum.wrong_ip, sum.delivered / 500);
}

// Without feedback refreshes bring the decompressor back.
TEST(TcpBadLink, RefreshesRepairWithoutFeedback) {
  for (unsigned shape = 0; shape < Traffic::kShapes; ++shape) {
    CompressorConfig config;
    config.ir_refresh = 200;
    config.ir_dyn_refresh = 50;
    Ends ends(config);
    Traffic traffic(shape, shape, 60);
    std::mt19937 random(shape);
    (void)run(ends, traffic, random, 1000, 12, false);
    (void)run(ends, traffic, random, 210, 0, false);
    const Outcome good = run(ends, traffic, random, 200, 0, false);
    EXPECT_EQ(good.refused + good.wrong + good.wrong_ip, 0U) << shape;
  }
}

// Packets that overtake each other by three places: "a reordering depth of up to 4 packets" for the MSN (8.1). Time
// stamps are left out, as lsb(7, -1) does not reach back at all.
TEST(TcpBadLink, SmallReorderingIsNoHarm) {
  for (const bool v6 : {false, true}) {
    CompressorConfig config;
    config.repeats = 8;
    Ends ends(config);
    Tcp t;
    Ip ip;
    std::vector<std::pair<Packet, Packet>> waiting;
    for (unsigned i = 0; i < 600; ++i) {
      t.seq += static_cast<std::uint32_t>(t.payload.size());
      t.payload.assign(i % 50 < 25 ? 100 : 0, 'x');
      t.ack += i % 50 < 20 ? 0 : 700;
      ++ip.id;
      const Packet packet = v6 ? tcp6(t, ip) : tcp4(t, ip);
      waiting.emplace_back(packet, ends.compress(packet));
      if (i % 10 == 5 && i > 20) std::swap(waiting.front(), waiting.back());
      while (waiting.size() > (i > 20 ? 3 : 0)) {
        EXPECT_EQ(ends.decompress(waiting.front().second), waiting.front().first) << i;
        waiting.erase(waiting.begin());
      }
    }
  }
}

// Random octets behind valid contexts: nothing but a refusal or a packet of valid headers, and no octet out of place.
TEST(TcpBadLink, RandomOctetsDoNoHarm) {
  std::mt19937 random(5);
  for (unsigned shape = 0; shape < Traffic::kShapes; ++shape) {
    Ends ends;
    Traffic traffic(shape, shape, 100);
    for (unsigned i = 0; i < 4000; ++i) {
      if (i % 40 == 0) {
        const Packet ir = ends.compress(traffic.next());
        if (ends.last.unfit == Unfit::kNone) (void)ends.decompress(ir);
      }
      Packet link = i % 2 == 0 ? Packet(random() % 80) : ends.compress(traffic.next());
      if (i % 2 == 0) {
        for (std::uint8_t& o : link) o = static_cast<std::uint8_t>(random());
      } else {
        for (unsigned n = 0; n < 3 && !link.empty(); ++n)
          link[random() % link.size()] = static_cast<std::uint8_t>(random());
        link.resize(link.size() - std::min<std::size_t>(link.size(), random() % 8));
      }
      const Packet out = ends.decompress(link, i % 3 == 0 ? &ends.out : nullptr);
      if (ends.result.status != Status::kOk) continue;
      Layout layout;
      EXPECT_EQ(find_headers(out, layout), Unfit::kNone) << test::to_hex(link);
    }
  }
}

}  // namespace
}  // namespace headroom::rohc::tcp
