// SPDX-License-Identifier: Apache-2.0
//
// Feedback elements, FEEDBACK-1 and FEEDBACK-2 with options: RFC 3095 5.2.2 and 5.7.6, RFC 3843 3.7, RFC 4815 2.3, 8.5
// and 8.6.
#include "rohc/v1/wire/feedback.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "rohc/framework/test/support/octets.h"
#include "rohc/framework/test/support/random.h"
#include "rohc/framework/wire/cid.h"
#include "rohc/framework/wire/crc.h"

namespace headroom::rohc::wire {
namespace {

using test::bits;
using test::hex;
using test::joined;
using test::Packet;
using test::Random;
using test::to_hex;

Packet element(bool large_cids, const Feedback& f) {
  std::array<std::uint8_t, kMaxFeedbackElement> room{};
  Writer out(room);
  write_feedback_element(out, large_cids, f);
  EXPECT_TRUE(out.ok());
  return test::copy_of(out.written());
}

std::optional<Feedback> read(const char* data, bool large_cids = false) { return read_feedback(hex(data), large_cids); }

// Feedback data whose last octet becomes the CRC that 5.7.6.3 asks for: over all octets with that one zero.
Packet with_crc(const char* data) {
  Packet p = joined(hex(data), hex("11 00"));
  p.back() = crc8(p);
  return p;
}

Feedback ack(std::uint32_t cid, Mode mode, std::uint32_t sn) {
  Feedback f;
  f.cid = cid;
  f.mode = mode;
  f.sn = sn;
  f.sn_width = 12;
  return f;
}

// "Feedback for CID 8 indicating an ACK for SN 17 and Bidirectional Reliable mode can have the following formats"
// (5.7.6.11).
TEST(Feedback, ExampleOfTheText) {
  EXPECT_EQ(element(false, ack(8, Mode::kReliable, 17)), bits("11110 011 | 1110 1000 | 00 11 0000 | 00010001"));
  Feedback one;
  one.one = true;
  one.sn = 17;
  one.cid = 8;
  EXPECT_EQ(element(true, one), bits("11110 010 | 00001000 | 00010001"));
  EXPECT_EQ(element(false, one), bits("11110 010 | 1110 1000 | 00010001"));
  one.cid = 0;
  EXPECT_EQ(element(false, one), bits("11110 001 | 00010001"));
}

TEST(Feedback, ExampleOfTheTextIsReadBack) {
  const auto two = read("e8 30 11");
  ASSERT_TRUE(two);
  EXPECT_FALSE(two->one);
  EXPECT_EQ(two->cid, 8U);
  EXPECT_EQ(two->ack, AckType::kAck);
  EXPECT_EQ(two->mode, Mode::kReliable);
  EXPECT_EQ(two->sn, 17U);
  EXPECT_EQ(two->sn_width, 12);
  EXPECT_TRUE(two->sn_valid);
  EXPECT_FALSE(two->crc);
  for (const auto& [data, large, cid] : {std::tuple{"08 11", true, 8U}, {"e8 11", false, 8U}, {"11", false, 0U}}) {
    const auto one = read(data, large);
    ASSERT_TRUE(one) << data;
    EXPECT_TRUE(one->one) << data;
    EXPECT_EQ(one->cid, cid) << data;
    EXPECT_EQ(one->sn, 17U) << data;
    EXPECT_EQ(one->sn_width, 8) << data;
  }
}

// Rules 1) to 4) of 5.2.2 for finding out where the CID ends and which format follows.
TEST(Feedback, RulesForTheCid) {
  const auto lone = read("e5");
  ASSERT_TRUE(lone) << "2) small CIDs and one octet: FEEDBACK-1, whatever it looks like";
  EXPECT_TRUE(lone->one);
  EXPECT_EQ(lone->cid, 0U);
  EXPECT_EQ(lone->sn, 0xe5U);
  const auto plain = read("21 23");
  ASSERT_TRUE(plain) << "4) no Add-CID octet: FEEDBACK-2";
  EXPECT_FALSE(plain->one);
  EXPECT_EQ(plain->sn, 0x123U);
  const auto two_octets = read("81 2c 05", true);
  ASSERT_TRUE(two_octets) << "1) a first bit of 1: two octets of CID";
  EXPECT_EQ(two_octets->cid, 300U);
  EXPECT_TRUE(two_octets->one);
  EXPECT_EQ(two_octets->sn, 5U);
  EXPECT_FALSE(read("c0 21 23")) << "3) 11 must begin an Add-CID octet";
  EXPECT_FALSE(read("e0 21 23")) << "Add-CID 0 is padding";
  EXPECT_FALSE(read("c0 01 02 21 23", true)) << "a CID of three octets";
  EXPECT_FALSE(read("05", true)) << "a CID alone";
  EXPECT_FALSE(read("81", true)) << "half a CID";
}

TEST(Feedback, NothingIsNoFeedback) {
  EXPECT_FALSE(read_feedback({}, false));
  EXPECT_FALSE(read_feedback({}, true));
  EXPECT_FALSE(read_feedback(Packet(256, 0x10), false)) << "Size is one octet";
}

TEST(Feedback, ReservedAcktypeIsRefused) {
  EXPECT_TRUE(read("00 00"));
  EXPECT_TRUE(read("40 00"));
  EXPECT_TRUE(read("80 00"));
  EXPECT_FALSE(read("e1 c0 00"));
}

TEST(Feedback, AckTypesAndModes) {
  for (unsigned type = 0; type < 3; ++type) {
    for (unsigned mode = 0; mode < 4; ++mode) {
      const Packet data = {static_cast<std::uint8_t>(type << 6 | mode << 4 | 0xa), 0xbc};
      const auto f = read_feedback(data, false);
      ASSERT_TRUE(f);
      EXPECT_EQ(f->ack, static_cast<AckType>(type));
      EXPECT_EQ(f->mode, static_cast<Mode>(mode));
      EXPECT_EQ(f->sn, 0xabcU);
    }
  }
}

// --- Options ---------------------------------------------------------------------------------------------------------

TEST(FeedbackOptions, EachOne) {
  const auto f = read("21 23 | 20 | 30 | 51 0a | 61 0b | 71 0c | 90");
  ASSERT_TRUE(f);
  EXPECT_TRUE(f->reject);
  EXPECT_FALSE(f->sn_valid);
  EXPECT_EQ(f->clock_ms, 10);
  EXPECT_EQ(f->max_jitter, 11);
  EXPECT_EQ(f->longest_loss, 12);
  EXPECT_TRUE(f->context_memory);
  EXPECT_FALSE(f->crc);
}

// "Options may appear in any order" (5.7.6.1).
TEST(FeedbackOptions, AnyOrder) {
  const Packet parts[] = {hex("20"), hex("30"), hex("51 0a"), hex("11 00")};
  std::array<std::size_t, 4> order = {0, 1, 2, 3};
  do {
    Packet data = hex("e3 21 23");
    std::size_t crc_at = 0;
    for (const std::size_t i : order) {
      data = joined(std::move(data), parts[i]);
      if (i == 3) crc_at = data.size() - 1;
    }
    data[crc_at] = crc8(data);
    const auto f = read_feedback(data, false);
    ASSERT_TRUE(f) << to_hex(data);
    EXPECT_TRUE(f->crc && f->reject && !f->sn_valid) << to_hex(data);
    EXPECT_EQ(f->clock_ms, 10);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(FeedbackOptions, UnknownOnesAreSkipped) {
  for (const unsigned type : {0U, 8U, 10U, 11U, 12U, 13U, 14U, 15U}) {
    for (unsigned length = 0; length < 16; ++length) {
      Packet data = hex("21 23");
      data.push_back(static_cast<std::uint8_t>(type << 4 | length));
      data.insert(data.end(), length, 0xff);
      data.push_back(0x30);  // SN-NOT-VALID behind it
      const auto f = read_feedback(data, false);
      ASSERT_TRUE(f) << "type " << type << ", length " << length;
      EXPECT_FALSE(f->sn_valid);
      EXPECT_FALSE(f->reject || f->crc || f->context_memory);
    }
  }
}

// "The SN would be given by concatenating the fields" (RFC 4815 8.5).
TEST(FeedbackOptions, SeveralSnOptionsAreConcatenated) {
  const auto one = read("21 23 | 41 45");
  ASSERT_TRUE(one);
  EXPECT_EQ(one->sn, 0x12345U);
  EXPECT_EQ(one->sn_width, 20);
  const auto three = read("21 23 | 41 45 | 30 | 41 67 | 41 89");
  ASSERT_TRUE(three);
  EXPECT_EQ(three->sn, 0x23456789U) << "what exceeds 32 bits falls off at the top";
  EXPECT_EQ(three->sn_width, 32);
}

TEST(FeedbackOptions, WrongLengthsAreRefused) {
  for (const char* data : {"21 23 10", "21 23 12 00 00", "21 23 21 00", "21 23 31 00", "21 23 40", "21 23 42 00 00",
                           "21 23 50", "21 23 60", "21 23 70", "21 23 91 00"}) {
    EXPECT_FALSE(read(data)) << data;
  }
}

TEST(FeedbackOptions, TruncatedOnesAreRefused) {
  for (const char* data : {"21 23 41", "21 23 11", "21 23 8f 00 00", "21 23 20 51"}) EXPECT_FALSE(read(data)) << data;
}

TEST(FeedbackOptions, CrcCoversCidAndOptions) {
  const Packet right = with_crc("e8 21 23 41 45");
  const auto f = read_feedback(right, false);
  ASSERT_TRUE(f);
  EXPECT_TRUE(f->crc);
  EXPECT_EQ(f->cid, 8U);
  for (std::size_t octet = 0; octet < right.size(); ++octet) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      Packet wrong = right;
      wrong[octet] = static_cast<std::uint8_t>(wrong[octet] ^ 1U << bit);
      const auto damaged = read_feedback(wrong, false);
      // Damage may turn the option itself into another one; what it must not do is pass for verified.
      EXPECT_FALSE(damaged && damaged->crc) << "bit " << bit << " of octet " << octet;
    }
  }
}

// "If multiple CRC options are included, all such CRC options MUST be identical … otherwise discard" (RFC 4815 8.6).
TEST(FeedbackOptions, SeveralCrcs) {
  Packet data = hex("21 23 11 00 30 11 00");
  const std::uint8_t crc = crc8(data);
  data[3] = data[6] = crc;
  const auto f = read_feedback(data, false);
  ASSERT_TRUE(f);
  EXPECT_TRUE(f->crc);
  data[3] = static_cast<std::uint8_t>(crc ^ 1);
  EXPECT_FALSE(read_feedback(data, false)) << "the first is wrong";
  data[3] = crc;
  data[6] = static_cast<std::uint8_t>(crc ^ 0x80);
  EXPECT_FALSE(read_feedback(data, false)) << "the second is wrong";
}

TEST(FeedbackOptions, AsManyCrcsAsFit) {
  Packet data = hex("21 23");
  while (data.size() + 2 <= 255) data = joined(std::move(data), hex("11 00"));
  const std::uint8_t crc = crc8(data);
  for (std::size_t i = 3; i < data.size(); i += 2) data[i] = crc;
  const auto f = read_feedback(data, false);
  ASSERT_TRUE(f);
  EXPECT_TRUE(f->crc);
}

// --- Elements --------------------------------------------------------------------------------------------------------

TEST(FeedbackElement, CodeOrSizeTellTheLength) {
  const Packet elements = hex("f2 e1 05 | f0 03 01 02 03 | f0 00 | f1 09 | 45");
  Reader in(elements);
  auto next = read_feedback_element(in);
  ASSERT_TRUE(next);
  EXPECT_EQ(to_hex(*next), "e1 05");
  next = read_feedback_element(in);
  ASSERT_TRUE(next);
  EXPECT_EQ(to_hex(*next), "01 02 03");
  next = read_feedback_element(in);
  ASSERT_TRUE(next);
  EXPECT_TRUE(next->empty());
  next = read_feedback_element(in);
  ASSERT_TRUE(next);
  EXPECT_EQ(to_hex(*next), "09");
  EXPECT_EQ(to_hex(in.rest()), "45");
}

TEST(FeedbackElement, TruncatedOnesFail) {
  for (const char* octets : {"", "f0", "f0 02 01", "f1", "f7 01 02 03 04 05 06"}) {
    const Packet packet = hex(octets);
    Reader in(packet);
    EXPECT_FALSE(read_feedback_element(in)) << '[' << octets << ']';
  }
}

TEST(FeedbackElement, LongOnesCarryASize) {
  Feedback f = ack(300, Mode::kOptimistic, 0x89abcdef);
  f.sn_width = 32;
  f.crc = f.reject = f.context_memory = true;
  f.sn_valid = false;
  f.clock_ms = 1;
  f.max_jitter = 2;
  f.longest_loss = 3;
  const Packet e = element(true, f);
  EXPECT_EQ(e[0], 0xf0);
  EXPECT_EQ(e[1], e.size() - 2);
  EXPECT_LE(e.size(), kMaxFeedbackElement);
}

TEST(FeedbackElement, RoundTrip) {
  Random random(1);
  for (int round = 0; round < 20'000; ++round) {
    const bool large = random.flip();
    Feedback f;
    f.cid = random.below(large ? 16384 : 16);
    f.one = random.chance(0.2);
    if (f.one) {
      f.sn = random.octet();
    } else {
      f.ack = static_cast<AckType>(random.below(3));
      f.mode = static_cast<Mode>(random.below(4));
      constexpr std::uint8_t kWidths[] = {12, 20, 28};
      f.sn_width = kWidths[random.below(3)];
      f.sn = random.word32() & ((1U << f.sn_width) - 1);
      f.sn_valid = random.flip();
      f.crc = random.flip();
      f.reject = random.flip();
      f.context_memory = random.flip();
      if (random.flip()) f.clock_ms = random.octet();
      if (random.flip()) f.max_jitter = random.octet();
      if (random.flip()) f.longest_loss = random.octet();
    }
    const Packet octets = element(large, f);
    Reader in(octets);
    const auto data = read_feedback_element(in);
    ASSERT_TRUE(data) << to_hex(octets);
    ASSERT_EQ(in.remaining(), 0U);
    const auto back = read_feedback(*data, large);
    ASSERT_TRUE(back) << to_hex(octets);
    ASSERT_EQ(back->cid, f.cid) << to_hex(octets);
    ASSERT_EQ(back->one, f.one);
    ASSERT_EQ(back->sn, f.sn) << to_hex(octets);
    if (f.one) continue;
    ASSERT_EQ(back->sn_width, f.sn_width);
    ASSERT_EQ(back->ack, f.ack);
    ASSERT_EQ(back->mode, f.mode);
    ASSERT_EQ(back->sn_valid, f.sn_valid);
    ASSERT_EQ(back->crc, f.crc);
    ASSERT_EQ(back->reject, f.reject);
    ASSERT_EQ(back->context_memory, f.context_memory);
    ASSERT_EQ(back->clock_ms, f.clock_ms);
    ASSERT_EQ(back->max_jitter, f.max_jitter);
    ASSERT_EQ(back->longest_loss, f.longest_loss);
  }
}

// Whatever arrives, the reader ends and takes no more than it is given (AddressSanitizer watches).
TEST(Feedback, RandomOctets) {
  Random random(2);
  for (int round = 0; round < 200'000; ++round) {
    Packet data(random.below(24));
    for (auto& octet : data) octet = random.octet();
    const auto f = read_feedback(data, random.flip());
    if (f) {
      ASSERT_LE(f->cid, kMaxLargeCid);
      ASSERT_LE(f->sn_width, 32);
    }
  }
}

}  // namespace
}  // namespace headroom::rohc::wire
