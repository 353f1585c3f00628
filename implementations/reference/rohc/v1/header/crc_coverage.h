// SPDX-License-Identifier: Apache-2.0
//
// CRCs over the CRC-STATIC and CRC-DYNAMIC octets of headers: RFC 3095 5.7.7.3 to 5.7.7.7 and 5.9.2, RFC 4019 5.2.1.
#pragma once

#include <cstdint>

#include "rohc/v1/header/layout.h"
#include "rohc/v1/header/listed.h"

namespace headroom::rohc {

// The states of the CRC registers after the CRC-STATIC octets of all headers, outer header first.
struct StaticCrc {
  std::uint8_t crc3 = 0;
  std::uint8_t crc7 = 0;
};

// `outer` may be nullptr; `outer_version` is then ignored. `inner` points to the innermost headers, of layout `l`.
[[nodiscard]] StaticCrc static_crc(const std::uint8_t* outer, unsigned outer_version, const std::uint8_t* inner,
                                   const Layout& l) noexcept;

// Returns the whole CRC: continues from a state of static_crc() over the CRC-DYNAMIC octets.
[[nodiscard]] std::uint8_t finish_crc3(std::uint8_t state, const std::uint8_t* outer, unsigned outer_version,
                                       const std::uint8_t* inner, const Layout& l) noexcept;
[[nodiscard]] std::uint8_t finish_crc7(std::uint8_t state, const std::uint8_t* outer, unsigned outer_version,
                                       const std::uint8_t* inner, const Layout& l) noexcept;

// --- Headers with lists: RFC 3095 5.8.7 ------------------------------------------------------------------------------
//
// "All fields of extension headers are CRC-STATIC", except all of AH and the sequence number and checksum of GRE. The
// CSRC list is CRC-STATIC (5.7.7.6). `headers` are the octets to which the offsets of `listed` refer; `l` is the layout
// of the core.

[[nodiscard]] StaticCrc listed_static_crc(const std::uint8_t* headers, const ListedHeaders& listed,
                                          unsigned outer_version, const Layout& l) noexcept;

// Returns the whole CRC, static octets first.
[[nodiscard]] std::uint8_t listed_crc3(const std::uint8_t* headers, const ListedHeaders& listed, unsigned outer_version,
                                       const Layout& l) noexcept;
[[nodiscard]] std::uint8_t listed_crc7(const std::uint8_t* headers, const ListedHeaders& listed, unsigned outer_version,
                                       const Layout& l) noexcept;

}  // namespace headroom::rohc
