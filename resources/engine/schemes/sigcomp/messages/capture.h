// SPDX-License-Identifier: Apache-2.0
//
// Capture writes the messages on a link as Ethernet, IPv4 and UDP or TCP, with port 5060 at both ends, as in RFC 5049,
// so that any decoder recognises them. Endpoint a is at 10.0.0.0/8, with an address for each compartment, and b at
// 192.0.2.1; each direction has an interface. Times are those of the conversation; if two packets have the same time,
// as on a link without delay, the second one and all later ones are a millisecond later, so that readers see their
// order.
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

  // Writes octets as they left `from`, with a comment about the link's effect on them. Octets that do not fit into one
  // IP packet are cut into several, as TCP does; a datagram that long is left out, with a packet that says so.
  void write(Side from, std::uint32_t compartment, std::uint64_t time_ns, OctetView octets, const std::string& comment);
  Json close() { return file_.close(); }

 private:
  void write_packet(Side from, std::uint32_t compartment, std::uint64_t time_ns, OctetView octets,
                    const std::string& comment);

  PcapngWriter file_;
  std::uint32_t interfaces_[2];
  bool stream_;
  std::optional<std::uint64_t> last_ns_;  // time of the previous packet, by the clock of the conversation
  std::uint64_t set_apart_ns_ = 0;
  std::map<std::uint32_t, std::uint32_t> sent_[2];  // octets sent in each stream, by side
};

}  // namespace headroom::sigcomp::messages

#endif  // HEADROOM_SCHEMES_SIGCOMP_MESSAGES_CAPTURE_H
