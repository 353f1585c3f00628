// SPDX-License-Identifier: Apache-2.0
//
// Headers for what follows silence against those of the general path: whatever the references, SN, TS, IP-ID and CID,
// write_jump() writes what choose() and write_compressed() would have, and leaves out none that it is for.
#include "rohc/v1/compressor/jump.h"

#include <gtest/gtest.h>

#include "rohc/framework/test/support/random.h"
#include "rohc/v1/compressor/choose.h"
#include "rohc/v1/compressor/reliable.h"
#include "rohc/v1/compressor/write.h"
#include "rohc/v1/header/crc_coverage.h"
#include "rohc/v1/test/support/packet_builder.h"

namespace headroom::rohc {
namespace {

using test::Packet;
using test::PacketSpec;
using test::Random;
using test::to_hex;
using wire::PacketType;

constexpr std::uint32_t kStride = 160;

// A flow as it may be while silence comes and goes: some references on a line, some on another one.
struct Drawn {
  CompressorContext c{};
  FlowHistory h{};
  ReliableWindow reliable{};
  CompressorConfig config;
  Packet packet;
  PacketFields f;

  explicit Drawn(Random& random) {
    PacketSpec spec = test::rtp_packet(random.flip() ? 4 : 6);
    spec.udp->checksum = random.flip();
    spec.rtp->marker = random.flip();
    spec.rtp->sn = random.word();
    spec.rtp->ts = random.word32();
    spec.ip.id = random.word();
    packet = build(spec);
    const bool ipv4 = spec.ip.version == 4;
    c.shape = ipv4 ? Shape::kRtpIpv4 : Shape::kRtpIpv6;
    c.profile = wire::Profile::kRtp;
    c.mode = random.flip() ? wire::Mode::kUnidirectional : wire::Mode::kOptimistic;
    c.ts_stride = random.below(8) == 0 ? 0 : kStride;
    c.udp_checksum_octets = spec.udp->checksum ? 2 : 0;
    const bool large = random.flip();
    c.cid_octets = wire::make_cid_octets(large, random.below(large ? 16384 : 16));
    constexpr IpIdBehaviour kBehaviours[] = {IpIdBehaviour::kSequential, IpIdBehaviour::kSwapped,
                                             IpIdBehaviour::kRandom, IpIdBehaviour::kConstant};
    h.id_behaviour = ipv4 ? kBehaviours[random.below(4)] : IpIdBehaviour::kNone;
    HeaderChain chain;
    EXPECT_TRUE(parse_chain(packet, {}, chain));
    f = fields_of(packet, chain);
    f.same_pattern = true;
    const StaticCrc crc = static_crc(nullptr, 0, f.inner, layout_of(c.shape));
    c.crc3_static = crc.crc3;
    h.crc7_static = crc.crc7;
    draw_references(random);
  }

  [[nodiscard]] Flow flow() { return {c, h, nullptr, config, &reliable}; }

 private:
  void draw_references(Random& random) {
    h.newest = static_cast<std::uint8_t>(random.below(kMaxReferences));
    h.reference_count = static_cast<std::uint8_t>(random.below(5));
    const std::uint32_t silence = random.below(4) == 0 ? 0 : kStride * random.below(random.flip() ? 20 : 300);
    const std::uint32_t before = random.below(5);  // references that lie before it
    std::uint32_t sn = f.sn, ts = f.ts;
    for (unsigned age = 0; age < h.reference_count; ++age) {
      const std::uint32_t packets = random.below(10) == 0 ? 1 + random.below(200) : 1;
      sn -= packets;
      ts -= kStride * packets;
      if (age == before) ts -= silence;
      if (random.below(60) == 0) ts -= 1 + random.below(3);  // off the stride
      const auto offset =
          static_cast<std::uint16_t>(id_offset(h.id_behaviour, f.inner_id, f.sn) - (random.below(60) == 0 ? 1 : 0));
      Reference& r = h.references[(h.newest + kMaxReferences - age) % kMaxReferences];
      r = {ts, static_cast<std::uint16_t>(sn), offset};
    }
  }
};

bool is_jump(const Choice& choice) {
  const PacketType t = choice.type;
  const bool of_type =
      t == PacketType::kUo1 || t == PacketType::kUo1Ts || t == PacketType::kUor2 || t == PacketType::kUor2Ts;
  return of_type && choice.extension <= 0;
}

TEST(Jump, HeadersAreThoseOfTheGeneralPath) {
  Random random(1);
  unsigned written = 0, left = 0;
  std::array<unsigned, 2> extensions{};
  for (int round = 0; round < 200'000; ++round) {
    Drawn drawn(random);
    const Flow flow = drawn.flow();
    std::array<std::uint8_t, 64> room{};
    wire::Writer out(room);
    const auto type = write_jump(flow, drawn.f, out);

    const Needs needs = needs_of(flow, drawn.f);
    const auto choice = choose(needs);
    std::array<std::uint8_t, 64> general_room{};
    wire::Writer general(general_room);
    if (choice) write_compressed(flow, drawn.f, *choice, needs.ts_unscaled, general);
    if (!type) {
      ++left;
      EXPECT_EQ(out.size(), 0U);
      // What it is for, it does not leave to the general path. (Without references and on the line others are smaller.)
      const bool is_for_it = choice && is_jump(*choice) && needs.ts_bits && !needs.ts_unscaled && !needs.id_bits;
      ASSERT_FALSE(is_for_it && drawn.h.reference_count != 0) << round << " " << to_hex(general.written());
      continue;
    }
    ++written;
    ASSERT_TRUE(choice) << round;
    ++extensions[choice->extension == 0 ? 1 : 0];
    ASSERT_EQ(*type, choice->type) << round;
    ASSERT_EQ(to_hex(out.written()), to_hex(general.written())) << round;
  }
  EXPECT_GT(written, 40'000U);
  EXPECT_GT(left, 40'000U);
  EXPECT_GT(extensions[0], 5'000U);
  EXPECT_GT(extensions[1], 5'000U);
}

TEST(Jump, IsForFlowsWithoutClockAndModesWithCrcs) {
  Random random(2);
  for (int round = 0; round < 1'000; ++round) {
    Drawn drawn(random);
    std::array<std::uint8_t, 64> room{};
    wire::Writer out(room);
    Flow flow = drawn.flow();
    TimerContext timer{};
    flow.timer = &timer;
    EXPECT_FALSE(write_jump(flow, drawn.f, out));
    flow.timer = nullptr;
    drawn.c.mode = wire::Mode::kReliable;
    EXPECT_FALSE(write_jump(flow, drawn.f, out));
    drawn.c.mode = wire::Mode::kOptimistic;
    drawn.f.same_pattern = false;
    EXPECT_FALSE(write_jump(flow, drawn.f, out));
  }
}

}  // namespace
}  // namespace headroom::rohc
