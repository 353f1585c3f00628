// SPDX-License-Identifier: Apache-2.0
//
// Which octets of the headers are CRC-STATIC and which are CRC-DYNAMIC: RFC 3095 5.7.7.3 to 5.7.7.7 and 5.9.2, RFC 4019
// 5.2.1.
#pragma once

#include <cstdint>

#include "rohc/header/layout.h"

namespace headroom::rohc {

// Registers after the CRC-STATIC octets of all headers, outer header first.
struct StaticCrc {
  std::uint8_t crc3 = 0;
  std::uint8_t crc7 = 0;
};

// `outer` may be nullptr; `outer_version` is then ignored. `inner` points to the innermost headers, of layout `l`.
[[nodiscard]] StaticCrc static_crc(const std::uint8_t* outer, unsigned outer_version, const std::uint8_t* inner,
                                   const Layout& l) noexcept;

// Continues from a register of static_crc() over the CRC-DYNAMIC octets.
[[nodiscard]] std::uint8_t finish_crc3(std::uint8_t state, const std::uint8_t* outer, unsigned outer_version,
                                       const std::uint8_t* inner, const Layout& l) noexcept;
[[nodiscard]] std::uint8_t finish_crc7(std::uint8_t state, const std::uint8_t* outer, unsigned outer_version,
                                       const std::uint8_t* inner, const Layout& l) noexcept;

}  // namespace headroom::rohc
