// SPDX-License-Identifier: Apache-2.0
#include "io/fanout.h"

#include <linux/if_packet.h>
#include <net/if.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstring>

namespace headroom::io {
namespace {

std::atomic<const PlainFanout*> current = nullptr;
std::span<const PortJob> ports_of_current;

struct RingSocket {
  unsigned interface = 0;
  int descriptor = -1;
};
std::vector<RingSocket> sockets_with_rings;  // of this process, written while DPDK starts

// The flags stand in the upper half of the option's value, the mode in its lower octet.
constexpr unsigned kUnwanted = unsigned{PACKET_FANOUT_FLAG_DEFRAG | PACKET_FANOUT_FLAG_ROLLOVER} << 16;
constexpr unsigned kModeAt = 16, kMode = 0xFFu << kModeAt;

int set_option(int descriptor, int level, int name, const void* value, socklen_t length) noexcept {
  return static_cast<int>(syscall(SYS_setsockopt, descriptor, level, name, value, length));
}

// The interface that a socket is bound to; 0 if it is bound to none.
unsigned interface_of(int descriptor) noexcept {
  sockaddr_ll bound{};
  socklen_t length = sizeof bound;
  if (getsockname(descriptor, reinterpret_cast<sockaddr*>(&bound), &length) != 0) return 0;
  return static_cast<unsigned>(bound.sll_ifindex);
}

// The program of a port; empty if it has none.
std::span<const sock_filter> filter_of(unsigned interface) noexcept {
  for (const PortJob& port : ports_of_current) {
    if (!port.queue_filter.empty() && if_nametoindex(port.interface.c_str()) == interface) return port.queue_filter;
  }
  return {};
}

int set_fanout(int descriptor, unsigned fanout) noexcept {
  fanout &= ~kUnwanted;
  const unsigned interface = interface_of(descriptor);
  sockets_with_rings.push_back({interface, descriptor});
  const std::span<const sock_filter> filter = filter_of(interface);
  if (filter.empty()) return set_option(descriptor, SOL_PACKET, PACKET_FANOUT, &fanout, sizeof fanout);
  fanout = (fanout & ~kMode) | unsigned{PACKET_FANOUT_CBPF} << kModeAt;
  const int result = set_option(descriptor, SOL_PACKET, PACKET_FANOUT, &fanout, sizeof fanout);
  if (result != 0) return result;
  const sock_fprog program = {static_cast<unsigned short>(filter.size()), const_cast<sock_filter*>(filter.data())};
  return set_option(descriptor, SOL_PACKET, PACKET_FANOUT_DATA, &program, sizeof program);
}

}  // namespace

PlainFanout::PlainFanout(std::span<const PortJob> ports) noexcept {
  ports_of_current = ports;
  current = this;
}
PlainFanout::~PlainFanout() { current = nullptr; }

RingDrops::RingDrops(const std::string& interface) {
  const unsigned index = interface.empty() ? 0 : if_nametoindex(interface.c_str());
  if (index == 0) return;
  for (const RingSocket& one : sockets_with_rings) {
    if (one.interface == index) sockets_.push_back(one.descriptor);
  }
}

std::uint64_t RingDrops::count() const noexcept {
  const std::lock_guard lock(mutex_);
  for (const int descriptor : sockets_) {
    tpacket_stats stats{};
    socklen_t length = sizeof stats;
    if (getsockopt(descriptor, SOL_PACKET, PACKET_STATISTICS, &stats, &length) == 0) drops_ += stats.tp_drops;
  }
  return drops_;
}

void RingDrops::forget() noexcept {
  (void)count();
  const std::lock_guard lock(mutex_);
  drops_ = 0;
}

}  // namespace headroom::io

extern "C" __attribute__((visibility("default"))) int setsockopt(int descriptor, int level, int name, const void* value,
                                                                 socklen_t length) noexcept {
  unsigned fanout = 0;
  if (level == SOL_PACKET && name == PACKET_FANOUT && length == sizeof fanout &&
      headroom::io::current.load() != nullptr) {
    std::memcpy(&fanout, value, sizeof fanout);
    return headroom::io::set_fanout(descriptor, fanout);
  }
  return headroom::io::set_option(descriptor, level, name, value, length);
}
