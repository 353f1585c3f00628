// SPDX-License-Identifier: Apache-2.0
//
// The type indications that the framework reserves on every channel (RFC 5795 5.2).
#pragma once

#include <cstdint>

namespace headroom::rohc::wire {

inline constexpr std::uint8_t kPadding = 0xe0;       // 11100000
inline constexpr std::uint8_t kAddCid = 0xe0;        // 1110nnnn, nnnn != 0
inline constexpr std::uint8_t kFeedbackType = 0xf0;  // 11110ccc
inline constexpr std::uint8_t kIrDynType = 0xf8;     // 11111000
inline constexpr std::uint8_t kIrType = 0xfc;        // 1111110x
inline constexpr std::uint8_t kSegmentType = 0xfe;   // 1111111F

[[nodiscard]] constexpr bool is_add_cid(std::uint8_t octet) noexcept { return octet > 0xe0 && octet <= 0xef; }
[[nodiscard]] constexpr bool is_feedback(std::uint8_t octet) noexcept { return (octet & 0xf8) == kFeedbackType; }
[[nodiscard]] constexpr bool is_ir(std::uint8_t octet) noexcept { return (octet & 0xfe) == kIrType; }
[[nodiscard]] constexpr bool is_segment(std::uint8_t octet) noexcept { return (octet & 0xfe) == kSegmentType; }
// True if the profile's octet follows the CID.
[[nodiscard]] constexpr bool names_profile(std::uint8_t octet) noexcept { return is_ir(octet) || octet == kIrDynType; }

}  // namespace headroom::rohc::wire
