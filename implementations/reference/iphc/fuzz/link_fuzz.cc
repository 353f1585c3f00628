// SPDX-License-Identifier: Apache-2.0
//
// A link whose both ends get what the input says. What the compressor puts on the link comes out as it went in, as long
// as the decompressor has seen all of it and nothing else since the stream's full header; other octets may do anything
// but leave the buffers. The decompressor may drop a packet whose TCP checksum is wrong, and may take another packet
// for it where it repairs.
//
// Input: spaces and sizes, the repair; then, again and again, what is to come (0: a packet for the compressor, 1: the
// same, lost on the link, 2: a link packet of a type, 3: a reverse packet), a length in two octets, and the octets.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "iphc/test/packets.h"

namespace headroom::iphc {
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

void run(Input in) {
  Config config;
  config.tcp_space = in.octet();
  config.max_header = static_cast<std::uint32_t>(kShortestMaxHeader) + in.octet();
  const std::uint8_t choices = in.octet();
  config.repair = static_cast<Repair>(choices % 3);
  config.no_delta = (choices & 0x80) != 0;
  config.reordering = (choices & 0x40) != 0;
  config.hold_ns = 2000;
  config.request_interval_ns = 1000;
  config.boot_wait_ns = 0;
  config.non_tcp_space = in.octet() * 3u;
  testing::Ends ends(config);
  bool in_step = true;  // whether the decompressor has seen what the compressor sent, and nothing else
  std::uint64_t now = 0;
  while (in.more()) {
    now += 500;
    if (ends.decompressor.next_deadline() <= now) (void)ends.drain(now);
    expect(ends.decompressor.next_deadline() > now);
    const std::uint8_t what = in.octet() % 4;
    constexpr std::uint16_t kTypes[] = {kTypeIpv4,       kTypeFull,   kTypeTcp,
                                        kTypeTcpNoDelta, kTypeNonTcp, HEADROOM_TYPE_LOST};
    const std::uint16_t type = what == 2 ? kTypes[in.octet() % 6] : std::uint16_t{0};
    const std::size_t length = std::size_t{in.octet()} << 8 | in.octet();
    const testing::Packet packet = in.take(length);
    if (what == 3) {
      (void)ends.compressor.take_context_state(0, packet);
      continue;
    }
    if (what == 2) {
      (void)ends.decompress(packet, type, now);
      (void)ends.drain(now);
      in_step = in_step && (type == kTypeIpv4 || type == HEADROOM_TYPE_LOST);
      continue;
    }
    if (packet.empty()) continue;
    const testing::Outcome link = ends.compress(packet, now);
    expect(link.status == HEADROOM_OK && link.octets.size() <= packet.size());
    if (what == 1) {
      in_step = false;
      continue;
    }
    const testing::Outcome out = ends.decompress(link, now);
    (void)ends.drain(now);
    if (in_step && config.repair != Repair::twice) {
      const bool has_changes = link.type == kTypeTcp || link.type == kTypeTcpNoDelta;
      const bool may_be_dropped = config.repair == Repair::verify && has_changes;
      expect(out.status == HEADROOM_OK ? out.octets == packet : out.status == HEADROOM_ERR_CRC && may_be_dropped);
    }
    const testing::Packet request = ends.request();
    if (!request.empty()) expect(ends.compressor.take_context_state(0, request) == HEADROOM_OK);
  }
}

}  // namespace
}  // namespace headroom::iphc

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  headroom::iphc::run({data, size});
  return 0;
}
