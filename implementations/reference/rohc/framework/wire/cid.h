// SPDX-License-Identifier: Apache-2.0
//
// Context identifiers on the link: RFC 3095 5.1.3 and 5.2, RFC 5795 5.2.1.3.
#pragma once

#include <cstdint>
#include <optional>

#include "mutants.h"
#include "rohc/framework/wire/octets.h"
#include "rohc/framework/wire/sdvl.h"
#include "rohc/framework/wire/type_octet.h"

namespace headroom::rohc::wire {

inline constexpr std::uint32_t kMaxSmallCid = 15;
inline constexpr std::uint32_t kMaxLargeCid = 16383;  // the values of RFC 3095 4.5.6 in at most two octets

// The octets of a CID around the first octet of a header: an Add-CID octet before the first octet (small CIDs except
// 0), or one or two octets after the first octet (large CIDs). Made once per context.
struct CidOctets {
  std::uint8_t before = 0;        // the Add-CID octet
  std::uint8_t before_count = 0;  // 0 or 1
  std::uint8_t after[2] = {0, 0};
  std::uint8_t after_count = 0;  // 0, 1 or 2

  [[nodiscard]] std::size_t size() const noexcept { return std::size_t{before_count} + after_count; }
};

[[nodiscard]] inline CidOctets make_cid_octets(bool large_cids, std::uint32_t cid) noexcept {
  CidOctets o;
  if (!large_cids) {
    o.before = static_cast<std::uint8_t>(kAddCid | cid);
    o.before_count = cid != 0 ? 1 : 0;
  } else if (cid < (mutant("large-cid-cut") ? 0x4000U : 0x80U)) {
    o.after[0] = static_cast<std::uint8_t>(cid);
    o.after_count = 1;
  } else {
    o.after[0] = static_cast<std::uint8_t>(0x80U | cid >> 8);
    o.after[1] = static_cast<std::uint8_t>(cid);
    o.after_count = 2;
  }
  return o;
}

// Writes the first octet of a header and the octets of the CID around it.
inline void write_first_octet(Writer& out, const CidOctets& cid, std::uint8_t first) noexcept {
  if (cid.before_count != 0) out.octet(cid.before);
  out.octet(first);
  out.octets({cid.after, cid.after_count});
}

// Reads a large CID. Returns nothing if the field is truncated or starts with 110 or 111 (more than two octets: RFC
// 5795 5.2.3).
[[nodiscard]] inline std::optional<std::uint32_t> read_large_cid(Reader& in) noexcept {
  if (in.peek() >= 0xc0) return std::nullopt;
  const Sdvl cid = read_sdvl(in);
  if (!in.ok()) return std::nullopt;
  return cid.value;
}

}  // namespace headroom::rohc::wire
