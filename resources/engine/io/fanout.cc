// SPDX-License-Identifier: Apache-2.0
#include "io/fanout.h"

#include <linux/if_packet.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstring>

namespace headroom::io {
namespace {

std::atomic<int> wanted = 0;

// The flags stand in the upper half of the option's value.
constexpr unsigned kUnwanted = unsigned{PACKET_FANOUT_FLAG_DEFRAG | PACKET_FANOUT_FLAG_ROLLOVER} << 16;

}  // namespace

PlainFanout::PlainFanout() noexcept { ++wanted; }
PlainFanout::~PlainFanout() { --wanted; }

}  // namespace headroom::io

extern "C" __attribute__((visibility("default"))) int setsockopt(int descriptor, int level, int name, const void* value,
                                                                 socklen_t length) noexcept {
  unsigned fanout = 0;
  if (level == SOL_PACKET && name == PACKET_FANOUT && length == sizeof fanout && headroom::io::wanted != 0) {
    std::memcpy(&fanout, value, sizeof fanout);
    fanout &= ~headroom::io::kUnwanted;
    value = &fanout;
  }
  return static_cast<int>(syscall(SYS_setsockopt, descriptor, level, name, value, length));
}
