// SPDX-License-Identifier: Apache-2.0
#include "rohc/tcp/wire/base_header.h"

#include <utility>

namespace headroom::rohc::tcp {
namespace {

using F = Field;

constexpr Piece constant(std::uint32_t value, std::uint8_t bits) { return {F::kConstant, bits, kIrregular, value}; }
constexpr Piece kMsnBits{F::kMsn, 4, 4}, kPshBit{F::kPsh, 1}, kCrc3{F::kCrc, 3}, kCrc7{F::kCrc, 7};
constexpr Piece seq(std::uint8_t bits, std::int64_t p) { return {F::kSeq, bits, p}; }
constexpr Piece ack(std::uint8_t bits, std::int64_t p) { return {F::kAck, bits, p}; }
constexpr Piece kSeqScaled{F::kSeqScaled, 4, 7}, kAckScaled{F::kAckScaled, 4, 3};
constexpr Piece ip_id(std::uint8_t bits, std::int64_t p) { return {F::kIpId, bits, p}; }
constexpr Piece kTtlBits{F::kTtl, 3, 3}, kEcnUsedBit{F::kEcnUsed, 1}, kListBit{F::kListPresent, 1},
    kRsfBits{F::kRsf, 2};

// Pieces beyond the last one have no bits.
constexpr unsigned kMostPieces = 21;
struct Table {
  Piece pieces[kMostPieces] = {};
  [[nodiscard]] constexpr unsigned bits() const {
    unsigned sum = 0;
    for (const Piece& p : pieces) sum += p.bits;
    return sum;
  }
  [[nodiscard]] constexpr std::uint32_t carried() const {
    std::uint32_t mask = 0;
    for (const Piece& p : pieces)
      if (p.bits != 0 && p.field != F::kConstant) mask |= 1U << static_cast<unsigned>(p.field);
    return mask;
  }
};

constexpr Table kTables[kFormats] = {
    {{constant(0b101110, 6), seq(18, 65535), kMsnBits, kPshBit, kCrc3}},                          // rnd_1
    {{constant(0b1100, 4), kSeqScaled, kMsnBits, kPshBit, kCrc3}},                                // rnd_2
    {{constant(0b0, 1), ack(15, 8191), kMsnBits, kPshBit, kCrc3}},                                // rnd_3
    {{constant(0b1101, 4), kAckScaled, kMsnBits, kPshBit, kCrc3}},                                // rnd_4
    {{constant(0b100, 3), kPshBit, kMsnBits, kCrc3, seq(14, 8191), ack(15, 8191)}},               // rnd_5
    {{constant(0b1010, 4), kCrc3, kPshBit, ack(16, 16383), kMsnBits, kSeqScaled}},                // rnd_6
    {{constant(0b101111, 6), ack(18, 65535), {F::kWindow, 16}, kMsnBits, kPshBit, kCrc3}},        // rnd_7
    {{constant(0b10110, 5), kRsfBits, kListBit, kCrc7, kMsnBits, kPshBit, kTtlBits, kEcnUsedBit,  // rnd_8
      seq(16, 65535), ack(16, 16383)}},
    {{constant(0b1010, 4), ip_id(4, 3), seq(16, 32767), kMsnBits, kPshBit, kCrc3}},                           // seq_1
    {{constant(0b11010, 5), ip_id(7, 3), kSeqScaled, kMsnBits, kPshBit, kCrc3}},                              // seq_2
    {{constant(0b1001, 4), ip_id(4, 3), ack(16, 16383), kMsnBits, kPshBit, kCrc3}},                           // seq_3
    {{constant(0b0, 1), kAckScaled, ip_id(3, 1), kMsnBits, kPshBit, kCrc3}},                                  // seq_4
    {{constant(0b1000, 4), ip_id(4, 3), ack(16, 16383), seq(16, 32767), kMsnBits, kPshBit, kCrc3}},           // seq_5
    {{constant(0b11011, 5), kSeqScaled, ip_id(7, 3), ack(16, 16383), kMsnBits, kPshBit, kCrc3}},              // seq_6
    {{constant(0b1100, 4), {F::kWindow, 15, 16383}, ip_id(5, 3), ack(16, 32767), kMsnBits, kPshBit, kCrc3}},  // seq_7
    {{constant(0b1011, 4), ip_id(4, 3), kListBit, kCrc7, kMsnBits, kPshBit, kTtlBits, kEcnUsedBit,            // seq_8
      ack(15, 8191), kRsfBits, seq(14, 8191)}},
    {{constant(0b1111101, 7),
      {F::kOuterTtl, 1},
      {F::kAckFlag, 1},
      kPshBit,
      kRsfBits,
      kMsnBits,  // co_common
      {F::kSeqIndicator, 2},
      {F::kAckIndicator, 2},
      {F::kStrideIndicator, 1},
      {F::kWindowIndicator, 1},
      {F::kIpIdIndicator, 1},
      {F::kUrgentPresent, 1},
      constant(0, 1),
      kEcnUsedBit,
      {F::kDscpPresent, 1},
      {F::kTtlPresent, 1},
      kListBit,
      {F::kBehaviour, 2},
      {F::kUrgFlag, 1},
      {F::kDf, 1},
      kCrc7}},
};

constexpr unsigned bits_of(unsigned format) { return kTables[format].bits(); }

constexpr std::uint32_t mask_of(unsigned bits) { return bits >= 32 ? 0xffffffffU : (1U << bits) - 1; }

// One piece of a format, with everything that is known of it at compile time.
template <unsigned kFormat, std::size_t kPiece>
struct Coder {
  static constexpr Piece kIt = kTables[kFormat].pieces[kPiece];
  static constexpr unsigned kRight = [] {  // bits behind it
    unsigned sum = 0;
    for (std::size_t i = kPiece + 1; i < kMostPieces; ++i) sum += kTables[kFormat].pieces[i].bits;
    return sum;
  }();
  static constexpr unsigned kWidth = kIt.is_lsb() ? kFieldBits[static_cast<unsigned>(kIt.field)] : 32;

