// SPDX-License-Identifier: Apache-2.0
//
// Any octets as TS packets of ULE or MPE: nothing longer than an SNDU comes out, and the memory of a PID stays within
// one.
//
//   input:  one octet of options, then TS packets; of each the sync octet and, unless the options say otherwise, PID
//           and continuity counter are put right, so that what follows is read
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "ule/receiver.h"

namespace {

using namespace headroom::ule;

constexpr std::size_t kRoom = 65'536;
// A copy of the largest SNDU in the channel and one in the receiver; vectors grow by doubling.
constexpr std::size_t kMostOctets = 4 * 32'771 + 4096;

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::uint8_t options = *data;
  Config config;
  config.bridged = (options & 1U) != 0;
  if ((options & 4U) != 0) config.encapsulation = Encapsulation::mpe;
  // Four octets of 0xFF are right then, which a fuzzer finds.
  config.crc = (options & 8U) != 0 ? wire::CrcKernel::none : wire::best_kernel();
  const bool leave_headers = (options & 2U) != 0;
  Receiver receiver(config);
  std::vector<std::uint8_t> room(kRoom);
  std::uint8_t counter = 0;
  for (std::size_t at = 1; at + wire::kTsOctets <= size; at += wire::kTsOctets) {
    std::vector<std::uint8_t> packet(data + at, data + at + wire::kTsOctets);
    packet[0] = wire::kSyncOctet;
    if (!leave_headers) {
      wire::write_ts_header(packet.data(), config.first_pid, (packet[1] & 0x40U) != 0, counter++);
    }
    headroom_packet p{};
    p.in = packet.data();
    p.in_length = static_cast<std::uint32_t>(packet.size());
    p.out = room.data();
    p.out_capacity = kRoom;
    const std::int32_t status = receiver.receive(p, nullptr);
    require(status == p.status || p.status == HEADROOM_OK);
    require(p.out_length <= wire::kLargestSndu);
    if (p.more == 0) continue;
    std::fill(packet.begin(), packet.end(), std::uint8_t{0xEE});  // which is the caller's again
    for (int outputs = 0; receiver.drain(p, nullptr); ++outputs) {
      require(outputs < 20'000);
      require(p.out_length <= wire::kLargestSndu);
    }
  }
  require(receiver.memory_bytes() <= kMostOctets);
  return 0;
}
