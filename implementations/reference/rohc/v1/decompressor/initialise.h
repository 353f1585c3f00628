// SPDX-License-Identifier: Apache-2.0
//
// IR and IR-DYN packets: RFC 3095 5.7.7, 5.11.1, 5.12.1, RFC 3843 3.1 to 3.5, RFC 4019 5.2, RFC 4815 6.3.
#pragma once

#include <cstdint>
#include <optional>

#include "rohc/v1/decompressor/header.h"
#include "rohc/v1/wire/chain.h"

namespace headroom::rohc {

// The content of an IR or IR-DYN packet, chains included.
struct Initialisation {
  wire::ChainStatus status = wire::ChainStatus::kMalformed;
  ContextCopy after;           // the context as the packet leaves it
  bool has_static = false;     // IR
  bool has_dynamic = false;    // IR with D = 1, or IR-DYN
  bool keeps_dynamic = false;  // IR with D = 0 for headers that the context knows: the dynamic part stays
  bool marker = false;
  std::uint16_t udp_checksum = 0;
  std::optional<std::uint16_t> coverage;  // UDP-Lite Checksum Coverage
  wire::Mode mode = wire::Mode::kCancel;
  bool has_mode = false;
  std::size_t header_octets = 0;  // octets of the chains
};

// Reads the chains of an IR packet for `profile`. `before` is the context before the packet; fields that the packet
// does not carry keep their values, unless the context is new, that is unused or of another profile. `dynamic`: the D
// bit of the packet type octet.
[[nodiscard]] Initialisation read_ir(const ContextCopy& before, wire::Profile profile, bool dynamic,
                                     Octets chains) noexcept;

// Reads the dynamic chain of an IR-DYN packet. REQUIRES: the context has a static chain (of another profile than
// Uncompressed). `profile` may differ from the context's profile if its chain is a prefix of the context's chain
// (5.11.1, RFC 3843 3.5).
[[nodiscard]] Initialisation read_ir_dyn(const ContextCopy& before, wire::Profile profile, Octets chain) noexcept;

}  // namespace headroom::rohc
