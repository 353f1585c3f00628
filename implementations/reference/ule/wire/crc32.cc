// SPDX-License-Identifier: Apache-2.0
#include "ule/wire/crc32.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace headroom::ule::wire {
namespace {

constexpr std::uint32_t kGenerator = 0x04C11DB7;  // without x^32

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
  if (n >= 4) {
    r ^= read32(p);
    r = kTables[3][r >> 24] ^ kTables[2][r >> 16 & 0xFF] ^ kTables[1][r >> 8 & 0xFF] ^ kTables[0][r & 0xFF];
    p += 4;
    n -= 4;
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
constexpr auto k2048 = powers(2048), k1024 = powers(1024), k512 = powers(512), k256 = powers(256), k128 = powers(128);
// Of the last four blocks, with the x^32 of a CRC.
constexpr auto k416 = powers(416), k288 = powers(288), k160 = powers(160), k32 = powers(32);

// x^64 divided by the generator.
constexpr std::uint64_t quotient() {
  std::uint64_t q = 1;
  std::uint32_t r = kGenerator;  // x^32 + q * generator, then times x each
  for (int bit = 0; bit < 32; ++bit) {
    q = q << 1 | r >> 31;
    r = (r << 1) ^ ((r & 0x80000000U) != 0 ? kGenerator : 0U);
  }
  return q;
}
constexpr std::uint64_t kQuotient = quotient();

HEADROOM_CARRY_LESS inline __m128i factors(const std::array<std::int64_t, 2>& p) noexcept {
  return _mm_set_epi64x(p[0], p[1]);
}

// The first octets of a message, as a block of sixteen: all that do not fill a block, and the next sixteen. The
// register is added to the first four octets; zeros in front change nothing then. Removes them from the message.
// REQUIRES: n >= 16.
HEADROOM_CARRY_LESS inline __m128i begin(std::uint32_t r, const std::uint8_t*& p, std::size_t& n) noexcept {
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
  const __m128i at_first = _mm_set_epi32(static_cast<int>(r), 0, 0, 0);
  const __m128i before = _mm_shuffle_epi8(_mm_xor_si128(load(p), at_first), mask(kDown));
  const __m128i block = _mm_xor_si128(load(p + odd), _mm_shuffle_epi8(at_first, mask(kUp)));
  p += 16 + odd;
  n -= 16 + odd;
  return _mm_xor_si128(shifted(before, factors(k128)), block);
}

// The register that is congruent to t, of 96 bits: by x^64 modulo the generator, then by the quotient (Barrett).
HEADROOM_CARRY_LESS inline std::uint32_t reduced(__m128i t) noexcept {
  const __m128i constants = _mm_set_epi64x(static_cast<std::int64_t>(kQuotient), static_cast<std::int64_t>(power(64)));
  const __m128i u = _mm_xor_si128(t, _mm_clmulepi64_si128(t, constants, 0x01));
  const __m128i high = _mm_srli_epi64(u, 32);
  const __m128i quotient = _mm_srli_epi64(_mm_clmulepi64_si128(high, constants, 0x10), 32);
  const __m128i generator = _mm_set_epi64x(0, std::int64_t{1} << 32 | kGenerator);
  const __m128i product = _mm_clmulepi64_si128(quotient, generator, 0x00);
  return static_cast<std::uint32_t>(_mm_cvtsi128_si32(_mm_xor_si128(u, product)));
}

// The register after a block, and the blocks that are left. REQUIRES: n is a multiple of 16.
HEADROOM_CARRY_LESS inline std::uint32_t finish(__m128i a, const std::uint8_t* p, std::size_t n) noexcept {
  const __m128i by_128 = factors(k128);
  for (; n != 0; p += 16, n -= 16) a = _mm_xor_si128(shifted(a, by_128), load(p));
  return reduced(shifted(a, factors(k32)));
}

// The register after a block and the blocks after it, four at a time.
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

// REQUIRES: n >= 16.
HEADROOM_CARRY_LESS std::uint32_t by_64(std::uint32_t r, const std::uint8_t* p, std::size_t n) noexcept {
  const __m128i first = begin(r, p, n);
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

// REQUIRES: n >= 16.
HEADROOM_WIDE_CARRY_LESS std::uint32_t by_128(std::uint32_t r, const std::uint8_t* p, std::size_t n) noexcept {
  const __m128i first = begin(r, p, n);
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

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"  // GCC 12 warns of its own headers here
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#define HEADROOM_WIDEST_CARRY_LESS __attribute__((target("vpclmulqdq,pclmul,avx512f,avx512bw")))

// kMoved[n]: x^(8n - 32), which moves a register from the first four octets of n after the last one.
constexpr std::array<std::uint32_t, 65> moved() {
  std::array<std::uint32_t, 65> moved{};
  for (unsigned n = 0; n < 65; ++n) {
    std::uint32_t r = n < 4 ? 1 : static_cast<std::uint32_t>(power(8 * n - 32));
    // Divided by x: the generator, whose last bit is set, is added where a division would leave a rest.
    for (unsigned bit = 8 * n; bit < 32; ++bit) r = r >> 1 ^ ((r & 1U) != 0 ? 0x80000000U | kGenerator >> 1 : 0U);
    moved[n] = r;
  }
  return moved;
}
constexpr auto kMoved = moved();

// Four blocks in one register, the first one in its lowest lane.
HEADROOM_WIDEST_CARRY_LESS inline __m512i blocks(__m512i octets) noexcept {
  const __m128i reversed = _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  return _mm512_shuffle_epi8(octets, _mm512_broadcast_i32x4(reversed));
}

HEADROOM_WIDEST_CARRY_LESS inline __m512i load_four(const std::uint8_t* p) noexcept {
  return blocks(_mm512_loadu_si512(p));
}

// a * x^d in each lane, and `more`.
HEADROOM_WIDEST_CARRY_LESS inline __m512i shifted(__m512i a, __m512i powers, __m512i more) noexcept {
  constexpr int kXorOfThree = 0x96;
  return _mm512_ternarylogic_epi64(_mm512_clmulepi64_epi128(a, powers, 0x11), _mm512_clmulepi64_epi128(a, powers, 0x00),
                                   more, kXorOfThree);
}

// REQUIRES: n > 0.
HEADROOM_WIDEST_CARRY_LESS std::uint32_t by_256(std::uint32_t r, const std::uint8_t* p, std::size_t n) noexcept {
  // The octets that do not fill 64, after zeros. Those in front of the message are not read.
  const std::size_t odd = (n - 1) % 64 + 1;
  const __m128i before = _mm_clmulepi64_si128(_mm_cvtsi32_si128(static_cast<int>(r)),
                                              _mm_cvtsi32_si128(static_cast<int>(kMoved[odd])), 0x00);
  __m512i a = blocks(_mm512_maskz_loadu_epi8(~std::uint64_t{0} << (64 - odd), p + odd - 64));
  a = _mm512_xor_si512(a, _mm512_inserti32x4(_mm512_setzero_si512(), before, 3));
  p += odd;
  n -= odd;
  if (n >= 192) {
    const __m512i by_512 = _mm512_broadcast_i32x4(factors(k512));
    const __m512i by_2048 = _mm512_broadcast_i32x4(factors(k2048));
    __m512i b = load_four(p), c = load_four(p + 64), d = load_four(p + 128);
    for (p += 192, n -= 192; n >= 256; p += 256, n -= 256) {
      a = shifted(a, by_2048, load_four(p));
      b = shifted(b, by_2048, load_four(p + 64));
      c = shifted(c, by_2048, load_four(p + 128));
      d = shifted(d, by_2048, load_four(p + 192));
    }
    a = shifted(a, by_512, b);
    a = shifted(a, by_512, c);
    a = shifted(a, by_512, d);
  }
  for (; n != 0; p += 64, n -= 64) a = shifted(a, _mm512_broadcast_i32x4(factors(k512)), load_four(p));
  // Each lane by its distance from the end, and by the x^32 of a CRC.
  const __m512i distances = _mm512_set_epi64(k32[0], k32[1], k160[0], k160[1], k288[0], k288[1], k416[0], k416[1]);
  a = shifted(a, distances, _mm512_setzero_si512());
  const __m256i two = _mm256_xor_si256(_mm512_castsi512_si256(a), _mm512_extracti64x4_epi64(a, 1));
  return reduced(_mm_xor_si128(_mm256_castsi256_si128(two), _mm256_extracti128_si256(two, 1)));
}

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

#endif

}  // namespace

bool is_offered(CrcKernel kernel) noexcept {
  switch (kernel) {
#if defined(__x86_64__)
    case CrcKernel::carry_less:
      return __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("ssse3");
    case CrcKernel::wide_carry_less:
      return __builtin_cpu_supports("vpclmulqdq") && __builtin_cpu_supports("avx2");
    case CrcKernel::widest_carry_less:
      return __builtin_cpu_supports("vpclmulqdq") && __builtin_cpu_supports("avx512bw");
#endif
    default:
      return kernel == CrcKernel::table || kernel == CrcKernel::slice_by_8;
  }
}

CrcKernel best_kernel() noexcept {
  for (const CrcKernel kernel : {CrcKernel::widest_carry_less, CrcKernel::wide_carry_less, CrcKernel::carry_less}) {
    if (is_offered(kernel)) return kernel;
  }
  return CrcKernel::slice_by_8;
}

std::uint32_t crc32(CrcKernel kernel, std::span<const std::uint8_t> octets, std::uint32_t r) noexcept {
  const std::uint8_t* const p = octets.data();
  const std::size_t n = octets.size();
  if (kernel == CrcKernel::none) return r;
  if (kernel == CrcKernel::table) return by_octet(r, p, n);
#if defined(__x86_64__)
  if (n >= 16) {
    if (kernel == CrcKernel::widest_carry_less) return by_256(r, p, n);
    if (kernel == CrcKernel::wide_carry_less) return by_128(r, p, n);
    if (kernel == CrcKernel::carry_less) return by_64(r, p, n);
  }
#endif
  return by_8(r, p, n);
}

}  // namespace headroom::ule::wire
