// SPDX-License-Identifier: Apache-2.0
//
// Static and dynamic parts of the headers in IR and IR-DYN packets: RFC 3095 5.7.7.3 to 5.7.7.7 and 5.11.1, RFC 3843
// 3.1 (end of the static chain) and 3.3 (SID), RFC 4019 5.2.1 (UDP-Lite; its static part is that of UDP). Writers copy
// octets from the original header. Readers write octets to their places in a header that is being rebuilt and leave all
// other octets unchanged.
#pragma once

#include <cstdint>

#include "rohc/framework/wire/octets.h"
#include "rohc/v1/header/layout.h"
#include "rohc/v1/wire/packet_type.h"

namespace headroom::rohc::wire {

enum class ChainStatus : std::uint8_t {
  kOk,
  kMalformed,    // truncated, or a value that the format excludes
  kUnsupported,  // a list that the caller cannot store
};

// The behaviour of the IP-ID of an IPv4 header (RFC 3095 4.5.5, RFC 3843 3.3).
struct IpIdFlags {
  bool rnd = false;
  bool nbo = true;
  bool sid = false;  // constant IP-ID (RFC 3843 3.3)
};

// The extra octet of the RTP dynamic part, present if RX = 1.
struct RtpExtras {
  bool present = false;
  bool rtp_extension = false;  // X
  Mode mode = Mode::kCancel;
  std::uint32_t ts_stride = 0;    // 0: not sent
  std::uint32_t time_stride = 0;  // 0: not sent, unless has_time_stride is set
  bool has_time_stride = false;   // TIS
};

// `ends`: writes the version with its most significant bit set, "indicating termination" of the chain at this header
// (RFC 3843 3.1).
void write_ip_static(Writer& out, const std::uint8_t* header, bool ends) noexcept;
void write_udp_static(Writer& out, const std::uint8_t* header) noexcept;
void write_rtp_static(Writer& out, const std::uint8_t* header) noexcept;
void write_esp_static(Writer& out, const std::uint8_t* header) noexcept;

// `constant_ip_id`: the profile has the SID flag. `list`: the generic extension header list or CSRC list, as
// wire/list.h writes it; no octets mean an empty list.
void write_ip_dynamic(Writer& out, const std::uint8_t* header, IpIdFlags id, bool constant_ip_id,
                      Octets list = {}) noexcept;
void write_udp_dynamic(Writer& out, const std::uint8_t* header) noexcept;
void write_udp_lite_dynamic(Writer& out, const std::uint8_t* header) noexcept;
void write_esp_dynamic(Writer& out, const std::uint8_t* header) noexcept;
void write_rtp_dynamic(Writer& out, const std::uint8_t* header, const RtpExtras& extras, Octets list = {}) noexcept;

// The result of reading the static part of an IP header: version, flow label, protocol and addresses are written to
// `header`, the IHL is set, and all other octets of the header become 0. `ends`: the static part indicates the end of
// the chain, which only profiles with such an indication allow.
struct IpStatic {
  ChainStatus status = ChainStatus::kMalformed;
  std::uint8_t version = 0;
  std::uint8_t next = 0;
  bool ends = false;
};
[[nodiscard]] IpStatic read_ip_static(Reader& in, std::span<std::uint8_t> header) noexcept;
[[nodiscard]] ChainStatus read_udp_static(Reader& in, std::uint8_t* header) noexcept;
[[nodiscard]] ChainStatus read_rtp_static(Reader& in, std::uint8_t* header) noexcept;
[[nodiscard]] ChainStatus read_esp_static(Reader& in, std::uint8_t* header) noexcept;

// A generic list of a dynamic part, always of encoding type 0, as octets of the packet; empty if the list has no items.
// If the caller passes no ChainList, a list with items yields kUnsupported.
struct ChainList {
  Octets octets;
};

// `version` is the version from the static part. The IP-ID is written to `header` as in the packet. SID belongs to the
// IP and UDP-Lite profiles (RFC 4815 11), but is read for every profile, because the bit can have no other meaning in
// another profile.
[[nodiscard]] ChainStatus read_ip_dynamic(Reader& in, unsigned version, std::uint8_t* header, IpIdFlags& id,
                                          ChainList* list = nullptr) noexcept;
[[nodiscard]] ChainStatus read_udp_dynamic(Reader& in, std::uint8_t* header) noexcept;
[[nodiscard]] ChainStatus read_udp_lite_dynamic(Reader& in, std::uint8_t* header) noexcept;
[[nodiscard]] ChainStatus read_esp_dynamic(Reader& in, std::uint8_t* header) noexcept;
[[nodiscard]] ChainStatus read_rtp_dynamic(Reader& in, std::uint8_t* header, RtpExtras& extras,
                                           ChainList* list = nullptr) noexcept;

}  // namespace headroom::rohc::wire
