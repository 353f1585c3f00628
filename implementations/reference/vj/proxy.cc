// SPDX-License-Identifier: Apache-2.0
//
// What a proxy in front of the VJ reference does (../proxy.h), by the keys of its options:
//   uncompressed   the compressor sends UNCOMPRESSED_TCP where the reference sends COMPRESSED_TCP, for each but the
//   n-th
//                  packet: "sent as either UNCOMPRESSED_TCP or COMPRESSED_TCP" (RFC 1144, 3.2.3)
//   mends_checksum wrong IP checksums are mended before the packet is compressed; 3.1 has them regenerated
//   cuts           octets after the total length of IP are cut off; they are no data of the packet
//   refuses_ipv6   what is not IPv4 is refused (HEADROOM_ERR_UNSUPPORTED); RFC 1144 is about IPv4
#include "proxy.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

namespace headroom::vj {
namespace {

// PPP protocol numbers: RFC 1332, 3.2.
constexpr std::uint16_t kCompressedTcp = 0x002d, kUncompressedTcp = 0x002f;
constexpr std::size_t kProtocolAt = 9, kChecksumAt = 10;
constexpr std::uint8_t kConnectionInMask = 0x40;  // C

std::size_t header_length(const std::uint8_t* ip) noexcept { return (ip[0] & 0x0fU) * 4U; }

void put_checksum(std::uint8_t* ip, std::size_t length) noexcept {
  ip[kChecksumAt] = ip[kChecksumAt + 1] = 0;
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i + 1 < length; i += 2) sum += static_cast<std::uint32_t>(ip[i] << 8 | ip[i + 1]);
  while (sum >> 16 != 0) sum = (sum & 0xffffU) + (sum >> 16);
  ip[kChecksumAt] = static_cast<std::uint8_t>(~sum >> 8);
  ip[kChecksumAt + 1] = static_cast<std::uint8_t>(~sum);
}

class VjProxy : public Proxy {
 public:
  VjProxy(std::unique_ptr<headroom_instance> behind, const nlohmann::json& options) : Proxy(std::move(behind)) {
    for (const auto& [key, value] : options.items()) {
      if (key == "uncompressed") {
        compressed_each_ = value.get<unsigned>();
      } else if (key == "mends_checksum") {
        mends_checksum_ = value.get<bool>();
      } else if (key == "cuts") {
        cuts_ = value.get<bool>();
      } else if (key == "refuses_ipv6") {
        refuses_ipv6_ = value.get<bool>();
      } else {
        throw ConfigError("\"proxy\" in \"options\" has " + key + ", which vj/proxy.cc lacks");
      }
    }
  }

 protected:
  void before(headroom_packet& packet) override {
    packet_.assign(packet.in, packet.in + packet.in_length);
    const bool ip = packet_.size() >= 20 && packet_[0] >> 4 == 4 && header_length(packet_.data()) >= 20 &&
                    header_length(packet_.data()) <= packet_.size();
    if (ip && mends_checksum_) put_checksum(packet_.data(), header_length(packet_.data()));
    if (ip && cuts_) {
      const std::size_t total = static_cast<std::size_t>(packet_[2] << 8 | packet_[3]);
      if (total >= header_length(packet_.data())) packet_.resize(std::min(packet_.size(), total));
    }
    packet.in = packet_.data();
    packet.in_length = static_cast<std::uint32_t>(packet_.size());
  }

  void after(headroom_packet& packet) override {
    if (refuses_ipv6_ && !packet_.empty() && packet_[0] >> 4 != 4) {
      packet.status = HEADROOM_ERR_UNSUPPORTED;
      packet.out_length = packet.out_type = 0;
      return;
    }
    if (packet.status != HEADROOM_OK || packet_.size() < 20) return;
    if (packet.out_type == kUncompressedTcp) slot_ = packet.out[kProtocolAt];
    if (packet.out_type != kCompressedTcp) return;
    if ((packet.out[0] & kConnectionInMask) != 0) slot_ = packet.out[1];
    if (compressed_each_ == 0 || ++count_ % compressed_each_ == 0 || packet_.size() > packet.out_capacity) return;
    std::memcpy(packet.out, packet_.data(), packet_.size());
    packet.out[kProtocolAt] = slot_;
    packet.out_length = static_cast<std::uint32_t>(packet_.size());
    packet.out_type = kUncompressedTcp;
  }

 private:
  unsigned compressed_each_ = 0;
  bool mends_checksum_ = false;
  bool cuts_ = false;
  bool refuses_ipv6_ = false;
  unsigned count_ = 0;
  std::uint8_t slot_ = 0;  // of the last packet sent; REQUIRES: one channel
  std::vector<std::uint8_t> packet_;
};

const ProxyOf kProxy("vj",
                     [](std::unique_ptr<headroom_instance> behind, const nlohmann::json& options,
                        const nlohmann::json&) -> std::unique_ptr<headroom_instance> {
                       return std::make_unique<VjProxy>(std::move(behind), options);
                     });

}  // namespace
}  // namespace headroom::vj
