// SPDX-License-Identifier: Apache-2.0
#include "schemes/sigcomp/messages/capture.h"

#include <algorithm>

namespace headroom::sigcomp::messages {
namespace {

constexpr std::size_t kIpHeader = 20;
constexpr std::size_t kUdpHeader = 8;
constexpr std::size_t kTcpHeader = 20;
constexpr std::size_t kLargestIpPacket = 65535;
constexpr std::uint64_t kApartNs = 1'000'000;
constexpr std::size_t kLargestPiece = 16384;  // of a stream: within every limit of capture readers
constexpr std::uint8_t kProtocolTcp = 6;
constexpr std::uint8_t kProtocolUdp = 17;
constexpr std::uint8_t kPushAndAck = 0x18;
constexpr std::uint32_t kAddressOfB = 0xC0000201;  // 192.0.2.1, RFC 5737

std::uint32_t address_of_a(std::uint32_t compartment) { return 0x0A000000 | (compartment & 0xFFFFFF); }

}  // namespace

Capture::Capture(const std::string& path, bool stream) : file_(path), stream_(stream) {
  interfaces_[0] = file_.add_interface(LinkType::ethernet, "a to b");
  interfaces_[1] = file_.add_interface(LinkType::ethernet, "b to a");
}

void Capture::write(Side from, std::uint32_t compartment, std::uint64_t time_ns, OctetView octets,
                    const std::string& comment) {
  if (!stream_) {
    if (kIpHeader + kUdpHeader + octets.size() <= kLargestIpPacket) {
      write_packet(from, compartment, time_ns, octets, comment);
    } else {
      write_packet(from, compartment, time_ns, {},
                   "here were " + std::to_string(octets.size()) + " octets, more than UDP carries; " + comment);
    }
    return;
  }
  while (!octets.empty()) {
    const OctetView piece = octets.first(std::min(octets.size(), kLargestPiece));
    write_packet(from, compartment, time_ns, piece, comment);
    octets = octets.subspan(piece.size());
  }
}

void Capture::write_packet(Side from, std::uint32_t compartment, std::uint64_t time_ns, OctetView octets,
                           const std::string& comment) {
  const std::size_t header = stream_ ? kTcpHeader : kUdpHeader;
  Octets packet(kIpHeader + header + octets.size());
  std::uint8_t* const ip = packet.data();
  std::uint8_t* const transport = ip + kIpHeader;
  const std::uint32_t a = address_of_a(compartment);
  const bool from_a = from == Side::a;
  ip[0] = 0x45;
  store16(ip + 2, static_cast<std::uint32_t>(packet.size()));
  ip[8] = 64;  // time to live
  ip[9] = stream_ ? kProtocolTcp : kProtocolUdp;
  store32(ip + 12, from_a ? a : kAddressOfB);
  store32(ip + 16, from_a ? kAddressOfB : a);
  store16(ip + 10, checksum_finish(checksum_add(0, OctetView(packet).first(kIpHeader))));
  store16(transport, kPort);
  store16(transport + 2, kPort);
  std::uint8_t* checksum = transport + 6;
  if (stream_) {
    std::uint32_t& sent = sent_[static_cast<int>(from)][compartment];
    store32(transport + 4, sent + 1);
    store32(transport + 8, sent_[static_cast<int>(other(from))][compartment] + 1);
    sent += static_cast<std::uint32_t>(octets.size());
    transport[12] = kTcpHeader / 4 << 4;
    transport[13] = kPushAndAck;
    store16(transport + 14, 0xFFFF);  // window
    checksum = transport + 16;
  } else {
    store16(transport + 4, static_cast<std::uint32_t>(kUdpHeader + octets.size()));
  }
  std::copy(octets.begin(), octets.end(), transport + header);
  // The pseudo header: addresses, protocol, length (RFC 768).
  const OctetView covered = OctetView(packet).subspan(kIpHeader);
  std::uint32_t sum = checksum_add(0, OctetView(packet).subspan(12, 8));
  sum += ip[9] + static_cast<std::uint32_t>(covered.size());
  // checksum_add takes fewer than 2^16 words: these are at most 32,758.
  const std::uint16_t finished = checksum_finish(checksum_add(sum, covered));
  store16(checksum, finished == 0 && !stream_ ? 0xFFFF : finished);
  if (last_ns_ && time_ns <= *last_ns_) set_apart_ns_ += kApartNs;
  last_ns_ = time_ns;
  file_.write(interfaces_[static_cast<int>(from)], time_ns + set_apart_ns_,
              ethernet_frame(from_a ? kMacB : kMacA, from_a ? kMacA : kMacB, kEtherTypeIpv4, packet), comment);
}

}  // namespace headroom::sigcomp::messages
