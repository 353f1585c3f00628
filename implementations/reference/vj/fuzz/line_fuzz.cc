// SPDX-License-Identifier: Apache-2.0
//
// A line whose both ends get what the input says. What the compressor puts on the link comes out as it went in, as long
// as nothing else has reached the decompressor since a packet stated its connection; other octets may do anything but
// leave the buffers, and change no saved header where they are refused.
//
// Input: slots and Comp-Slot-Id; then, again and again, what is to come (0: a packet for the compressor, 1: a link
// packet of a type, 2: a damaged frame), a length in two octets, and the octets.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "vj/test/packets.h"

namespace headroom::vj {
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

}  // namespace

void run(Input in) {
  Config config;
  config.slots = in.octet() + 1u;
  config.compress_slot_id = (in.octet() & 1) != 0;
  testing::Ends ends(config);
  bool in_step = true;  // whether the decompressor has seen what the compressor sent, and nothing else
  while (in.more()) {
    const std::uint8_t what = in.octet() % 3;
    if (what == 2) {
      expect(ends.decompress({}, HEADROOM_TYPE_LOST).status == HEADROOM_NOTHING);
      in_step = false;
      continue;
    }
    constexpr std::uint16_t kTypes[] = {kTypeIp, kTypeCompressed, kTypeUncompressed, 0};
    const std::uint16_t type = what == 1 ? kTypes[in.octet() & 3] : std::uint16_t{0};
    const std::size_t length = std::size_t{in.octet()} << 8 | in.octet();
    const testing::Packet packet = in.take(length);
    if (what == 1) {
      (void)ends.decompress(packet, type);
      in_step = in_step && type == kTypeIp;
      continue;
    }
    if (packet.empty()) continue;
    const testing::Outcome link = ends.compress(packet);
    expect(link.status == HEADROOM_OK && link.octets.size() <= packet.size());
    const testing::Outcome out = ends.decompress(link.octets, link.type);
    if (in_step) expect(out.status == HEADROOM_OK && out.octets == packet);
  }
}

}  // namespace headroom::vj

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  headroom::vj::run(headroom::vj::Input(data, size));
  return 0;
}
