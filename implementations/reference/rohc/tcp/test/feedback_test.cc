// SPDX-License-Identifier: Apache-2.0
//
// Feedback of profile 0x0006: RFC 6846, 8.3.
#include "rohc/tcp/wire/feedback.h"

#include <gtest/gtest.h>

#include "rohc/framework/test/support/octets.h"
#include "rohc/framework/wire/crc.h"

namespace headroom::rohc::tcp {
namespace {

using test::hex;
using test::Packet;

// An element with the CRC put right, which is at `at`.
Packet with_crc(Packet element, std::size_t at) {
  element[at] = 0;
  element[at] = wire::crc8(element);
  return element;
}

// "A FEEDBACK-1 is an ACK": eight bits of MSN.
TEST(TcpFeedback, OneOctetIsAnAck) {
  const auto f = read_feedback(hex("a5"), 0);
  ASSERT_TRUE(f);
  EXPECT_EQ(f->ack, AckType::kAck);
  EXPECT_EQ(f->msn, 0xa5);
  EXPECT_EQ(f->msn_bits, 8);
  EXPECT_FALSE(f->has_crc);
}

// FEEDBACK-2: Acktype, 14 bits of MSN, CRC "over the entire feedback element", CID included.
TEST(TcpFeedback, FeedbackTwoHasFourteenBitsAndACrc) {
  const Packet element = with_crc(hex("e3 | 6a5c 00"), 3);
  const auto f = read_feedback(element, 1);
  ASSERT_TRUE(f);
  EXPECT_EQ(f->ack, AckType::kNack);
  EXPECT_EQ(f->msn, 0x2a5c);
  EXPECT_TRUE(f->has_crc);
  for (std::size_t bit = 0; bit < element.size() * 8; ++bit) {
    Packet damaged = element;
    damaged[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
    EXPECT_FALSE(read_feedback(damaged, 1)) << bit;
  }
}

// "These 2 bits are the least significant bits of the MSN and are thus concatenated with the 14 bits".
TEST(TcpFeedback, TheMsnOptionMakesSixteenBits) {
  const auto f = read_feedback(with_crc(hex("8a5c 00 | 41 c0"), 2), 0);
  ASSERT_TRUE(f);
  EXPECT_EQ(f->ack, AckType::kStaticNack);
  EXPECT_EQ(f->msn, 0x0a5c << 2 | 3);
  EXPECT_EQ(f->msn_bits, 16);
}

// Options: REJECT 2, MSN-NOT-VALID 3, CONTEXT_MEMORY 9; unknown ones are skipped by their length.
TEST(TcpFeedback, OptionsMeanWhatTheyMean) {
  const auto f = read_feedback(with_crc(hex("4001 00 | 20 | 52 aabb | 30 | 90"), 2), 0);
  ASSERT_TRUE(f);
  EXPECT_TRUE(f->reject);
  EXPECT_TRUE(f->context_memory);
  EXPECT_FALSE(f->msn_valid);
  EXPECT_EQ(f->meaning(), AckType::kStaticNack) << "NACK with MSN-NOT-VALID";
}

// "otherwise, the compressor MUST discard the entire feedback element".
TEST(TcpFeedback, WhatMustBeDiscardedIs) {
  for (const char* bad : {"c001 00", "4001 00 20 20", "4001 00 30 30", "4001 00 41c0 41c0", "4001 00 90 90",
                          "4001 00 30 41c0", "4001 00 41", "4001 00 5f 00", "4001 00 21 00", "4001"}) {
    Packet element = hex(bad);
    if (element.size() > 2) element = with_crc(element, 2);
    EXPECT_FALSE(read_feedback(element, 0)) << bad;
  }
  EXPECT_FALSE(read_feedback({}, 0));
}

TEST(TcpFeedback, WhatIsWrittenIsRead) {
  for (const std::uint8_t bits : {std::uint8_t{8}, std::uint8_t{14}, std::uint8_t{16}}) {
    for (unsigned options = 0; options < 8; ++options) {
      Feedback f;
      f.msn_bits = bits;
      if (bits != 8) {
        f.ack = AckType::kStaticNack;
        f.reject = (options & 1) != 0;
        f.context_memory = (options & 2) != 0;
        f.msn_valid = (options & 4) == 0 || bits == 16;
      }
      Packet room(kMostFeedback + 2);
      wire::Writer out(room);
      write_feedback(out, hex("8123"), f, 0xbeef);
      ASSERT_TRUE(out.ok());
      const auto read = read_feedback(out.written(), 2);
      ASSERT_TRUE(read);
      EXPECT_EQ(read->ack, f.ack);
      EXPECT_EQ(read->msn, bits == 8 ? 0xef : bits == 14 ? 0x3eef : 0xbeef);
      EXPECT_EQ(read->reject, f.reject);
      EXPECT_EQ(read->context_memory, f.context_memory);
      EXPECT_EQ(read->msn_valid, f.msn_valid);
    }
  }
}

}  // namespace
}  // namespace headroom::rohc::tcp
