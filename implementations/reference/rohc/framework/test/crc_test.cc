// SPDX-License-Identifier: Apache-2.0
//
// CRCs of RFC 3095 5.9 against the algorithm of RFC 4815 Appendix A, bit by bit, and against the check values by which
// these CRCs are known.
#include "rohc/framework/wire/crc.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

#include "rohc/framework/test/support/octets.h"
#include "rohc/framework/test/support/random.h"

namespace headroom::rohc::wire {
namespace {

using test::Packet;
using test::Random;
using test::to_hex;

// do_crc() of RFC 4815 Appendix A, with the register passed in and out.
std::uint32_t judge(std::uint32_t polynomial, Octets octets, std::uint32_t crc) {
  for (const std::uint8_t octet : octets) {
    std::uint32_t byte = octet;
    for (int b = 0; b < 8; ++b) {
      const bool one = ((crc & 1) ^ (byte & 1)) != 0;
      crc >>= 1;
      if (one) crc ^= polynomial;
      byte >>= 1;
    }
  }
  return crc;
}

Packet random_octets(Random& random, std::size_t count) {
  Packet p(count);
  for (auto& octet : p) octet = random.octet();
  return p;
}

Packet check_message() {
  constexpr std::string_view kText = "123456789";
  return {kText.begin(), kText.end()};
}

// The "check" of CRC catalogues: the CRC of the ASCII digits 1 to 9.
TEST(Crc, KnownCheckValues) {
  const Packet message = check_message();
  EXPECT_EQ(crc3(message), 0x6);
  EXPECT_EQ(crc7(message), 0x53);
  EXPECT_EQ(crc8(message), 0xd0);
  EXPECT_EQ(~crc32(message), 0xcbf43926U);
}

TEST(Crc, NothingLeavesTheRegisterAllOnes) {
  EXPECT_EQ(crc3({}), 7);
  EXPECT_EQ(crc7({}), 0x7f);
  EXPECT_EQ(crc8({}), 0xff);
  EXPECT_EQ(crc32({}), 0xffffffffU);
}

TEST(Crc, AgreesWithTheAlgorithmOfTheAppendix) {
  Random random(1);
  for (std::size_t length = 0; length < 100; ++length) {
    for (int round = 0; round < 20; ++round) {
      const Packet message = random_octets(random, length);
      ASSERT_EQ(crc3(message), judge(0x6, message, 7)) << to_hex(message);
      ASSERT_EQ(crc7(message), judge(0x79, message, 0x7f)) << to_hex(message);
      ASSERT_EQ(crc8(message), judge(0xe0, message, 0xff)) << to_hex(message);
      ASSERT_EQ(crc32(message), judge(0xedb88320U, message, 0xffffffffU)) << to_hex(message);
    }
  }
}

// RFC 3095 5.9.2: "the state of the CRC computation after 1) will be saved".
TEST(Crc, ContinuesFromASavedStateAtEverySplit) {
  Random random(2);
  const Packet message = random_octets(random, 40);
  const Octets all(message);
  for (std::size_t split = 0; split <= message.size(); ++split) {
    EXPECT_EQ(crc3(all.subspan(split), crc3(all.first(split))), crc3(all)) << split;
    EXPECT_EQ(crc7(all.subspan(split), crc7(all.first(split))), crc7(all)) << split;
    EXPECT_EQ(crc8(all.subspan(split), crc8(all.first(split))), crc8(all)) << split;
    EXPECT_EQ(crc32(all.subspan(split), crc32(all.first(split))), crc32(all)) << split;
  }
}

TEST(Crc, EveryStateOfTheRegisterIsAValidStart) {
  Random random(3);
  for (unsigned state = 0; state < 256; ++state) {
    const Packet message = random_octets(random, 1 + state % 30);
    const auto start = static_cast<std::uint8_t>(state);
    if (state < 8) {
      ASSERT_EQ(crc3(message, start), judge(0x6, message, state));
    }
    if (state < 128) {
      ASSERT_EQ(crc7(message, start), judge(0x79, message, state));
    }
    ASSERT_EQ(crc8(message, start), judge(0xe0, message, state));
  }
}

// Each octet folded at the place that its distance from the end of the message gives it.
std::uint8_t folded_crc3(Octets message, std::uint8_t state) {
  std::uint64_t folded = 0;
  for (std::size_t i = 0; i < message.size(); ++i) {
    const unsigned bits_to_end = 8 * static_cast<unsigned>(message.size() - i);
    const std::uint64_t octet = i == 0 ? std::uint64_t{message[i]} ^ state : message[i];
    folded ^= octet << Crc3Fold::shift_for(bits_to_end);
  }
  return Crc3Fold::finish(folded);
}

TEST(Crc3Fold, EqualsCrc3) {
  Random random(4);
  for (std::size_t length = 1; length < 120; ++length) {
    const Packet message = random_octets(random, length);
    for (std::uint8_t state = 0; state < 8; ++state) {
      ASSERT_EQ(folded_crc3(message, state), crc3(message, state)) << "length " << length << ", state " << int{state};
    }
  }
}

// Pieces of up to eight octets less one bit, as the fast paths place them.
TEST(Crc3Fold, TakesWholePiecesToo) {
  Random random(5);
  for (int round = 0; round < 2000; ++round) {
    const Packet message = random_octets(random, 2 + random.below(12));
    const std::size_t split =
        1 + random.below(static_cast<std::uint32_t>(std::min<std::size_t>(message.size() - 1, 7)));
    const Octets all(message);
    const auto piece = [](Octets octets) {
      std::uint64_t value = 0;
      for (std::size_t i = octets.size(); i > 0; --i) value = value << 8 | octets[i - 1];
      return value;
    };
    const Octets tail = all.subspan(split);
    if (tail.size() > 7) continue;
    std::uint64_t folded = (piece(all.first(split)) ^ kCrc3Initial)
                           << Crc3Fold::shift_for(static_cast<unsigned>(8 * all.size()));
    if (folded >> 63 != 0) continue;  // the contract: bit 63 must be 0
    folded ^= piece(tail) << Crc3Fold::shift_for(static_cast<unsigned>(8 * tail.size()));
    if (folded >> 63 != 0) continue;
    ASSERT_EQ(Crc3Fold::finish(folded), crc3(all)) << to_hex(all) << " split at " << split;
  }
}

TEST(Crc3Fold, FindsEverySingleBit) {
  for (unsigned bit = 0; bit < 63; ++bit) EXPECT_NE(Crc3Fold::finish(std::uint64_t{1} << bit), 0) << bit;
  EXPECT_EQ(Crc3Fold::finish(0), 0);
}

}  // namespace
}  // namespace headroom::rohc::wire
