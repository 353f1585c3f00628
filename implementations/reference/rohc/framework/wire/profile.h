// SPDX-License-Identifier: Apache-2.0
//
// The numbers of the profiles of all families (RFC 5795 8).
#pragma once

#include <cstdint>

namespace headroom::rohc::wire {

// A context's profile; the profile octet on the link is the low octet of this number (RFC 5795 5.1.2).
enum class Profile : std::uint16_t {
  kUncompressed = 0x0000,
  kRtp = 0x0001,
  kUdp = 0x0002,
  kEsp = 0x0003,
  kIp = 0x0004,
  kTcp = 0x0006,
  kRtpUdpLite = 0x0007,
  kUdpLite = 0x0008,
  kNone = 0xffff,  // no profile yet
};

}  // namespace headroom::rohc::wire
