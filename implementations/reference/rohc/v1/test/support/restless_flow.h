// SPDX-License-Identifier: Apache-2.0
//
// A flow with lists that change: extension headers, AH, GRE and CSRCs (RFC 3095 5.8).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "rohc/framework/test/support/random.h"
#include "rohc/v1/test/support/listed_flow.h"
#include "rohc/v1/test/support/packet_builder.h"

namespace headroom::rohc::test {

// One of listed_kinds(). UDP checksums are in every third, so that most headers get small.
[[nodiscard]] PacketSpec listed_packet(std::uint64_t number);

// A flow whose lists come, go, change places and contents. `unrest`: how probable that is before a packet.
class RestlessFlow {
 public:
  RestlessFlow(PacketSpec first, std::uint64_t seed, double unrest = 0.2)
      : flow_(std::move(first)), random_(seed), unrest_(unrest) {}

  [[nodiscard]] Packet next();

 private:
  void disturb();
  void alter_coverage();
  [[nodiscard]] ExtensionSpec drawn();
  void insert(std::vector<ExtensionSpec>& list);
  void alter(std::vector<ExtensionSpec>& list, bool inner);
  void alter_csrcs(std::vector<std::uint32_t>& list);

  ListedFlow flow_;
  Random random_;
  double unrest_;
};

}  // namespace headroom::rohc::test
