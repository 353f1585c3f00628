// SPDX-License-Identifier: Apache-2.0
//
// A link whose both ends get what the input says. What the compressor puts on the link comes out as it went in, as long
// as nothing else has reached the decompressor, nothing was lost, and TCP's checksums were right. Of what comes out
// behind that, they are right. Other octets may do anything but leave the buffers.
//
// Input: TCP_SPACE and options; then, again and again, what is to come (0: a packet for the compressor; 1: the same,
// with the right checksums and lengths; 2: a link packet of a type; 3: a packet as of 1, which is lost), a length in
// two octets, and the octets.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "taroc/test/packets.h"

namespace headroom::taroc {
namespace {

class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  [[nodiscard]] bool more() const { return size_ != 0; }
  std::uint8_t octet() {
    if (size_ == 0) return 0;
    --size_;
    return *data_++;
  }
  testing::Packet take(std::size_t length) {
    length = std::min(length, size_);
    testing::Packet octets(data_, data_ + length);
    data_ += length;
    size_ -= length;
    return octets;
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
};

void expect(bool holds) {
  if (!holds) std::abort();
}

// Puts right lengths and checksums into what is a TCP packet by its other fields.
void mend(testing::Packet& packet) {
  const auto lengths = wire::lengths_of(packet);
  if (!lengths) return;
  wire::store16(&packet[lengths->first_length_field()],
                static_cast<std::uint32_t>(wire::length_field_of(*lengths, packet.size())));
  testing::set_tcp_checksum(packet);
  if (lengths->is_ipv4()) testing::set_ip_checksum(packet);
}

}  // namespace

void run(Input in) {
  Config config;
  config.contexts = in.octet() + 1u;
  const std::uint8_t options = in.octet();
  config.k = 1 + (options & 3u);
  config.rescue = (options & 4) != 0;
  config.mss = (options & 8) != 0 ? 1500 : 100;
  config.issthresh = config.mss * (1u + (options >> 4));
  testing::Ends ends(config);
  bool in_step = true;  // whether the decompressor has seen what the compressor sent, and nothing else
  while (in.more()) {
    const std::uint8_t what = in.octet() & 3;
    constexpr std::uint16_t kTypes[] = {kTypeIp, kTypeCompressed, kTypeUncompressed, 0};
    const std::uint16_t type = what == 2 ? kTypes[in.octet() & 3] : std::uint16_t{0};
    const std::size_t length = std::size_t{in.octet()} << 8 | in.octet();
    testing::Packet packet = in.take(length);
    if (what == 2) {
      (void)ends.decompress(packet, type);
      in_step = in_step && type == kTypeIp;
      continue;
    }
    if (packet.empty()) continue;
    if (what != 0) mend(packet);
    const testing::Outcome link = ends.compress(packet);
    expect(link.status == HEADROOM_OK && link.octets.size() <= packet.size());
    testing::Packet mended = packet;
    mend(mended);
    const bool plain = link.type == kTypeIp || link.type == kTypeIpv6;
    in_step = in_step && (plain || (mended == packet && what != 3));
    if (what == 3) continue;
    const testing::Outcome out = ends.decompress(link.octets, link.type);
    if (in_step || link.type != kTypeCompressed) {
      expect(out.status == HEADROOM_OK && out.octets == packet);
    } else if (out.status == HEADROOM_OK) {
      testing::Packet checked = out.octets;
      mend(checked);
      // A checksum of all ones is as right as one of 0, which mending makes of it.
      expect(checked == out.octets || testing::checksum_of(out.octets) == 0xFFFF);
    }
  }
}

}  // namespace headroom::taroc

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  headroom::taroc::run(headroom::taroc::Input(data, size));
  return 0;
}