  static std::uint64_t put(const Values& v) noexcept {
    const std::uint32_t value = kIt.field == F::kConstant ? kIt.constant : at(v, kIt.field);
    return std::uint64_t{value & mask_of(kIt.bits)} << kRight;
  }
  static bool get(std::uint64_t word, const References& r, Values& v) noexcept {
    const std::uint32_t raw = static_cast<std::uint32_t>(word >> kRight) & mask_of(kIt.bits);
    if constexpr (kIt.bits == 0) {
      return true;
    } else if constexpr (kIt.field == F::kConstant) {
      return raw == kIt.constant;
    } else if constexpr (kIt.is_lsb()) {
      at(v, kIt.field) = lsb_decode(raw, kIt.bits, at(r, kIt.field), kIt.p) & mask_of(kWidth);
    } else {
      at(v, kIt.field) = raw;
    }
    return true;
  }
  static bool reaches(const Values& v, const References* r, unsigned count) noexcept {
    bool ok = true;
    if constexpr (kIt.is_lsb() && kIt.bits != 0) {
      const std::uint32_t value = at(v, kIt.field);
      for (unsigned i = 0; i < count; ++i) ok &= in_reach(value, at(r[i], kIt.field), kIt.bits, kIt.p, kWidth);
    }
    return ok;
  }
};

template <unsigned kFormat, std::size_t... I>
void pack(const Values& v, std::uint8_t* out, std::index_sequence<I...>) noexcept {
  std::uint64_t word = (Coder<kFormat, I>::put(v) | ...);
  for (unsigned i = bits_of(kFormat) / 8; i-- > 0; word >>= 8) out[i] = static_cast<std::uint8_t>(word);
}

template <unsigned kFormat, std::size_t... I>
bool unpack(const std::uint8_t* in, const References& r, Values& v, std::index_sequence<I...>) noexcept {
  std::uint64_t word = 0;
  for (unsigned i = 0; i < bits_of(kFormat) / 8; ++i) word = word << 8 | in[i];
  return (Coder<kFormat, I>::get(word, r, v) && ...);
}

template <unsigned kFormat, std::size_t... I>
bool reach(const Values& v, const References* r, unsigned count, std::index_sequence<I...>) noexcept {
  return (Coder<kFormat, I>::reaches(v, r, count) && ...);
}

constexpr std::make_index_sequence<kMostPieces> kAllPieces{};
constexpr std::make_index_sequence<kFormats> kAllFormats{};

// The functions of all formats.
struct Functions {
  void (*write)(const Values&, std::uint8_t*);
  bool (*read)(const std::uint8_t*, const References&, Values&);
  bool (*reaches)(const Values&, const References*, unsigned);
};
template <std::size_t... F>
constexpr std::array<Functions, kFormats> make_functions(std::index_sequence<F...>) {
  return {Functions{
      [](const Values& v, std::uint8_t* out) { pack<F>(v, out, kAllPieces); },
      [](const std::uint8_t* in, const References& r, Values& v) { return unpack<F>(in, r, v, kAllPieces); },
      [](const Values& v, const References* r, unsigned count) { return reach<F>(v, r, count, kAllPieces); }}...};
}
constexpr auto kFunctions = make_functions(kAllFormats);
constexpr const Functions& functions(Format f) { return kFunctions[static_cast<unsigned>(f)]; }

constexpr auto kOctets = [] {
  std::array<std::uint8_t, kFormats> octets{};
  for (unsigned f = 0; f < kFormats; ++f) octets[f] = static_cast<std::uint8_t>(bits_of(f) / 8);
  return octets;
}();

// First octets that belong to a format, for both sets.
constexpr std::array<std::array<Format, 256>, 2> make_first_octets() {
  std::array<std::array<Format, 256>, 2> table{};
  for (unsigned set = 0; set < 2; ++set) {
    for (unsigned octet = 0; octet < 256; ++octet) {
      table[set][octet] = Format::kNone;
      for (unsigned f = 0; f < kFormats; ++f) {
        if (f != static_cast<unsigned>(Format::kCommon) && f / 8 != set) continue;
        const Piece& d = kTables[f].pieces[0];
        if (octet >> (8 - d.bits) == d.constant) table[set][octet] = static_cast<Format>(f);
      }
    }
  }
  return table;
}
constexpr auto kFirstOctets = make_first_octets();

// variable_length_32_enc.
struct Variable {
  unsigned bits;
  std::int64_t p;
};
constexpr Variable kVariable[] = {{0, 0}, {8, 63}, {16, 16383}, {32, kIrregular}};
constexpr unsigned kShortIpIdBits = 8;
constexpr std::int64_t kShortIpIdP = 3;

bool read_variable(Reader& in, Field field, std::uint32_t indicator, const References& r, Values& v) noexcept {
  std::uint32_t raw = 0;
  for (unsigned left = kVariable[indicator].bits; left != 0; left -= 8) raw = raw << 8 | in.octet();
  if (indicator == 3) at(v, field) = raw;
  if (indicator == 1 || indicator == 2)
    at(v, field) = lsb_decode(raw, kVariable[indicator].bits, at(r, field), kVariable[indicator].p);
  return in.ok();
}

void write_variable(Writer& out, std::uint32_t indicator, std::uint32_t value) noexcept {
  if (indicator == 1) out.octet(static_cast<std::uint8_t>(value));
  if (indicator == 2) out.two(static_cast<std::uint16_t>(value));
  if (indicator == 3) out.four(value);
}

}  // namespace

std::size_t fixed_length(Format format) noexcept { return kOctets[static_cast<unsigned>(format)]; }

std::uint32_t carried(Format format) noexcept {
  static constexpr auto kCarried = [] {
    std::array<std::uint32_t, kFormats> masks{};
    for (unsigned f = 0; f < kFormats; ++f) masks[f] = kTables[f].carried();
    return masks;
  }();
  return kCarried[static_cast<unsigned>(format)];
}

Format format_of(std::uint8_t first, bool sequential) noexcept { return kFirstOctets[sequential ? 1 : 0][first]; }

void write_fixed(Format format, const Values& values, std::uint8_t* out) noexcept {
  functions(format).write(values, out);
}

bool read_fixed(Format format, const std::uint8_t* in, const References& references, Values& values) noexcept {
  return functions(format).read(in, references, values);
}

bool reaches(Format format, const Values& values, const References* references, unsigned count) noexcept {
  return functions(format).reaches(values, references, count);
}

void write_common_rest(Writer& out, const Values& v) noexcept {
  write_variable(out, at(v, F::kSeqIndicator), at(v, F::kSeq));
  write_variable(out, at(v, F::kAckIndicator), at(v, F::kAck));
  if (at(v, F::kStrideIndicator) != 0) out.two(static_cast<std::uint16_t>(at(v, F::kStride)));
  if (at(v, F::kWindowIndicator) != 0) out.two(static_cast<std::uint16_t>(at(v, F::kWindow)));
  if (is_sequential(static_cast<IpIdBehaviour>(at(v, F::kBehaviour)))) {
    if (at(v, F::kIpIdIndicator) != 0) {
      out.two(static_cast<std::uint16_t>(at(v, F::kIpId)));
    } else {
      out.octet(static_cast<std::uint8_t>(at(v, F::kIpId)));
    }
  }
  if (at(v, F::kUrgentPresent) != 0) out.two(static_cast<std::uint16_t>(at(v, F::kUrgent)));
  if (at(v, F::kDscpPresent) != 0) out.octet(static_cast<std::uint8_t>(at(v, F::kDscp) << 2));
  if (at(v, F::kTtlPresent) != 0) out.octet(static_cast<std::uint8_t>(at(v, F::kTtl)));
}

bool read_common_rest(Reader& in, const References& r, Values& v) noexcept {
  if (!read_variable(in, F::kSeq, at(v, F::kSeqIndicator), r, v)) return false;
  if (!read_variable(in, F::kAck, at(v, F::kAckIndicator), r, v)) return false;
  if (at(v, F::kStrideIndicator) != 0) at(v, F::kStride) = in.two();
  if (at(v, F::kWindowIndicator) != 0) at(v, F::kWindow) = in.two();
  if (is_sequential(static_cast<IpIdBehaviour>(at(v, F::kBehaviour)))) {
    at(v, F::kIpId) = at(v, F::kIpIdIndicator) != 0
                          ? in.two()
                          : lsb_decode(in.octet(), kShortIpIdBits, at(r, F::kIpId), kShortIpIdP) & 0xffff;
  }
  if (at(v, F::kUrgentPresent) != 0) at(v, F::kUrgent) = in.two();
  if (at(v, F::kDscpPresent) != 0) {
    const std::uint8_t dscp = in.octet();
    if ((dscp & 3) != 0) return false;  // padding
    at(v, F::kDscp) = dscp >> 2;
  }
  if (at(v, F::kTtlPresent) != 0) at(v, F::kTtl) = in.octet();
  return in.ok();
}

std::uint32_t indicator_of(Field field, std::uint32_t value, const References* references, unsigned count) noexcept {
  const auto all = [&](auto fits) {
    for (unsigned i = 0; i < count; ++i)
      if (!fits(at(references[i], field))) return false;
    return true;
  };
  if (all([&](std::uint32_t r) { return r == value; })) return 0;
  for (std::uint32_t i = 1; i < 3; ++i)
    if (all([&](std::uint32_t r) { return in_reach(value, r, kVariable[i].bits, kVariable[i].p, 32); })) return i;
  return 3;
}

bool reaches_short_ip_id(std::uint32_t offset, const References* references, unsigned count) noexcept {
  for (unsigned i = 0; i < count; ++i)
    if (!in_reach(offset, at(references[i], F::kIpId), kShortIpIdBits, kShortIpIdP, 16)) return false;
  return true;
}

}  // namespace headroom::rohc::tcp
