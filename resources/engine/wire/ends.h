// SPDX-License-Identifier: Apache-2.0
//
// Ends is the two ends of a generator: its ports, which are opened once, for one job or for many.
#ifndef HEADROOM_WIRE_ENDS_H
#define HEADROOM_WIRE_ENDS_H

#include <array>
#include <cstdint>
#include <functional>
#include <memory>

#include "io/eal.h"
#include "io/job.h"
#include "io/port.h"
#include "io/supervisor.h"

namespace headroom::wire {

// The arguments with which the ports of a job are opened.
struct EndsJob {
  io::WireJob wire;
  std::array<io::PortJob, 2> ports;
  std::uint32_t mtu = 1500;
  unsigned core = 0;
};

class Ends {
 public:
  // Starts DPDK and opens both ports. Throws Error.
  explicit Ends(const EndsJob& job);

  // Discards the remains of earlier jobs: frames not yet received, and the ports' counters. Throws Error(job) if a job
  // needs other ports, another MTU, core or memory than those that are open.
  void begin(const EndsJob& job);

  // Runs the loop of a job in a thread of its own (io::supervise_loop).
  io::EndReason supervise(const io::WireJob& job, const std::function<Json()>& snapshot,
                          const std::function<void(const std::atomic<bool>& stop)>& loop) const;

  [[nodiscard]] io::Port& port(std::size_t index) noexcept { return *ports_[index]; }
  [[nodiscard]] rte_mempool* pool() const noexcept { return pool_; }
  [[nodiscard]] const io::StopSignals& signals() const noexcept { return signals_; }
  [[nodiscard]] Json statistics() const { return {ports_[0]->statistics(), ports_[1]->statistics()}; }

 private:
  EndsJob job_;  // what is open refers to it
  io::StopSignals signals_;
  io::Eal eal_;
  rte_mempool* pool_;
  std::array<std::unique_ptr<io::Port>, 2> ports_;
};

}  // namespace headroom::wire

#endif  // HEADROOM_WIRE_ENDS_H
