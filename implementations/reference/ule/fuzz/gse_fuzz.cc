// SPDX-License-Identifier: Apache-2.0
//
// Any octets as BBFRAMEs of GSE: nothing longer than a Total Length allows comes out, and the memory of a stream stays
// within what it may keep.
//
//   input:  one octet of options, then BBFRAMEs: a length of two octets, and as many octets, of which the BBHEADER is
//           put right unless the options say otherwise
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "ule/gse_receiver.h"

namespace {

using namespace headroom::ule;

constexpr std::size_t kRoom = 65'536;
// Vectors grow by doubling; one part more has been put together last.
constexpr std::size_t kMostOctets = (GseReceiver::kMostParts + 1) * 2 * (65'535 + 2) + 2 * wire::kLargestBbFrame + 4096;

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::uint8_t options = *data;
  std::span<const std::uint8_t> rest(data + 1, size - 1);
  Config config;
  config.encapsulation = Encapsulation::gse;
  // Four octets of 0xFF are right then, which a fuzzer finds.
  config.crc = (options & 2U) != 0 ? wire::CrcKernel::none : wire::best_kernel();
  GseReceiver receiver(config);
  std::vector<std::uint8_t> room(kRoom);
  while (rest.size() > 2) {
    const std::size_t length = std::min<std::size_t>(wire::read16(rest.data()) & 0x1FFFU, rest.size() - 2);
    std::vector<std::uint8_t> frame(rest.begin() + 2, rest.begin() + 2 + static_cast<std::ptrdiff_t>(length));
    rest = rest.subspan(2 + length);
    if (frame.empty()) continue;
    if ((options & 1U) == 0 && frame.size() >= wire::kBbHeader && frame.size() < 8192)
      wire::write_bb_header(frame.data(), frame.size() - wire::kBbHeader, std::nullopt);
    headroom_packet p{};
    p.in = frame.data();
    p.in_length = static_cast<std::uint32_t>(frame.size());
    p.out = room.data();
    p.out_capacity = kRoom;
    const std::int32_t status = receiver.receive(p, nullptr);
    require(status == p.status || p.status == HEADROOM_OK);
    if (p.more == 0) continue;
    std::fill(frame.begin(), frame.end(), std::uint8_t{0xEE});  // which is the caller's again
    for (int outputs = 0; receiver.drain(p, nullptr); ++outputs) {
      require(outputs < 8192);
      require(p.out_length <= wire::kLargestTotalLength);
    }
  }
  require(receiver.memory_bytes() <= kMostOctets);
  return 0;
}
