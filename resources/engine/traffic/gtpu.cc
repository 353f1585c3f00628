// SPDX-License-Identifier: Apache-2.0
#include "traffic/gtpu.h"

#include "base/octets.h"

namespace headroom::traffic {
namespace {

constexpr std::size_t kMandatory = 8, kOptional = 4, kContainer = 4;  // octets
constexpr std::uint8_t kVersion1 = 0x20, kProtocolGtp = 0x10, kHasExtension = 0x04, kHasSequence = 0x02;
constexpr std::uint8_t kGPdu = 255;                  // 5.1: the message type
constexpr std::uint8_t kPduSessionContainer = 0x85;  // 5.2.1
constexpr std::uint8_t kDownlink = 0, kUplink = 1;   // TS 38.415, 5.5.3.1: the PDU type, in the upper four bits

// One of the optional fields brings all of them (5.1).
bool has_optional_fields(const Gtpu& gtpu) noexcept { return gtpu.sequence || gtpu.qfi.has_value(); }

}  // namespace

std::size_t gtpu_length(const Gtpu& gtpu) noexcept {
  return kMandatory + (has_optional_fields(gtpu) ? kOptional : 0) + (gtpu.qfi ? kContainer : 0);
}

void write_gtpu(const Gtpu& gtpu, const GtpuFields& fields, std::uint8_t* header) noexcept {
  header[0] = static_cast<std::uint8_t>(kVersion1 | kProtocolGtp | (gtpu.qfi ? kHasExtension : 0) |
                                        (gtpu.sequence ? kHasSequence : 0));
  header[1] = kGPdu;
  store16(header + 2, static_cast<std::uint32_t>(fields.length_with_payload - kMandatory));
  store32(header + 4, fields.teid);
  if (gtpu.sequence) store16(header + 8, fields.sequence);
  if (!gtpu.qfi) return;
  header[11] = kPduSessionContainer;
  std::uint8_t* container = header + kMandatory + kOptional;
  container[0] = kContainer / 4;  // its length in words; the last octet, 0, says that no other extension follows
  container[1] = static_cast<std::uint8_t>((fields.uplink ? kUplink : kDownlink) << 4);
  container[2] = *gtpu.qfi;
}

}  // namespace headroom::traffic
