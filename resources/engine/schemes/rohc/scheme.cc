// SPDX-License-Identifier: Apache-2.0
#include "schemes/scheme.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "base/hex.h"

namespace headroom::rohc {
namespace {

// RFC 3241, 4: two protocols of PPP, by the size of CIDs.
constexpr std::array<PppVariant, 2> kPpp = {
    {{0x0003, "small CIDs", "\"cids\": \"small\""}, {0x0005, "large CIDs", "\"cids\": \"large\""}}};
constexpr LinkFraming kFraming = {.title = "ROHC",
                                  .ether_type = 0x22F1 /* IEEE's assignment */,
                                  .ppp = kPpp,
                                  .padding = 0xE0 /* RFC 5795, 5.2.1.1 */};

bool has_large_cids(const Json& config) {
  return config.is_object() && config.contains("cids") && config["cids"] == "large";
}

std::size_t ppp_variant(const Json& config) { return has_large_cids(config) ? 1 : 0; }

// What the keys mean, RFC 5795, 5.1.2 says.
std::vector<BadConfiguration> bad_configurations(const Json& good) {
  std::vector<BadConfiguration> bad;
  const auto add = [&](const char* what, const char* key, const Json& value) {
    bad.push_back({what, good});
    bad.back().config[key] = value;
  };
  add("CIDs that are neither small nor large", "cids", "medium");
  add("a MAX_CID beyond 16383", "max_cid", 16384);
  add("a negative MAX_CID", "max_cid", -1);
  add("a profile that describe does not list", "profiles", {"0xfffe"});
  add("profiles that are a text", "profiles", "0x0001");
  add("a mode that there is not", "mode", "X");
  add("a MAX_CID of 16 with small CIDs", "max_cid", 16);
  bad.back().config["cids"] = "small";
  return bad;
}

// A feedback element (RFC 5795, 5.2.4.1): FEEDBACK-1 for CID 0, after the CID where CIDs are large.
Octets reverse_packet(const Json& config) {
  return has_large_cids(config) ? Octets{0xF2, 0x00, 0x00} : Octets{0xF1, 0x00};
}

// Where the type octet is, after Add-CID octet and padding.
std::size_t type_octet(const Json& config, OctetView packet) {
  std::size_t at = 0;
  if (!has_large_cids(config)) {
    while (at < packet.size() && (packet[at] & 0xF0) == 0xE0) ++at;
  }
  return at;
}

// Where the CRC of an IR or IR-DYN packet with this type octet is (RFC 3095, 5.7.7.1 and 5.7.7.2): after type, CID
// where CIDs are large, and profile. 0: it is another packet.
std::size_t crc_of_initialisation(const Json& config, OctetView packet, std::size_t at) {
  if (at >= packet.size() || ((packet[at] & 0xFE) != 0xFC && packet[at] != 0xF8)) return 0;
  ++at;
  if (has_large_cids(config)) at += at < packet.size() && (packet[at] & 0x80) != 0 ? 2U : 1U;
  return at + 1 < packet.size() ? at + 1 : 0;
}

std::uint8_t crc8(OctetView octets) {
  std::uint8_t crc = 0xFF;
  for (const std::uint8_t octet : octets) {
    crc ^= octet;
    for (int bit = 0; bit < 8; ++bit) crc = static_cast<std::uint8_t>((crc & 1) != 0 ? crc >> 1 ^ 0xE0 : crc >> 1);
  }
  return crc;
}

// UO-0 (RFC 3095, 5.7.1) has a CRC-3 in the last bits of the type octet. A type octet that begins like an IP header may
// be that of a Normal packet (5.10.2), which has no CRC.
WrongCrc with_wrong_crc(const Json& config, OctetView right) {
  const std::size_t at = type_octet(config, right);
  if (at >= right.size()) return {};
  Octets wrong(right.begin(), right.end());
  if (right[at] < 0x80) {  // R-0, which has no CRC, begins alike
    if (config.is_object() && config.contains("mode") && config["mode"] == "R") return {};
    if (right[at] >> 4U == 4 || right[at] >> 4U == 6) return {};
    wrong[at] ^= 0x07;
    return {std::move(wrong), "the CRC-3 of a UO-0 packet (RFC 3095, 5.7.1)", true};
  }
  const std::size_t crc = crc_of_initialisation(config, right, at);
  if (crc == 0) return {};
  wrong[crc] ^= 0xFF;
  return {std::move(wrong), "the CRC-8 of an IR or IR-DYN packet (RFC 3095, 5.9.1)"};
}

// RFC 3095, 5.9.1: over the header with the CRC set to zero; in the Uncompressed profile up to the profile (5.10.1).
std::string crc_defect(const Json& config, OctetView packet, std::uint16_t header) {
  std::size_t at = type_octet(config, packet);
  const std::size_t crc = crc_of_initialisation(config, packet, at);
  if (crc == 0) return {};
  if (at != 0 && packet[at - 1] != 0xE0) --at;  // an Add-CID octet; that of CID 0 is padding
  const bool is_uncompressed = packet[crc - 1] == 0;
  const std::size_t end = is_uncompressed ? crc : at + header;
  if (end > packet.size() || (!is_uncompressed && (header == 0xFFFF || end <= crc))) return {};
  Octets covered(packet.begin() + static_cast<std::ptrdiff_t>(at), packet.begin() + static_cast<std::ptrdiff_t>(end));
  if (!is_uncompressed) covered[crc - at] = 0;
  const std::uint8_t right = crc8(covered);
  if (packet[crc] == right) return {};
  return "carries the CRC " + to_hex(packet.subspan(crc, 1)) + ", and the octets that it covers give " +
         to_hex({&right, 1}) + " (RFC3095-5.9.1-1)";
}

// An IR packet of the Uncompressed profile for CID 0 (RFC 3095, 5.10.1), with an IPv4 packet of a header alone.
Octets with_right_crc(const Json& config) {
  if (config.is_object() && config.contains("profiles")) {
    const Json& profiles = config["profiles"];
    if (!profiles.is_array() || std::find(profiles.begin(), profiles.end(), "0x0000") == profiles.end()) return {};
  }
  Octets packet = has_large_cids(config) ? Octets{0xFC, 0x00, 0x00} : Octets{0xFC, 0x00};
  packet.push_back(crc8(packet));
  constexpr std::uint8_t kHeader[] = {0x45, 0, 0, 20, 0, 0, 0, 0, 64, 59, 0x66, 0xB0, 10, 0, 0, 1, 10, 0, 0, 2};
  packet.insert(packet.end(), std::begin(kHeader), std::end(kHeader));
  return packet;
}

}  // namespace

const Scheme& scheme() noexcept {
  static constexpr Scheme kScheme = {.name = "rohc",
                                     .framing = &kFraming,
                                     .ppp_variant = ppp_variant,
                                     .trials = {.bad_configurations = bad_configurations,
                                                .with_wrong_crc = with_wrong_crc,
                                                .crc_defect = crc_defect,
                                                .with_right_crc = with_right_crc,
                                                .reverse_packet = reverse_packet}};
  return kScheme;
}

}  // namespace headroom::rohc
