// SPDX-License-Identifier: Apache-2.0
//
// Flows with extension headers, CSRC lists and any number of IP headers.
#pragma once

#include <utility>
#include <vector>

#include "rohc/framework/wire/octets.h"
#include "rohc/v1/test/support/packet_builder.h"

namespace headroom::rohc::test {

// One packet after another of a flow that steps evenly.
class ListedFlow {
 public:
  explicit ListedFlow(PacketSpec first) : spec(std::move(first)) {}

  PacketSpec next() {
    ++spec.ip.id;
    if (spec.outer) ++spec.outer->id;
    for (IpFields& ip : spec.deeper) ++ip.id;
    if (spec.rtp) {
      ++spec.rtp->sn;
      spec.rtp->ts += 160;
    }
    if (spec.esp) ++spec.esp->sn;
    step_sequences(spec.extensions);
    step_sequences(spec.outer_extensions);
    return spec;
  }

  PacketSpec spec;

 private:
  void step_sequences(std::vector<ExtensionSpec>& list) {
    for (ExtensionSpec& e : list) {
      const bool gre = e.type == 47 && (e.octets[0] & 0x10) != 0;
      if (e.type != 51 && !gre) continue;
      std::uint8_t* p = e.octets.data() + (gre ? e.octets.size() - 4 : 8);
      wire::store32(p, wire::load32(p) + 1);
      if (e.type == 51) {
        for (std::size_t k = 12; k < e.octets.size(); ++k) e.octets[k] = static_cast<std::uint8_t>(salt_ += 37);
      } else if ((e.octets[0] & 0x80) != 0) {
        e.octets[4] = static_cast<std::uint8_t>(salt_ += 41);
      }
    }
  }
  std::uint8_t salt_ = 0;
};

// Sets the Sequence Number of an AH or GRE header that has one.
inline void set_sequence(ExtensionSpec& e, std::uint32_t value) {
  wire::store32(e.octets.data() + (e.type == 51 ? 8 : e.octets.size() - 4), value);
}

// What lists may be added to.
struct ListedKind {
  const char* name;
  PacketSpec spec;
};

inline std::vector<ListedKind> listed_kinds() {
  std::vector<ListedKind> all;
  for (const unsigned version : {4U, 6U}) {
    for (const bool tunnel : {false, true}) {
      PacketSpec ip = ip_packet(version);
      PacketSpec udp = udp_packet(version);
      PacketSpec rtp = rtp_packet(version);
      PacketSpec esp = ip_packet(version);
      esp.esp = EspFields{};
      PacketSpec lite = rtp_packet(version);
      lite.udp->lite = true;
      if (tunnel) ip.outer = udp.outer = rtp.outer = esp.outer = lite.outer = IpFields{};
      all.push_back({"IP", ip});
      all.push_back({"UDP", udp});
      all.push_back({"RTP", rtp});
      all.push_back({"ESP", esp});
      all.push_back({"RTP/UDP-Lite", lite});
    }
  }
  return all;
}

}  // namespace headroom::rohc::test
