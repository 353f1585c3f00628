// SPDX-License-Identifier: Apache-2.0
#include "ule/wire/crc32.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace headroom::ule::wire {
namespace {

constexpr std::uint32_t kGenerator = 0x04C11DB7;  // without x^32
constexpr std::uint32_t kAtFirst = 0xFFFFFFFF;

using Table = std::array<std::uint32_t, 256>;

// kTables[n][b]: the register after octet b and n octets of zero, from a register of zero.
constexpr std::array<Table, 8> tables() {
  std::array<Table, 8> tables{};
  for (std::uint32_t b = 0; b < 256; ++b) {
    std::uint32_t r = b << 24;
    for (int bit = 0; bit < 8; ++bit) r = (r << 1) ^ ((r & 0x80000000U) != 0 ? kGenerator : 0U);
    tables[0][b] = r;
  }
  for (std::size_t n = 1; n < 8; ++n) {
    for (std::size_t b = 0; b < 256; ++b) {
      const std::uint32_t r = tables[n - 1][b];
      tables[n][b] = (r << 8) ^ tables[0][r >> 24];
    }
  }
  return tables;
}
constexpr std::array<Table, 8> kTables = tables();

std::uint32_t by_octet(std::uint32_t r, const std::uint8_t* p, std::size_t n) noexcept {
  for (; n != 0; --n, ++p) r = (r << 8) ^ kTables[0][(r >> 24) ^ *p];
  return r;
}

constexpr std::uint32_t read32(const std::uint8_t* p) noexcept {
  return std::uint32_t{p[0]} << 24 | std::uint32_t{p[1]} << 16 | std::uint32_t{p[2]} << 8 | p[3];
}

std::uint32_t by_8(std::uint32_t r, const std::uint8_t* p, std::size_t n) noexcept {
  for (; n >= 8; n -= 8, p += 8) {
    const std::uint32_t high = r ^ read32(p);
    const std::uint32_t low = read32(p + 4);
    r = kTables[7][high >> 24] ^ kTables[6][high >> 16 & 0xFF] ^ kTables[5][high >> 8 & 0xFF] ^
        kTables[4][high & 0xFF] ^ kTables[3][low >> 24] ^ kTables[2][low >> 16 & 0xFF] ^ kTables[1][low >> 8 & 0xFF] ^
        kTables[0][low & 0xFF];
  }
  return by_octet(r, p, n);
}

#if defined(__x86_64__)

// x^n modulo the generator.
constexpr std::uint64_t power(unsigned n) {
  std::uint32_t r = 1;
  for (; n != 0; --n) r = (r << 1) ^ ((r & 0x80000000U) != 0 ? kGenerator : 0U);
  return r;
}

#define HEADROOM_CARRY_LESS __attribute__((target("pclmul,ssse3")))

// Sixteen octets as a polynomial: the first bit sent is the highest power.
HEADROOM_CARRY_LESS inline __m128i load(const std::uint8_t* p) noexcept {
  const __m128i reversed = _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  return _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)), reversed);
}

// a * x^d, congruent and no longer than 96 bits, where `powers` is x^(d + 64) above x^d.
HEADROOM_CARRY_LESS inline __m128i shifted(__m128i a, __m128i powers) noexcept {
  return _mm_xor_si128(_mm_clmulepi64_si128(a, powers, 0x11), _mm_clmulepi64_si128(a, powers, 0x00));
}

HEADROOM_CARRY_LESS std::uint32_t by_64(const std::uint8_t* p, std::size_t n) noexcept {
  if (n < 64) return by_8(kAtFirst, p, n);
  constexpr auto powers = [](unsigned d) {
    return std::array<std::int64_t, 2>{static_cast<std::int64_t>(power(d + 64)), static_cast<std::int64_t>(power(d))};
  };
  constexpr auto k512 = powers(512), k128 = powers(128);
  const __m128i by_512 = _mm_set_epi64x(k512[0], k512[1]);
  const __m128i by_128 = _mm_set_epi64x(k128[0], k128[1]);
  // A register that is not zero at first is added to the first four octets.
  __m128i a = _mm_xor_si128(load(p), _mm_set_epi32(static_cast<int>(kAtFirst), 0, 0, 0));
  __m128i b = load(p + 16), c = load(p + 32), d = load(p + 48);
  for (p += 64, n -= 64; n >= 64; p += 64, n -= 64) {
    a = _mm_xor_si128(shifted(a, by_512), load(p));
    b = _mm_xor_si128(shifted(b, by_512), load(p + 16));
    c = _mm_xor_si128(shifted(c, by_512), load(p + 32));
    d = _mm_xor_si128(shifted(d, by_512), load(p + 48));
  }
  a = _mm_xor_si128(shifted(a, by_128), b);
  a = _mm_xor_si128(shifted(a, by_128), c);
  a = _mm_xor_si128(shifted(a, by_128), d);
  for (; n >= 16; p += 16, n -= 16) a = _mm_xor_si128(shifted(a, by_128), load(p));
  // What is left is as good as the octets that it replaces.
  alignas(16) std::uint8_t rest[16];
  const __m128i reversed = _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  _mm_store_si128(reinterpret_cast<__m128i*>(rest), _mm_shuffle_epi8(a, reversed));
  return by_8(by_8(0, rest, sizeof rest), p, n);
}

#endif

}  // namespace

bool is_offered(CrcKernel kernel) noexcept {
#if defined(__x86_64__)
  if (kernel == CrcKernel::carry_less) return __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("ssse3");
#endif
  return kernel != CrcKernel::carry_less;
}

CrcKernel best_kernel() noexcept {
  return is_offered(CrcKernel::carry_less) ? CrcKernel::carry_less : CrcKernel::slice_by_8;
}

std::uint32_t crc32(CrcKernel kernel, std::span<const std::uint8_t> octets) noexcept {
  switch (kernel) {
    case CrcKernel::table:
      return by_octet(kAtFirst, octets.data(), octets.size());
    case CrcKernel::carry_less:
#if defined(__x86_64__)
      return by_64(octets.data(), octets.size());
#endif
    case CrcKernel::slice_by_8:
      break;
  }
  return by_8(kAtFirst, octets.data(), octets.size());
}

}  // namespace headroom::ule::wire
