// SPDX-License-Identifier: Apache-2.0
#include "wire/ends.h"

#include "io/rights.h"

namespace headroom::wire {
namespace {

constexpr unsigned kPoolFrames = 16'383;
constexpr std::size_t kBurst = 32;

bool same(const io::PortJob& one, const io::PortJob& other) {
  return one.name() == other.name() && one.driver == other.driver;
}

bool same(const EndsJob& one, const EndsJob& other) {
  return same(one.ports[0], other.ports[0]) && same(one.ports[1], other.ports[1]) && one.mtu == other.mtu &&
         one.core == other.core && one.wire.memory_mb == other.wire.memory_mb;
}

}  // namespace

Ends::Ends(const EndsJob& job)
    : job_(job),
      eal_(job_.wire, job_.ports, 1, job_.mtu, job_.core),
      pool_(eal_.make_pool("frames", kPoolFrames, job_.mtu)) {
  for (std::size_t i = 0; i < ports_.size(); ++i)
    ports_[i] = std::make_unique<io::Port>(eal_, job_.ports[i], i, std::uint16_t{1}, job_.mtu, pool_);
  io::give_up_rights(job_.ports);
}

void Ends::begin(const EndsJob& job) {
  if (!same(job, job_)) throw Error(ErrorKind::job, "ports, mtu, core and eal stay those of the first job.", "/ports");
  std::array<rte_mbuf*, kBurst> frames;
  for (const auto& port : ports_) {
    // Frames that arrive faster than they can be discarded are left for the port's counters.
    for (unsigned left = 2 * kPoolFrames / kBurst; left > 0; --left) {
      const std::uint16_t count = port->receive(0, frames);
      if (count == 0) break;
      rte_pktmbuf_free_bulk(frames.data(), count);
    }
    port->forget();
  }
}

io::EndReason Ends::supervise(const io::WireJob& job, const std::function<Json()>& snapshot,
                              const std::function<void(const std::atomic<bool>& stop)>& loop) const {
  return io::supervise_loop(job, signals_, std::array<const io::Port*, 2>{ports_[0].get(), ports_[1].get()}, snapshot,
                            loop);
}

}  // namespace headroom::wire
