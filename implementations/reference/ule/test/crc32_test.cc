// SPDX-License-Identifier: Apache-2.0
#include "ule/wire/crc32.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace headroom::ule::wire {
namespace {

std::vector<CrcKernel> kernels() {
  std::vector<CrcKernel> offered;
  for (std::size_t i = 0; i < kCrcKernelNames.size(); ++i) {
    const auto kernel = static_cast<CrcKernel>(i);
    if (is_offered(kernel)) offered.push_back(kernel);
  }
  return offered;
}

// RFC 4326, appendix B: 63 octets behind the Type field, CRC-32 0x7c171763.
TEST(Crc32, AppendixB) {
  const std::vector<std::uint8_t> sndu = {0x00, 0x3f, 0x86, 0xdd, 0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x60, 0x00, 0x00,
                                          0x00, 0x00, 0x0d, 0x3a, 0x40, 0x20, 0x01, 0x0d, 0xb8, 0x30, 0x08, 0x19, 0x65,
                                          0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x20, 0x01, 0x0d, 0xb8, 0x25,
                                          0x09, 0x19, 0x62, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x80, 0x00,
                                          0x9d, 0x8c, 0x06, 0x38, 0x00, 0x04, 0x00, 0x00, 0x00, 0x00, 0x00};
  for (const CrcKernel kernel : kernels()) {
    EXPECT_EQ(crc32(kernel, sndu), 0x7C171763U);
  }
}

// The check value of CRC-32/MPEG-2 for "123456789".
TEST(Crc32, CheckValue) {
  const std::vector<std::uint8_t> digits = {'1', '2', '3', '4', '5', '6', '7', '8', '9'};
  for (const CrcKernel kernel : kernels()) {
    EXPECT_EQ(crc32(kernel, digits), 0x0376E6E7U);
  }
}

// Bit by bit, as the generator has it.
std::uint32_t by_bit(std::span<const std::uint8_t> octets) {
  std::uint32_t r = 0xFFFFFFFF;
  for (const std::uint8_t octet : octets) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      const bool top = ((r >> 31) ^ (octet >> (7 - bit) & 1U)) != 0;
      r = (r << 1) ^ (top ? 0x04C11DB7U : 0U);
    }
  }
  return r;
}

TEST(Crc32, KernelsAgreeForEveryLengthAndPlace) {
  std::mt19937 random(1);
  std::vector<std::uint8_t> octets(600);
  for (std::uint8_t& octet : octets) octet = static_cast<std::uint8_t>(random());
  for (std::size_t length = 0; length < 520; ++length) {
    const auto some = std::span(octets).subspan(length % 17, length);
    for (const CrcKernel kernel : kernels()) {
      ASSERT_EQ(crc32(kernel, some), by_bit(some)) << length;
    }
  }
}

// A message in two parts, wherever it is cut.
TEST(Crc32, TheRegisterGoesOn) {
  std::mt19937 random(2);
  std::vector<std::uint8_t> octets(300);
  for (std::uint8_t& octet : octets) octet = static_cast<std::uint8_t>(random());
  for (std::size_t cut = 0; cut <= octets.size(); ++cut) {
    for (const CrcKernel kernel : kernels()) {
      const std::uint32_t first = crc32(kernel, std::span(octets).first(cut));
      ASSERT_EQ(crc32(kernel, std::span(octets).subspan(cut), first), by_bit(octets)) << cut;
    }
  }
}

TEST(Crc32, NoConfigurationCanDoWithout) { EXPECT_FALSE(is_offered(CrcKernel::none)); }

TEST(Crc32, TheBestKernelIsOffered) { EXPECT_TRUE(is_offered(best_kernel())); }

}  // namespace
}  // namespace headroom::ule::wire
