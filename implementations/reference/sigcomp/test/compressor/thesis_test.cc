// SPDX-License-Identifier: Apache-2.0
//
// Figures of maenpaa-2005: what its messages are compressed to, and the lengths of its bytecode.
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

#include "sigcomp/compressor/codes.h"
#include "sigcomp/compressor/program.h"
#include "sigcomp/test/support/call.h"

namespace headroom::sigcomp {
namespace {

using test::Bytes;
using test::Sizes;
using test::sizes_of_call;
using test::sum;
using test::thesis;
using test::with;

struct Printed {
  const char* table;
  Mechanism mechanism;
  std::size_t memory;
  unsigned priority;
  std::size_t shared_length;
  Transport transport;
  std::vector<std::size_t> lengths;  // "Length compr"
};

// Its messages are 3 to 5 octets longer than its printed text, which is what the sequences have.
TEST(Thesis, CompressedLengths) {
  const Printed tables[] = {
      {"14.8.1.3",
       Mechanism::kStatelessBasic,
       16384,
       5,
       1500,
       Transport::kMessages,
       {1085, 276, 1027, 996, 641, 956, 625, 490, 645, 279, 759, 397}},
      {"14.8.2.1",
       Mechanism::kStatelessStatic,
       4096,
       3,
       1500,
       Transport::kMessages,
       {791, 174, 756, 739, 448, 718, 436, 339, 491, 183, 546, 287}},
      {"14.8.2.3",
       Mechanism::kStatefulStatic,
       16384,
       3,
       1500,
       Transport::kMessages,
       {791, 174, 756, 739, 448, 718, 436, 339, 491, 183, 546, 287}},
      {"14.8.3.1",
       Mechanism::kDynamic,
       4096,
       3,
       500,
       Transport::kMessages,
       {791, 174, 756, 126, 43, 52, 44, 34, 30, 14, 23, 18}},
      {"14.8.3.3",
       Mechanism::kDynamic,
       16384,
       3,
       500,
       Transport::kMessages,
       {791, 174, 756, 123, 43, 52, 44, 27, 31, 16, 23, 15}},
      {"14.8.4.2",
       Mechanism::kShared,
       8192,
       3,
       500,
       Transport::kMessages,
       {791, 20, 546, 109, 43, 52, 44, 27, 31, 16, 23, 15}},
      {"14.6.1",
       Mechanism::kShared,
       8192,
       5,
       500,
       Transport::kMessages,
       {739, 20, 516, 109, 43, 54, 50, 30, 34, 16, 23, 15}},
      {"14.6.3",
       Mechanism::kShared,
       8192,
       5,
       1000,
       Transport::kMessages,
       {739, 21, 436, 73, 43, 52, 38, 23, 29, 9, 23, 15}},
      {"14.6.4",
       Mechanism::kShared,
       8192,
       5,
       1500,
       Transport::kMessages,
       {739, 21, 295, 70, 40, 52, 38, 29, 27, 9, 26, 15}},
      {"14.10.1.1",
       Mechanism::kDynamic,
       8192,
       5,
       1500,
       Transport::kMessages,
       {739, 173, 719, 124, 43, 52, 44, 27, 31, 16, 23, 15}},
      {"14.10.2.1",
       Mechanism::kDynamic,
       8192,
       5,
       1500,
       Transport::kStream,
       {739, 173, 570, 124, 43, 52, 44, 21, 31, 14, 23, 15}},
  };
  for (const Printed& table : tables) {
    CompressorConfig config = thesis(table.mechanism, table.memory, table.priority, table.shared_length);
    config.transport = table.transport;
    if (table.transport == Transport::kStream) config.acknowledgement = Acknowledgement::kTransport;
    const Sizes sizes = sizes_of_call(config);
    EXPECT_NEAR(static_cast<double>(sum(sizes.compressed)), static_cast<double>(sum(table.lengths)),
                0.02 * static_cast<double>(sum(table.lengths)))
        << table.table;
    for (std::size_t i = 0; i < table.lengths.size(); ++i) {
      const auto printed = static_cast<double>(table.lengths[i]);
      EXPECT_NEAR(static_cast<double>(sizes.compressed[i]), printed, std::max(8.0, 0.02 * printed))
          << table.table << " message " << i;
    }
  }
}

// 14.5: the INVITE by the bits of a length.
TEST(Thesis, LengthsOfTheLookAheadBuffer) {
  for (const auto& [length_bits, printed] : {std::pair{4U, 694.0}, {6U, 706.0}, {8U, 739.0}}) {
    CompressorConfig config = thesis(Mechanism::kShared, 8192, 5, 500);
    config.length_bits = length_bits;
    EXPECT_NEAR(static_cast<double>(sizes_of_call(config).compressed[0]), printed, 0.02 * printed) << length_bits;
  }
}

// 7.8.2: the sliding window is the search buffer and the look-ahead buffer. What this one will overwrite in a circular
// buffer is not searched; what lies further from it is.
TEST(Thesis, LookAheadBufferIsPartOfTheWindow) {
  const auto length_of = [](std::string_view text, std::size_t circle) {
    Window window({}, 64, Search::kHash);
    const std::string_view earlier = "abcdefghijklmnop";
    window.add({reinterpret_cast<const std::uint8_t*>(earlier.data()), earlier.size()});
    window.begin({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
    std::uint8_t room[32];
    return write_lzss(window, {258, 16, circle}, 14, 8, room);
  };
  EXPECT_EQ(length_of("abcdef", 0), 3U) << "a match";
  EXPECT_EQ(length_of("abcdef", 17), 7U) << "six literals of 9 bits";
  EXPECT_EQ(length_of("klmnop", 17), 3U);
}

// Of its tables, not of its text: where the circular buffer ends, so does every match.
TEST(Thesis, NoMatchCrossesTheEndOfTheBuffer) {
  const auto length_of = [](std::string_view earlier, std::string_view text, std::size_t circle, std::size_t at) {
    std::size_t lengths[2];
    for (const Search search : {Search::kHash, Search::kLinear}) {
      Window window({}, 64, search);
      window.add({reinterpret_cast<const std::uint8_t*>(earlier.data()), earlier.size()});
      window.begin({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
      std::uint8_t room[32];
      const MatchLimits limits{.longest = 258, .farthest = 15, .circle = circle, .circle_at = at};
      lengths[search == Search::kHash ? 0 : 1] = write_lzss(window, limits, 14, 8, room);
    }
    EXPECT_EQ(lengths[0], lengths[1]);
    return lengths[0];
  };
  // Where it is put: 16 octets, and the end behind 20.
  EXPECT_EQ(length_of("abcdefghijklmnop", "bcdefghi", 0, 0), 3U) << "23 bits";
  EXPECT_EQ(length_of("abcdefghijklmnop", "bcdefghi", 20, 0), 6U) << "bcde and fghi: 46 bits";
  EXPECT_EQ(length_of("abcdefghijklmnop", "bcdefg", 20, 0), 6U) << "bcde, f and g: 41 bits";
  EXPECT_EQ(length_of("abcdefghijklmnop", "bcdefghi", 20, 4), 3U) << "the end is in front of it";
  EXPECT_EQ(length_of("abcdefghijklmnop", "bcdefghi", 20, 3), 4U) << "b and cdefghi: 32 bits";
  EXPECT_EQ(length_of("abcdefghijklmnop", "bcdefghi", 20, 12), 4U) << "it was behind h: bcdefgh and i";
  // Where it is taken from: n, o and p lie before the end, q, r and s behind it.
  EXPECT_EQ(length_of("abcdefghijklmnopqrst", "nopqrs", 0, 0), 3U);
  EXPECT_EQ(length_of("abcdefghijklmnopqrst", "nopqrs", 16, 0), 6U) << "nop and qrs";
  EXPECT_EQ(length_of("abcdefghijklmnopqrst", "opqrst", 16, 0), 6U) << "o, p and qrst: 41 bits";
}

TEST(Thesis, NoMatchBeginsInWhatIsDeleted) {
  for (const Search search : {Search::kHash, Search::kLinear}) {
    const auto length_of = [search](std::string_view text, std::size_t oldest) {
      Window window({}, 64, search);
      const std::string_view earlier = "abcdefghijklmnop";
      window.add({reinterpret_cast<const std::uint8_t*>(earlier.data()), earlier.size()});
      window.begin({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
      std::uint8_t room[32];
      return write_lzss(window, {.longest = 258, .farthest = 64, .oldest = oldest}, 14, 8, room);
    };
    EXPECT_EQ(length_of("efghij", 4), 3U);
    EXPECT_EQ(length_of("efghij", 5), 4U) << "e and fghij: 32 bits";
    EXPECT_EQ(length_of("efghij", 16), 7U) << "six literals";
  }
}

// A buffer of 624 octets, 218 of them the dictionary's; eight zeros go in front of each message. Where things lie
// counts from the beginning of the dictionary, as if nothing were ever overwritten.
class SmallBuffer : public ::testing::Test {
 protected:
  static constexpr std::size_t kBuffer = 624;
  static CompressorConfig config(bool room_first) {
    CompressorConfig config = thesis(Mechanism::kDynamic, 400 + kBuffer, 1, 500);
    config.announce = false;
    config.acknowledgement = Acknowledgement::kOthers;
    config.room_first = room_first;
    return config;
  }
  Bytes random(std::size_t length) {
    Bytes octets(length);
    for (auto& octet : octets) octet = random_.octet();
    return octets;
  }
  // Octets of codes; what is sent is restored.
  static std::size_t send(test::Endpoint& from, test::Endpoint& to, const Bytes& message) {
    const Bytes made = from.send(message);
    EXPECT_EQ(to.receive(made), message);
    return made.size() - from.compressor->last().overhead;
  }
  // The peer has sent something, and has got what was sent before.
  static void answer(test::Endpoint& from) {
    EXPECT_TRUE(from.compressor->acknowledge(*from.compressor->leaves()));
    from.compressor->heard({});
  }
  static Bytes joined(Octets first, const Bytes& second) {
    Bytes all(first.begin(), first.end());
    all.insert(all.end(), second.begin(), second.end());
    return all;
  }

 private:
  test::Random random_{11};
};

TEST_F(SmallBuffer, EndsWhereItEndsInTheRowOfAllMessages) {
  for (const bool linear_buffer : {false, true}) {
    for (const bool shares_the_bench : {false, true}) {
      CompressorConfig config = SmallBuffer::config(false);
      config.linear_buffer = linear_buffer;
      test::Endpoint b(config);
      StateHandler states(2);
      ASSERT_TRUE(states.open(1, config.peer.state_memory_size));
      ASSERT_TRUE(states.open(2, config.peer.state_memory_size));
      CompressorFactory factory(states);
      const auto a = factory.make(config, 1);
      const auto other = factory.make(config, 2);
      const auto send = [&](const Bytes& message) {
        const Octets made = a->compress(message);
        const std::size_t length = made.size() - a->last().overhead;
        EXPECT_EQ(b.receive({made.begin(), made.end()}), message);
        EXPECT_TRUE(a->acknowledge(*a->leaves()));
        // Then the text to search in is made anew, and begins later.
        if (shares_the_bench) {
          EXPECT_FALSE(other->compress(random(20)).empty());
        }
        return length;
      };
      const Bytes first = random(200);  // 226 to 426
      send(first);
      // 434 to 674, of which 100 octets from 574 on; the buffer ends at 624.
      Bytes second = random(140);
      second.insert(second.end(), first.begin(), first.begin() + 100);
      EXPECT_EQ(send(second), linear_buffer ? 164U : 161U) << "140 literals and two matches, or one";
      // 682 to 762: what is there from 554 to 634.
      EXPECT_EQ(send({second.begin() + 120, second.begin() + 200}), linear_buffer ? 6U : 3U) << "likewise";
      const Bytes fourth = random(300);  // 770 to 1070
      send(fourth);
      // 1078 to 1318, of which 100 octets from 1218 on; the buffer ends at 1248.
      Bytes fifth = random(140);
      fifth.insert(fifth.end(), fourth.begin() + 100, fourth.begin() + 200);
      EXPECT_EQ(send(fifth), linear_buffer ? 164U : 161U);
    }
  }
}

// "Previous data need to be deleted from the hash map to make room for new data" (9.3).
TEST_F(SmallBuffer, WhatTheMessageIsGoingToOverwriteIsNotFound) {
  for (const bool room_first : {false, true}) {
    test::Endpoint a(config(room_first));
    test::Endpoint b(config(room_first));
    send(a, b, random(200));  // 226 to 426
    answer(a);
    const Bytes known = random(390);  // 434 to 824, once around the buffer
    send(a, b, known);
    answer(a);
    // 832 to 1232: over what begins before 608. The first 258 octets leave all from 466 on.
    const std::size_t length = send(a, b, joined(Octets(known).subspan(66, 60), random(340)));  // 500 to 560
    EXPECT_EQ(length, room_first ? 450U : 386U) << "400 literals of 9 bits; a match of 23 bits and 340";
  }
}

TEST_F(SmallBuffer, WhatOthersHaveOverwrittenFromTheSameSnapshotIsNotFound) {
  for (const bool room_first : {false, true}) {
    test::Endpoint a(config(room_first));
    test::Endpoint b(config(room_first));
    send(a, b, random(200));
    answer(a);
    const Bytes known = random(390);  // 434 to 824
    send(a, b, known);
    answer(a);
    send(a, b, random(300));  // over what begins before 824 + 308 - 624 = 508, in its own copy of the buffer
    // 832 to 932, over what begins before 308.
    const std::size_t before = send(a, b, joined(Octets(known).subspan(6, 60), random(40)));  // 440 to 500
    EXPECT_EQ(before, room_first ? 113U : 48U) << "100 literals; a match and 40";
    const std::size_t behind = send(a, b, joined(Octets(known).subspan(74, 60), random(40)));  // 508 to 568
    EXPECT_EQ(behind, 48U);
  }
}

// Table 13: each priority has the octets that RFC 3485, section 3, says.
TEST(Thesis, DictionaryPriorities) {
  const std::size_t lengths[] = {218, 1132, 1492, 3335, 3468};
  std::size_t before = 10000;
  for (unsigned priority = 1; priority <= 5; ++priority) {
    const CompressorConfig config = thesis(Mechanism::kStatelessStatic, 8192, priority, 500);
    EXPECT_EQ(Program(config).dictionary.size(), lengths[priority - 1]);
    const std::size_t total = sum(sizes_of_call(config).compressed);
    EXPECT_LE(total, before) << priority;
    before = total;
  }
  EXPECT_EQ(Program(with(Mechanism::kStatelessStatic)).dictionary.size(), 4836U);
}

// Table 15: 69 and 70, 86 and 87, 216 to 220 octets.
TEST(Thesis, BytecodeIsNoLonger) {
  for (const std::size_t memory : {4096U, 8192U, 16384U}) {
    EXPECT_LE(Program(thesis(Mechanism::kDynamic, memory, 5, 1500)).code.size(), 216U);
    EXPECT_LE(Program(thesis(Mechanism::kShared, memory, 5, 1500)).code.size(), 216U);
    // Its stateful compression asks for no feedback.
    CompressorConfig config = thesis(Mechanism::kStatefulBasic, memory, 5, 1500);
    config.acknowledgement = Acknowledgement::kOthers;
    EXPECT_LE(Program(config).code.size(), 69U);
    config.mechanism = Mechanism::kStatefulStatic;
    EXPECT_LE(Program(config).code.size(), 86U);
  }
}
}  // namespace
}  // namespace headroom::sigcomp
