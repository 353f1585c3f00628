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

constexpr std::array<std::int64_t, 2> powers(unsigned d) {
  return {static_cast<std::int64_t>(power(d + 64)), static_cast<std::int64_t>(power(d))};
}
constexpr auto k1024 = powers(1024), k512 = powers(512), k256 = powers(256), k128 = powers(128);

HEADROOM_CARRY_LESS inline __m128i factors(const std::array<std::int64_t, 2>& p) noexcept {
  return _mm_set_epi64x(p[0], p[1]);
}

// The first octets of a message, as a block of sixteen: all that do not fill a block, and the next sixteen. A register
// that is all ones at first is added to the first four octets; zeros in front change nothing then. Removes them from
// the message. REQUIRES: n >= 16.
HEADROOM_CARRY_LESS inline __m128i begin(const std::uint8_t*& p, std::size_t& n) noexcept {
  // Shuffles by these, from octet 16 - odd on, move a block by so many octets.
  static constexpr std::array<std::uint8_t, 32> kDown = {
      0,    1,    2,    3,    4,    5,    6,    7,    8,    9,    10,   11,   12,   13,   14,   15,
      0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80};
  static constexpr std::array<std::uint8_t, 32> kUp = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
                                                       0x80, 0x80, 0x80, 0x80, 0x80, 0,    1,    2,    3,    4,    5,
                                                       6,    7,    8,    9,    10,   11,   12,   13,   14,   15};
  const std::size_t odd = n % 16;
  const auto mask = [&](const std::array<std::uint8_t, 32>& by) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(by.data() + 16 - odd));
  };
  const __m128i ones = _mm_set_epi32(static_cast<int>(kAtFirst), 0, 0, 0);
  const __m128i before = _mm_shuffle_epi8(_mm_xor_si128(load(p), ones), mask(kDown));
  const __m128i block = _mm_xor_si128(load(p + odd), _mm_shuffle_epi8(ones, mask(kUp)));
  p += 16 + odd;
  n -= 16 + odd;
  return _mm_xor_si128(shifted(before, factors(k128)), block);
}

// The register after a block, and the blocks that are left. REQUIRES: n is a multiple of 16.
HEADROOM_CARRY_LESS inline std::uint32_t finish(__m128i a, const std::uint8_t* p, std::size_t n) noexcept {
  const __m128i by_128 = factors(k128);
  for (; n != 0; p += 16, n -= 16) a = _mm_xor_si128(shifted(a, by_128), load(p));
  // What is left is as good as the octets that it replaces.
  alignas(16) std::uint8_t rest[16];
  const __m128i reversed = _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  _mm_store_si128(reinterpret_cast<__m128i*>(rest), _mm_shuffle_epi8(a, reversed));
  return by_8(0, rest, sizeof rest);
}

// The register after a block and the blocks behind it, four at a time.
HEADROOM_CARRY_LESS inline std::uint32_t by_four(__m128i a, const std::uint8_t* p, std::size_t n) noexcept {
  if (n < 48) return finish(a, p, n);
  const __m128i by_512 = factors(k512), by_128 = factors(k128);
  __m128i b = load(p), c = load(p + 16), d = load(p + 32);
  for (p += 48, n -= 48; n >= 64; p += 64, n -= 64) {
    a = _mm_xor_si128(shifted(a, by_512), load(p));
    b = _mm_xor_si128(shifted(b, by_512), load(p + 16));
    c = _mm_xor_si128(shifted(c, by_512), load(p + 32));
    d = _mm_xor_si128(shifted(d, by_512), load(p + 48));
  }
  a = _mm_xor_si128(shifted(a, by_128), b);
  a = _mm_xor_si128(shifted(a, by_128), c);
  a = _mm_xor_si128(shifted(a, by_128), d);
  return finish(a, p, n);
}

HEADROOM_CARRY_LESS std::uint32_t by_64(const std::uint8_t* p, std::size_t n) noexcept {
  if (n < 16) return by_8(kAtFirst, p, n);
  const __m128i first = begin(p, n);
  return by_four(first, p, n);
}

#define HEADROOM_WIDE_CARRY_LESS __attribute__((target("vpclmulqdq,pclmul,avx2")))

// Thirty-two octets: two blocks, the first one above.
HEADROOM_WIDE_CARRY_LESS inline __m256i load_two(const std::uint8_t* p) noexcept {
  return _mm256_set_m128i(load(p), load(p + 16));
}

HEADROOM_WIDE_CARRY_LESS inline __m256i shifted(__m256i a, __m256i powers) noexcept {
  return _mm256_xor_si256(_mm256_clmulepi64_epi128(a, powers, 0x11), _mm256_clmulepi64_epi128(a, powers, 0x00));
}

HEADROOM_WIDE_CARRY_LESS std::uint32_t by_128(const std::uint8_t* p, std::size_t n) noexcept {
  if (n < 16) return by_8(kAtFirst, p, n);
  const __m128i first = begin(p, n);
  if (n < 112) return by_four(first, p, n);
  const __m256i by_1024 = _mm256_broadcastsi128_si256(factors(k1024));
  const __m256i by_256 = _mm256_broadcastsi128_si256(factors(k256));
  __m256i a = _mm256_set_m128i(first, load(p)), b = load_two(p + 16), c = load_two(p + 48), d = load_two(p + 80);
  for (p += 112, n -= 112; n >= 128; p += 128, n -= 128) {
    a = _mm256_xor_si256(shifted(a, by_1024), load_two(p));
    b = _mm256_xor_si256(shifted(b, by_1024), load_two(p + 32));
    c = _mm256_xor_si256(shifted(c, by_1024), load_two(p + 64));
    d = _mm256_xor_si256(shifted(d, by_1024), load_two(p + 96));
  }
  a = _mm256_xor_si256(shifted(a, by_256), b);
  a = _mm256_xor_si256(shifted(a, by_256), c);
  a = _mm256_xor_si256(shifted(a, by_256), d);
  for (; n >= 32; p += 32, n -= 32) a = _mm256_xor_si256(shifted(a, by_256), load_two(p));
  const __m128i high = _mm256_extracti128_si256(a, 1), low = _mm256_castsi256_si128(a);
  return finish(_mm_xor_si128(shifted(high, factors(k128)), low), p, n);
}

#endif

}  // namespace

bool is_offered(CrcKernel kernel) noexcept {
#if defined(__x86_64__)
  if (kernel == CrcKernel::carry_less) return __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("ssse3");
  if (kernel == CrcKernel::wide_carry_less)
    return __builtin_cpu_supports("vpclmulqdq") && __builtin_cpu_supports("avx2");
#endif
  return kernel == CrcKernel::table || kernel == CrcKernel::slice_by_8;
}

CrcKernel best_kernel() noexcept {
  if (is_offered(CrcKernel::wide_carry_less)) return CrcKernel::wide_carry_less;
  return is_offered(CrcKernel::carry_less) ? CrcKernel::carry_less : CrcKernel::slice_by_8;
}

std::uint32_t crc32(CrcKernel kernel, std::span<const std::uint8_t> octets) noexcept {
  switch (kernel) {
    case CrcKernel::table:
      return by_octet(kAtFirst, octets.data(), octets.size());
#if defined(__x86_64__)
    case CrcKernel::carry_less:
      return by_64(octets.data(), octets.size());
    case CrcKernel::wide_carry_less:
      return by_128(octets.data(), octets.size());
#endif
    default:
      break;
  }
  return by_8(kAtFirst, octets.data(), octets.size());
}

}  // namespace headroom::ule::wire
