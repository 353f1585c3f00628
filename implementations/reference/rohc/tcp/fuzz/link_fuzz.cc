// SPDX-License-Identifier: Apache-2.0
//
// Both ends of a link, with what the input says: packets come out as they went in, as long as the decompressor has seen
// all that was sent, and nothing else. What comes out of anything else has valid headers. No octet outside the buffers
// is touched.
//
// Input: options; then, again and again, what is to come, a length in two octets, and octets. What: 0: a packet; 1: the
// last packet with these octets exclusive-ored to its headers, lengths and checksums put right; 2: a link packet; 3: as
// 1, and lost; 4: feedback data; 5: the decompressor's feedback for its last packet reaches the compressor.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "rohc/tcp/test/ends.h"

namespace headroom::rohc::tcp {
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

// Changes the last packet's headers and puts right what follows from others.
testing::Packet changed(testing::Packet packet, const testing::Packet& by) {
  for (std::size_t i = 0; i < by.size() && i < packet.size(); ++i) packet[i] ^= by[i];
  if (packet.size() >= 20 && packet[0] >> 4 == 4) {
    testing::set16(packet, 2, static_cast<std::uint32_t>(packet.size()));
    testing::set16(packet, 10, 0);
    testing::set16(packet, 10, testing::checksum({packet.begin(), packet.begin() + 20}));
  }
  return packet;
}

}  // namespace

void run(Input in) {
  const std::uint8_t options = in.octet();
  CompressorConfig config;
  config.repeats = 1 + (options & 7u);
  config.ir_refresh = 37;
  config.ir_dyn_refresh = 11;
  DecompressorConfig far_config;
  far_config.verify_checksum = (options & 8) != 0;
  testing::Ends ends(config, far_config, (options & 16) != 0, (options & 32) != 0 ? 5 : 0);
  testing::Packet packet;
  bool in_step = true;
  while (in.more()) {
    const std::uint8_t what = in.octet() % 6;
    const std::size_t length = std::size_t{in.octet()} << 8 | in.octet();
    const testing::Packet octets = what == 5 ? testing::Packet{} : in.take(length);
    if (what == 4) {
      if (const auto f = read_feedback(octets, 0)) {
        in_step = false;  // which may tell the compressor what is not so
        ends.in.feedback(*f);
      }
      continue;
    }
    if (what == 5) {
      ends.answer(ends.result.due_feedback);
      continue;
    }
    if (what == 2) {
      in_step = false;
      const testing::Packet out = ends.decompress(octets, &ends.out);
      Layout layout;
      expect(ends.result.status != Status::kOk || find_headers(out, layout) == Unfit::kNone);
      continue;
    }
    packet = what == 0 ? octets : changed(packet, octets);
    const testing::Packet link = ends.compress(packet);
    if (ends.last.unfit != Unfit::kNone) continue;
    expect(!ends.last.no_space && link.size() == ends.last.length);
    if (what == 3) {
      in_step = false;
      continue;
    }
    const testing::Packet out = ends.decompress(link);
    if (in_step) expect(ends.result.status == Status::kChecksum || out == packet);
    in_step = in_step && ends.result.status == Status::kOk;
  }
}

}  // namespace headroom::rohc::tcp

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  headroom::rohc::tcp::run(headroom::rohc::tcp::Input(data, size));
  return 0;
}
