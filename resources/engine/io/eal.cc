// SPDX-License-Identifier: Apache-2.0
#include "io/eal.h"

#include <net/if.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_lcore.h>
#include <rte_mbuf.h>

#include <vector>

#include "base/process.h"
#include "io/fanout.h"

namespace headroom::io {
namespace {

constexpr unsigned kPoolCache = 256;  // frames that a thread keeps for itself

std::string reason(int error) { return rte_strerror(error); }

void refuse_missing_interface(const PortJob& port) {
  if (port.interface.empty() || if_nametoindex(port.interface.c_str()) != 0) return;
  throw Error(ErrorKind::input, "there is no interface " + port.interface + " here; see `ip link`.",
              port.where + "/interface");
}

}  // namespace

Eal::Eal(const WireJob& job, std::span<const PortJob> ports, unsigned queues, std::uint32_t mtu, unsigned core)
    : ports_(ports), memory_mb_(job.memory_mb) {
  // Core 0 of DPDK is the core that the job names.
  std::vector<std::string> words = {"headroom-engine", "--lcores=0@" + std::to_string(core), "--log-level=warning",
                                    "--no-telemetry"};
  // Either way DPDK keeps no files, so that processes can run side by side and leave nothing if they are killed.
  if (job.huge_pages)
    words.emplace_back("--in-memory");
  else
    words.insert(words.end(), {"--no-huge", "--no-shconf", "-m", std::to_string(job.memory_mb)});
  bool cards = false;
  unsigned number = 0;
  for (const PortJob& port : ports) {
    refuse_missing_interface(port);
    const std::string device = device_argument(port, number++, queues, mtu);
    words.push_back(device.empty() ? "--allow=" + port.pci : "--vdev=" + device);
    cards |= device.empty();
  }
  if (!cards) words.emplace_back("--no-pci");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  const PlainFanout fanout(ports);
  if (rte_eal_init(static_cast<int>(arguments.size()), arguments.data()) < 0) {
    throw Error(ErrorKind::input,
                "DPDK does not start: " + reason(rte_errno) +
                    ". What it says is on standard error; ports need root or CAP_NET_RAW, CAP_NET_ADMIN and "
                    "CAP_IPC_LOCK.");
  }
}

Eal::~Eal() { rte_eal_cleanup(); }

std::uint16_t Eal::port_id(std::size_t index) const {
  const PortJob& port = ports_[index];
  std::string device = device_argument(port, static_cast<unsigned>(index), 1, kSmallestMtu);
  device = device.empty() ? port.pci : device.substr(0, device.find(','));
  std::uint16_t id = 0;
  if (const int error = rte_eth_dev_get_port_by_name(device.c_str(), &id); error != 0) {
    throw Error(ErrorKind::input, "the port " + port.name() + " did not come up: " + reason(-error) + ".", port.where);
  }
  return id;
}

rte_mempool* Eal::make_pool(const std::string& name, unsigned frames, std::uint32_t mtu) const {
  // The driver of the kernel's rings wants room for a whole slot of them, whatever the frame.
  const auto room = static_cast<std::uint16_t>(RTE_PKTMBUF_HEADROOM + frame_room(mtu));
  rte_mempool* const pool =
      rte_pktmbuf_pool_create(name.c_str(), frames, kPoolCache, 0, room, static_cast<int>(rte_socket_id()));
  if (pool != nullptr) return pool;
  throw Error(ErrorKind::input,
              "the " + std::to_string(memory_mb_) + " MB of the job do not hold " + std::to_string(frames) +
                  " frames of " + std::to_string(room) + " octets: " + reason(rte_errno) + ".",
              "/eal/memory_mb");
}

WorkerThread::WorkerThread(unsigned core, const std::string& where) {
  pin_to_core(core, where);
  // EEXIST cannot be; with too many threads DPDK goes on without caches for this one.
  (void)rte_thread_register();
}

WorkerThread::~WorkerThread() { rte_thread_unregister(); }

}  // namespace headroom::io
