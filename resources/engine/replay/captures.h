// SPDX-License-Identifier: Apache-2.0
//
// The captures that a replay leaves behind: what went in, what was on the link, what came out. That of the link has one
// interface for each direction; the others have one in all, because libpcap 1.10 does not read two of raw IP, and say
// "reverse" in a comment. Those have raw IP, or frames of Ethernet where the scheme carries packets of many types.
#ifndef HEADROOM_REPLAY_CAPTURES_H
#define HEADROOM_REPLAY_CAPTURES_H

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "capture/writer.h"
#include "link/link.h"
#include "replay/job.h"

namespace headroom::replay {

class Captures {
 public:
  explicit Captures(const Job& job);

  // `type`: of the link layer (headroom.h, "Types").
  void source(bool reverse, std::uint64_t time_ns, std::uint16_t type, OctetView octets);
  // True if packets on the link are captured.
  [[nodiscard]] bool has_link() const noexcept { return link_.has_value(); }
  // A packet as it left its sender, with a comment about what the link did to it.
  void link(bool reverse, std::uint64_t time_ns, const LinkPacket& packet, const std::string& comment);
  void decompressed(bool reverse, std::uint64_t time_ns, std::uint16_t type, OctetView octets);
  // Closes the files. Returns what was written to each, by its key in `outputs` of the job.
  Json close();

 private:
  void write_packet(std::optional<PcapngWriter>& file, bool reverse, std::uint64_t time_ns, std::uint16_t type,
                    OctetView octets);

  bool has_ether_types_;  // of the packets in front of the compressor and after the decompressor
  std::optional<PcapngWriter> source_, link_, decompressed_;
  std::array<std::uint32_t, 2> link_interfaces_{};
  std::array<LinkFormat, 2> formats_;
};

}  // namespace headroom::replay

#endif  // HEADROOM_REPLAY_CAPTURES_H
