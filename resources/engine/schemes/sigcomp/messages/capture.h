// SPDX-License-Identifier: Apache-2.0
//
// The capture of a link that messages went over: Ethernet, IPv4 and UDP or TCP, port 5060 at both ends, as RFC 5049 has
// it, so that any decoder knows them. Endpoint a is at 10.0.0.0/8, with an address for each compartment, and b at
// 192.0.2.1; one interface for each direction. Times are those of the conversation. Where none passes between two
// packets, as on a link without delay, the second and all behind it are a millisecond later: readers see their order.
#ifndef HEADROOM_SCHEMES_SIGCOMP_MESSAGES_CAPTURE_H
#define HEADROOM_SCHEMES_SIGCOMP_MESSAGES_CAPTURE_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/octets.h"
#include "capture/writer.h"
#include "schemes/sigcomp/messages/job.h"

namespace headroom::sigcomp::messages {

inline constexpr std::uint16_t kPort = 5060;

class Capture {
 public:
  // Throws Error(output).
  Capture(const std::string& path, bool stream);

  // Octets as they left `from`, with a comment about what the link did to them. What does not fit into one IP packet is
  // cut into several, as TCP would; a datagram as long as that is left out, with a packet that says so.
  void write(Side from, std::uint32_t compartment, std::uint64_t time_ns, OctetView octets, const std::string& comment);
  void close() { file_.close(); }

 private:
  void write_packet(Side from, std::uint32_t compartment, std::uint64_t time_ns, OctetView octets,
                    const std::string& comment);

  PcapngWriter file_;
  std::uint32_t interfaces_[2];
  bool stream_;
  std::optional<std::uint64_t> last_ns_;  // of the packet before, by the clock of the conversation
  std::uint64_t set_apart_ns_ = 0;
  std::map<std::uint32_t, std::uint32_t> sent_[2];  // octets of each stream, by side
};

}  // namespace headroom::sigcomp::messages

#endif  // HEADROOM_SCHEMES_SIGCOMP_MESSAGES_CAPTURE_H
