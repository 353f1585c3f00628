// SPDX-License-Identifier: Apache-2.0
//
// DPDK's environment: memory for packets, devices, threads. A process has one; DPDK can neither be started twice nor
// share a process with another user of DPDK.
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
  // with DPDK's message if DPDK does not start.
  Eal(const WireJob& job, std::span<const PortJob> ports, unsigned queues, std::uint32_t mtu, unsigned core);
  ~Eal();
  Eal(const Eal&) = delete;
  Eal& operator=(const Eal&) = delete;

  // Returns DPDK's number of the port with this index in `ports`. Throws Error(input) if the port has not come up.
  [[nodiscard]] std::uint16_t port_id(std::size_t index) const;

  // Returns a pool for `frames` frames of `mtu`, which lives as long as the environment. Throws Error(input) if the
  // job's memory does not suffice.
  [[nodiscard]] rte_mempool* make_pool(const std::string& name, unsigned frames, std::uint32_t mtu) const;

 private:
  std::span<const PortJob> ports_;
  std::uint32_t memory_mb_;
};

// Binds the calling thread to `core` and registers it with DPDK, so that it has caches of its own, until the end of the
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
