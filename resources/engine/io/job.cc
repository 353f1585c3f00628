// SPDX-License-Identifier: Apache-2.0
#include "io/job.h"

#include <bit>
#include <fstream>

namespace headroom::io {
namespace {

constexpr std::size_t kLongestInterface = 15;  // IFNAMSIZ without its NUL
constexpr std::size_t kLongestPath = 107;      // unix(7): sun_path without its NUL
constexpr std::uint64_t kHighestDescriptor = 1 << 20;

// Frames that a ring shared with the kernel holds: some 80 ms at 100,000 packets a second. Small rings lose packets
// whenever the process is off its core.
constexpr unsigned kRingFrames = 8192;
constexpr unsigned kBlockOctets = 1u << 20;
// What packet(7) keeps in front of a frame in its ring, Ethernet's header, two VLAN tags.
constexpr unsigned kAroundMtu = 128 + 14 + 8;

// Free huge pages, in octets.
std::uint64_t free_huge_octets() {
  std::ifstream meminfo("/proc/meminfo");
  std::uint64_t pages = 0, size_kb = 0;
  for (std::string key; meminfo >> key;) {
    if (key == "HugePages_Free:") meminfo >> pages;
    if (key == "Hugepagesize:") meminfo >> size_kb;
  }
  return pages * size_kb * 1024;
}

// Words become part of DPDK's arguments, where a comma begins the next one.
std::string plain_word(const Value& value, std::size_t longest) {
  std::string word = value.text();
  if (word.empty() || word.size() > longest) value.fail("has 1 to " + std::to_string(longest) + " characters.");
  if (word.find_first_of(", \t\n/") != std::string::npos) value.fail("has neither commas, spaces nor slashes.");
  return word;
}

}  // namespace

PortJob read_port(const Value& value) {
  Object object(value);
  PortJob port;
  port.where = value.pointer();
  const auto interface = object.optional("interface"), pci = object.optional("pci"), vdev = object.optional("vdev");
  if (int{interface.has_value()} + int{pci.has_value()} + int{vdev.has_value()} != 1)
    value.fail("names one of interface, pci and vdev.");
  if (interface) port.interface = plain_word(*interface, kLongestInterface);
  if (pci) port.pci = plain_word(*pci, 16);
  if (vdev) {
    port.vdev = vdev->text();
    if (!port.vdev.starts_with("net_")) vdev->fail("begins with net_, as DPDK's names of network devices do.");
  }
  if (const auto driver = object.optional("driver")) {
    if (!interface) driver->fail("is for an interface of the kernel only.");
    port.driver = driver->choice({"af_packet", "af_xdp"}) == 1 ? PortJob::Driver::af_xdp : PortJob::Driver::af_packet;
  }
  object.finish();
  return port;
}

WireJob read_wire_job(Object& object) {
  WireJob job;
  bool automatic = true;
  if (const auto value = object.optional("eal")) {
    Object eal(*value);
    if (const auto huge = eal.optional("huge")) automatic = huge->choice({"auto", "never"}) == 0;
    job.memory_mb = static_cast<std::uint32_t>(eal.integer("memory_mb", 64, 65'536, job.memory_mb));
    eal.finish();
  }
  job.huge_pages = automatic && free_huge_octets() >= std::uint64_t{job.memory_mb} << 20;
  if (const auto control = object.optional("control"); control && !control->is_null()) {
    if (control->json().is_number()) {
      job.listening = static_cast<int>(control->integer(3, kHighestDescriptor));
    } else if (job.control = control->text(); job.control.empty() || job.control.size() > kLongestPath) {
      control->fail("is a path of 1 to " + std::to_string(kLongestPath) + " octets, the most that a socket takes.");
    }
  }
  if (const auto duration = object.optional("duration_s"); duration && !duration->is_null())
    job.duration_s = duration->number(0.001, 1e6);
  if (const auto idle = object.optional("idle"))
    job.idle = idle->choice({"poll", "sleep"}) == 1 ? Idle::sleep : Idle::poll;
  return job;
}

std::uint32_t frame_room(std::uint32_t mtu) { return std::bit_ceil(mtu + kAroundMtu); }

std::string device_argument(const PortJob& port, unsigned number, unsigned queues, std::uint32_t mtu) {
  if (!port.vdev.empty()) return port.vdev;
  if (port.interface.empty()) return {};
  const std::string n = std::to_string(number), q = std::to_string(queues);
  if (port.driver == PortJob::Driver::af_xdp)
    return "net_af_xdp" + n + ",iface=" + port.interface + ",start_queue=0,queue_count=" + q;
  return "net_af_packet" + n + ",iface=" + port.interface + ",qpairs=" + q +
         ",blocksz=" + std::to_string(kBlockOctets) + ",framesz=" + std::to_string(frame_room(mtu)) +
         ",framecnt=" + std::to_string(kRingFrames);
}

}  // namespace headroom::io
