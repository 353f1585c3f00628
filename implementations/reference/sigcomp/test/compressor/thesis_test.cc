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
