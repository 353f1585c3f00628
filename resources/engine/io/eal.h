// SPDX-License-Identifier: Apache-2.0
//
// DPDK's environment: memory for packets, devices, threads. One for a process; DPDK can neither be started twice nor
// share a process with another.
#ifndef HEADROOM_IO_EAL_H
#define HEADROOM_IO_EAL_H

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "io/job.h"

struct rte_mempool;

namespace headroom::io {

class Eal {
 public:
  // Starts DPDK with the devices of `ports` on core `core`, without huge pages if the job says so. Throws Error(input)
  // with DPDK's message if it cannot.
  Eal(const WireJob& job, std::span<const PortJob> ports, unsigned queues, std::uint32_t mtu, unsigned core);
  ~Eal();
  Eal(const Eal&) = delete;
  Eal& operator=(const Eal&) = delete;

  // DPDK's number of the port that stands at `index` of `ports`. Throws Error(input) when it has not come up.
  [[nodiscard]] std::uint16_t port_id(std::size_t index) const;

  // Room for `frames` frames of `mtu`. Throws Error(input) when the memory of the job does not suffice. Lives as long
  // as the environment.
  [[nodiscard]] rte_mempool* make_pool(const std::string& name, unsigned frames, std::uint32_t mtu) const;

 private:
  std::span<const PortJob> ports_;
  std::uint32_t memory_mb_;
};

// Binds the calling thread to `core` and tells DPDK of it, so that it has caches of its own; undone at the end of the
// scope. Throws Error(job) at `where`.
class WorkerThread {
 public:
  WorkerThread(unsigned core, const std::string& where);
  ~WorkerThread();
  WorkerThread(const WorkerThread&) = delete;
  WorkerThread& operator=(const WorkerThread&) = delete;
};

}  // namespace headroom::io

#endif  // HEADROOM_IO_EAL_H
