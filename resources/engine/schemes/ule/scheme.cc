// SPDX-License-Identifier: Apache-2.0
#include "schemes/scheme.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "base/hex.h"

namespace headroom::ule {
namespace {

// ISO/IEC 13818-1, 2.4.3.2: a TS packet, and where its transport_error_indicator is.
constexpr std::size_t kTsOctets = 188;
constexpr std::uint8_t kSyncOctet = 0x47;
constexpr ErrorMark kTransportErrorIndicator = {.octet = 1, .mask = 0x80};

// A null packet (ISO/IEC 13818-1, 2.4.1): PID 0x1FFF, a continuity counter that says nothing, and any payload.
constexpr std::array<std::uint8_t, kTsOctets> null_packet() {
  std::array<std::uint8_t, kTsOctets> packet{};
  packet.fill(0xFF);
  packet[0] = kSyncOctet;
  packet[1] = 0x1F;
  packet[2] = 0xFF;
  packet[3] = 0x10;
  return packet;
}

constexpr std::array<std::uint8_t, kTsOctets> kNullPacket = null_packet();
constexpr LinkFraming kFraming = {.title = "ULE",
                                  .ether_type = 0,
                                  .carries_ether_types = true,
                                  .link_type = LinkType::mpeg2_ts,
                                  .cells = CellFraming{.octets = kTsOctets, .first = kSyncOctet},
                                  .idle = kNullPacket,
                                  .error_mark = kTransportErrorIndicator};

// BBFRAMEs of GSE are no TS packets, and captures have no link type for them alone.
constexpr LinkFraming kGseFraming = {.title = "GSE"};

const LinkFraming* framing_by(const Json& config) {
  const auto found = config.is_object() ? config.find("encapsulation") : config.end();
  return found != config.end() && *found == "gse" ? &kGseFraming : &kFraming;
}

// ISO/IEC 13818-1, 2.4.3.3: PIDs have 13 bits, of which 0 to 15 and 0x1FFF are taken. RFC 4326, 4.5: the NPA address
// is that of a receiver, and never zero; 5: H-LEN has three bits, and 0 is that of mandatory headers; 6.2: packing or
// padding.
std::vector<BadConfiguration> bad_configurations(const Json& good) {
  std::vector<BadConfiguration> bad;
  const auto add = [&](const char* what, const char* key, const Json& value) {
    bad.push_back({what, good});
    bad.back().config[key] = value;
  };
  add("a PID of program tables", "first_pid", 15);
  add("the PID of null packets", "first_pid", 0x1FFF);
  add("a PID beyond 13 bits", "first_pid", 0x2000);
  add("more channels than there are PIDs", "channels", 8176);
  add("a mode that neither packs nor pads", "packing", "stacking");
  add("an encapsulation that there is not", "encapsulation", "atm");
  add("a BBFRAME without room for a GSE packet", "frame_octets", 16);
  add("a negative Packing Threshold", "threshold_us", -1);
  add("a Packing Threshold that is a text", "threshold_us", "soon");
  add("an address that is neither present nor absent", "address", "broadcast");
  add("a bridged that is a text", "bridged", "yes");
  add("a Padding header longer than five words", "padding_words", 6);
  add("a time_stamp that is a number", "time_stamp", 1);
  add("a group that is a unicast address", "groups", {"02:00:00:00:00:01"});
  add("a subnetwork without a prefix length", "subnets", {"192.0.2.0"});
  add("a prefix of more than 32 bits", "subnets", {"192.0.2.0/33"});
  add("a Universal Time that is a text", "universal_time_ns", "noon");
  add("an NPA address that is zero", "options", {{"npa", "00:00:00:00:00:00"}});
  add("an NPA address of a group", "options", {{"npa", "01:00:5e:00:00:01"}});
  add("an NPA address that is too short", "options", {{"npa", "02:00:00:00:00"}});
  return bad;
}

constexpr std::size_t kSndu = 5, kCrc = 4;  // octets of a TS packet in front of an SNDU, and of its CRC

// The end of an SNDU that is whole in a TS packet (RFC 4326, 4) right after its Payload Pointer (5.1); 0: there is
// none.
std::size_t end_of_sndu(const Json& config, OctetView packet) {
  if (config.is_object() && config.contains("encapsulation") && config["encapsulation"] != "ule") return 0;
  const bool starts = packet.size() == kTsOctets && packet[0] == kSyncOctet && (packet[1] & 0x40) != 0 &&
                      packet[1] != kNullPacket[1] && packet[4] == 0;
  if (!starts) return 0;
  const std::size_t length = (packet[kSndu] & 0x7FU) << 8 | packet[kSndu + 1];
  const std::size_t end = kSndu + 4 + length;  // of Length and Type, and of what Length counts
  return end > packet.size() || length <= kCrc ? 0 : end;
}

// RFC 4326, 4.6
std::uint32_t crc32(OctetView octets) {
  std::uint32_t crc = 0xFFFFFFFF;
  for (const std::uint8_t octet : octets) {
    crc ^= std::uint32_t{octet} << 24;
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 0x80000000) != 0 ? crc << 1 ^ 0x04C11DB7 : crc << 1;
  }
  return crc;
}

void append(Octets& octets, std::uint32_t crc) {
  for (int shift = 24; shift >= 0; shift -= 8) octets.push_back(static_cast<std::uint8_t>(crc >> shift));
}

// One octet of the PDU is changed, which the CRC-32 alone shows.
WrongCrc with_wrong_crc(const Json& config, OctetView right) {
  constexpr std::size_t kBaseHeader = 10;
  const std::size_t end = end_of_sndu(config, right);
  if (end < kSndu + 4 + kBaseHeader + kCrc + 1) return {};
  Octets wrong(right.begin(), right.end());
  wrong[end - kCrc - 1] ^= 0xFF;
  return {std::move(wrong), "the CRC-32 of an SNDU (RFC 4326, 4.6)"};
}

std::string crc_defect(const Json& config, OctetView packet, std::uint16_t /*header*/) {
  const std::size_t end = end_of_sndu(config, packet);
  if (end == 0) return {};
  Octets right;
  append(right, crc32(packet.subspan(kSndu, end - kCrc - kSndu)));
  const OctetView carried = packet.subspan(end - kCrc, kCrc);
  if (std::equal(right.begin(), right.end(), carried.begin())) return {};
  return "carries an SNDU with the CRC " + to_hex(carried) + ", whose octets give " + to_hex(right) +
         " (RFC4326-4.6-2)";
}

// A TS packet with an SNDU for any receiver (RFC 4326, 4.7.2): an IPv4 packet of a header alone.
Octets with_right_crc(const Json& config) {
  const auto is_not = [&](const char* key, const Json& value) {
    return config.is_object() && config.contains(key) && config[key] != value;
  };
  if (is_not("encapsulation", "ule") || is_not("bridged", false)) return {};
  const std::uint32_t pid = config.is_object() ? config.value("first_pid", 256U) : 256U;
  Octets packet = {kSyncOctet, static_cast<std::uint8_t>(0x40 | pid >> 8), static_cast<std::uint8_t>(pid), 0x10, 0};
  constexpr std::uint8_t kOctets[] = {0x80, 24, 0x08, 0x00, 0x45, 0, 0, 20, 0,  0, 0, 0,
                                      64,   59, 0x66, 0xB0, 10,   0, 0, 1,  10, 0, 0, 2};
  packet.insert(packet.end(), std::begin(kOctets), std::end(kOctets));
  append(packet, crc32(kOctets));
  packet.resize(kTsOctets, 0xFF);
  return packet;
}

}  // namespace

const Scheme& scheme() noexcept {
  static constexpr Scheme kScheme = {.name = "ule",
                                     .framing = &kFraming,
                                     .framing_by = framing_by,
                                     .universal_time = true,
                                     .trials = {.bad_configurations = bad_configurations,
                                                .only_ip = true,
                                                .with_wrong_crc = with_wrong_crc,
                                                .crc_defect = crc_defect,
                                                .with_right_crc = with_right_crc}};
  return kScheme;
}

}  // namespace headroom::ule
