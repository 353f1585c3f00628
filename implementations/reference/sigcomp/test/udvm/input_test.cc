// SPDX-License-Identifier: Apache-2.0
//
// Input of bits (RFC 3320 8.2) against the same drawn as a list of bits, and sorting against the standard library.
#include "sigcomp/udvm/input.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "sigcomp/test/support/hex.h"
#include "sigcomp/test/support/random.h"
#include "sigcomp/udvm/crc.h"
#include "sigcomp/udvm/sort.h"

namespace headroom::sigcomp::udvm {
namespace {

using test::Bytes;
using test::hex;
using test::Random;

// The dispatcher as the RFC describes it: octets, and a fraction of the current one as a list of bits.
class Dispatcher {
 public:
  explicit Dispatcher(const Bytes& octets) : octets_(octets) {}
  void set_p(unsigned p) {
    if (p != p_) fraction_.clear();
    p_ = p;
  }
  void discard() { fraction_.clear(); }
  [[nodiscard]] std::size_t bits_left() const { return fraction_.size() + 8 * (octets_.size() - next_); }
  unsigned bits(unsigned count, bool lsb_first) {
    unsigned value = 0;
    for (unsigned i = 0; i < count; ++i) {
      if (fraction_.empty()) fill();
      const unsigned bit = fraction_.front();
      fraction_.erase(fraction_.begin());
      value = lsb_first ? value | bit << i : value << 1 | bit;
    }
    return value;
  }
  std::uint8_t octet() { return octets_[next_++]; }

 private:
  void fill() {
    const unsigned octet = octets_[next_++];
    for (unsigned i = 0; i < 8; ++i) fraction_.push_back(octet >> (p_ != 0 ? i : 7 - i) & 1);
  }
  Bytes octets_;
  std::size_t next_ = 0;
  std::vector<unsigned> fraction_;
  unsigned p_ = 0;
};

TEST(Input, PassesBitsAsTheDispatcherOfTheRfcDoes) {
  Random random(4);
  for (int round = 0; round < 500; ++round) {
    Bytes octets(random.below(40));
    for (auto& octet : octets) octet = random.octet();
    Input input(octets);
    Dispatcher dispatcher(octets);
    for (int step = 0; step < 60; ++step) {
      if (random.below(5) == 0) {
        const std::size_t count = random.below(5);
        dispatcher.discard();
        const auto taken = input.bytes(count);
        ASSERT_EQ(taken.has_value(), 8 * count <= dispatcher.bits_left());
        for (std::size_t i = 0; taken && i < count; ++i) ASSERT_EQ((*taken)[i], dispatcher.octet());
        continue;
      }
      const unsigned p = random.below(2);
      const bool lsb_first = random.below(2) == 0;
      const unsigned count = random.below(17);
      input.set_p(p);
      dispatcher.set_p(p);
      ASSERT_EQ(input.bits_left(), dispatcher.bits_left());
      if (count > input.bits_left()) continue;  // takes nothing
      ASSERT_EQ(input.bits(count, lsb_first), dispatcher.bits(count, lsb_first));
    }
  }
}

// RFC 4896 3.1: "INPUT-BYTES (6, a, b) … returns no bytes", then INPUT-BYTES (2, c, d) returns "0x01 and 0x02".
TEST(Input, TakesNothingWhenThereIsNotEnough) {
  const Bytes octets = hex("01 02 03");
  Input input(octets);
  EXPECT_FALSE(input.bytes(6));
  EXPECT_EQ(test::to_hex(*input.bytes(2)), "0102");
  (void)input.bits(1, false);
  // "the partial byte should still be thrown away even if there are not enough bytes to input"
  EXPECT_FALSE(input.bytes(1));
  EXPECT_EQ(input.bits_left(), 0U);
}

TEST(Sort, IsStableAndTakesTheOtherListsAlong) {
  Random random(5);
  Sorter sorter;
  for (int round = 0; round < 300; ++round) {
    const std::uint32_t lists = 1 + random.below(4);
    const std::uint32_t words = random.below(round % 10 == 0 ? 3000 : 120);
    const bool descending = random.below(2) == 0;
    const std::uint32_t range = random.below(2) == 0 ? 65536 : 9;
    std::vector<std::uint16_t> values(lists * words);
    for (auto& value : values) value = static_cast<std::uint16_t>(random.below(range) * (range == 9 ? 257 : 1));
    Bytes octets(2 * values.size() + 2, 0xee);
    for (std::size_t i = 0; i < values.size(); ++i) store16(octets.data() + 2 * i, values[i]);

    std::vector<std::uint32_t> order(words);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return descending ? values[a] > values[b] : values[a] < values[b];
    });
    sorter.sort(octets.data(), lists, words, descending);
    for (std::uint32_t list = 0; list < lists; ++list) {
      for (std::uint32_t i = 0; i < words; ++i) {
        ASSERT_EQ(load16(octets.data() + 2 * (list * words + i)), values[list * words + order[i]]);
      }
    }
    ASSERT_EQ(load16(octets.data() + octets.size() - 2), 0xeeee);
  }
}

// "1 + k * (ceiling(log2(k)) + n)", "the smallest value i such that k <= 2^i"
TEST(Sort, CostsWhatFigure11Says) {
  EXPECT_EQ(Sorter::cost(2, 23), 1U + 23 * (5 + 2));
  EXPECT_EQ(Sorter::cost(7, 0), 1U);
  EXPECT_EQ(Sorter::cost(7, 1), 1U + 7);
  EXPECT_EQ(Sorter::cost(0, 2), 1U + 2);
  EXPECT_EQ(Sorter::cost(1, 16), 1U + 16 * (4 + 1));
  EXPECT_EQ(Sorter::cost(1, 17), 1U + 17 * (5 + 1));
  EXPECT_EQ(Sorter::cost(65535, 65535), 1U + 65535U * std::uint64_t{16 + 65535});
}

// The "check" of CRC catalogues for this polynomial and direction without complement (CRC-16/MCRF4XX).
TEST(Crc, KnownCheckValue) { EXPECT_EQ(fcs16(test::text_octets("123456789")), 0x6f91); }

}  // namespace
}  // namespace headroom::sigcomp::udvm
