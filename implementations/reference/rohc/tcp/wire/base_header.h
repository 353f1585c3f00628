// SPDX-License-Identifier: Apache-2.0
//
// Base headers of CO packets, co_baseheader (RFC 6846, 8.2): rnd_1 to rnd_8, seq_1 to seq_8 and co_common, as tables of
// fields in the order in which they are sent.
#pragma once

#include <array>
#include <cstdint>

#include "rohc/framework/lsb.h"
#include "rohc/tcp/wire/headers.h"

namespace headroom::rohc::tcp {

// Fields of base headers. The first eight fields are LSB-encoded in at least one format, so a context has references
// for them.
enum class Field : std::uint8_t {
  kMsn,
  kSeq,
  kAck,
  kSeqScaled,
  kAckScaled,
  kIpId,  // ip_id_offset; in co_common with ip_id_indicator = 1 the IP-ID itself
  kWindow,
  kTtl,
  kPsh,
  kRsf,  // rsf_idx
  kListPresent,
  kEcnUsed,
  kCrc,
  kConstant,  // the discriminator, and reserved bits
  kAckFlag,   // from here on only in co_common
  kUrgFlag,
  kDf,
  kBehaviour,
  kOuterTtl,
  kSeqIndicator,
  kAckIndicator,
  kStrideIndicator,
  kWindowIndicator,
  kIpIdIndicator,
  kUrgentPresent,
  kDscpPresent,
  kTtlPresent,
  kStride,
  kUrgent,
  kDscp,
  kCount
};
inline constexpr unsigned kReferences = 8;
inline constexpr unsigned kFieldBits[kReferences] = {16, 32, 32, 32, 32, 16, 16, 8};

using Values = std::array<std::uint32_t, static_cast<unsigned>(Field::kCount)>;
using References = std::array<std::uint32_t, kReferences>;
[[nodiscard]] constexpr std::uint32_t& at(Values& v, Field f) noexcept { return v[static_cast<unsigned>(f)]; }
[[nodiscard]] constexpr std::uint32_t at(const Values& v, Field f) noexcept { return v[static_cast<unsigned>(f)]; }
[[nodiscard]] constexpr std::uint32_t& at(References& v, Field f) noexcept { return v[static_cast<unsigned>(f)]; }
[[nodiscard]] constexpr std::uint32_t at(const References& v, Field f) noexcept { return v[static_cast<unsigned>(f)]; }

// The formats, in the order of the tables in base_header.cc.
enum class Format : std::uint8_t {
  kRnd1,
  kRnd2,
  kRnd3,
  kRnd4,
  kRnd5,
  kRnd6,
  kRnd7,
  kRnd8,
  kSeq1,
  kSeq2,
  kSeq3,
  kSeq4,
  kSeq5,
  kSeq6,
  kSeq7,
  kSeq8,
  kCommon,
  kNone
};
inline constexpr unsigned kFormats = 17;
[[nodiscard]] constexpr bool has_crc7(Format f) noexcept {
  return f == Format::kRnd8 || f == Format::kSeq8 || f == Format::kCommon;
}

// A field of a format: its width in bits, and p of the LSB encoding or kIrregular.
inline constexpr std::int64_t kIrregular = -100;
struct Piece {
  Field field = Field::kConstant;
  std::uint8_t bits = 0;
  std::int64_t p = kIrregular;
  std::uint32_t constant = 0;
  [[nodiscard]] constexpr bool is_lsb() const noexcept { return p != kIrregular; }
};

[[nodiscard]] constexpr std::uint32_t mask(Field f) noexcept { return 1U << static_cast<unsigned>(f); }

// A scaled number: scaled value and residue (6.4.8).
struct Scaled {
  std::uint32_t value = 0, residue = 0;
};
// Scales a number. `last`, the scaled number of an earlier packet, often saves the division. REQUIRES: factor is not 0.
[[nodiscard]] constexpr Scaled scale(std::uint32_t number, std::uint32_t factor, Scaled last) noexcept {
  if (last.residue < factor) {
    const std::uint64_t same = std::uint64_t{last.value} * factor + last.residue;
    if (same == number) return last;
    if (same + factor == number) return {last.value + 1, last.residue};
  }
  return {number / factor, number % factor};
}

// Returns the octets of the fixed part of a format: the base header without lists and, in co_common, without the fields
// after the CRC.
[[nodiscard]] std::size_t fixed_length(Format format) noexcept;
// Returns the mask of the fields that a format carries (bit number: value of Field).
[[nodiscard]] std::uint32_t carried(Format format) noexcept;

// Returns the format for the first octet of a CO packet, or kNone. `sequential`: true if the innermost IP-ID behaviour
// is sequential or sequential byte-swapped, so that the formats seq_1 to seq_8 are in use.
[[nodiscard]] Format format_of(std::uint8_t first, bool sequential) noexcept;

// Writes the fixed part with the LSBs of the values. REQUIRES: room for fixed_length() octets.
void write_fixed(Format format, const Values& values, std::uint8_t* out) noexcept;
// Reads the fixed part. LSBs are decoded relative to `references`; fields that the format does not carry keep their
// value in `values`. Returns false if a constant is wrong. REQUIRES: fixed_length() octets at `in`.
[[nodiscard]] bool read_fixed(Format format, const std::uint8_t* in, const References& references,
                              Values& values) noexcept;
// True if the LSBs that the format carries decode to `values` relative to every one of the references.
[[nodiscard]] bool reaches(Format format, const Values& values, const References* references, unsigned count) noexcept;

// Write and read the part of co_common after the fixed part, without the list: the fields whose indicator is set. The
// behaviour in `values` is the new one.
void write_common_rest(Writer& out, const Values& values) noexcept;
[[nodiscard]] bool read_common_rest(Reader& in, const References& references, Values& values) noexcept;

// variable_length_32_enc: returns the indicator with which a value decodes correctly relative to every reference.
[[nodiscard]] std::uint32_t indicator_of(Field field, std::uint32_t value, const References* references,
                                         unsigned count) noexcept;
// True if ip_id_lsb(…, 8, 3), the short form in co_common, decodes correctly relative to every reference.
[[nodiscard]] bool reaches_short_ip_id(std::uint32_t offset, const References* references, unsigned count) noexcept;

// rsf_index_enc: the index for no flag, or RST, SYN or FIN alone; kNoRsfIndex for any other combination.
inline constexpr std::uint32_t kNoRsfIndex = 4;
inline constexpr std::uint8_t kRsfFlags[] = {0x00, 0x04, 0x02, 0x01};
[[nodiscard]] constexpr std::uint32_t rsf_index(unsigned flags) noexcept {
  for (std::uint32_t i = 0; i < 4; ++i)
    if (kRsfFlags[i] == (flags & flag::kRsf)) return i;
  return kNoRsfIndex;
}

// True if `value` lies in the interpretation interval of `bits` bits around `reference`, all modulo 2^width.
[[nodiscard]] constexpr bool in_reach(std::uint32_t value, std::uint32_t reference, unsigned bits, std::int64_t p,
                                      unsigned width) noexcept {
  const std::uint32_t mask = width >= 32 ? 0xffffffffU : (1U << width) - 1;
  return ((value - reference + static_cast<std::uint32_t>(p)) & mask) < (bits >= 32 ? 0xffffffffU : 1U << bits);
}

}  // namespace headroom::rohc::tcp
