// SPDX-License-Identifier: Apache-2.0
//
// Chooses the form of a packet's TCP header: the decisions of RFC 1144, 3.2.3, as changed by RFC 2507, 6 and 7.12.
#pragma once

#include <cstdint>

#include "iphc/contexts.h"
#include "iphc/wire/compressed_tcp.h"

namespace headroom::iphc {

enum class TcpForm : std::uint8_t {
  compressed,  // COMPRESSED_TCP, with the changes
  no_delta,    // COMPRESSED_TCP_NODELTA suffices: "changes that cannot be represented by a compressed header" (7.12.2)
  full,        // FULL_HEADER
  repair,      // FULL_HEADER, because TCP seems to retransmit (3.2); NODELTA "must not be sent" then (3.1)
};

// True if a packet may have a context: "If any of the TCP control bits SYN, FIN or RST are set or if the ACK bit is
// clear, consider the packet uncompressible" (RFC 1144, 3.2.3). REQUIRES: chain.has_tcp().
[[nodiscard]] bool has_compressible_flags(const wire::Chain& chain, const std::uint8_t* packet) noexcept;

// Returns the form of a packet of `total` octets relative to its stream's context, and sets `changes`. REQUIRES: both
// chains have TCP, and same_unchanging() is true.
[[nodiscard]] TcpForm tcp_form(const Context& context, const wire::Chain& chain, const std::uint8_t* packet,
                               std::size_t total, wire::Changes& changes) noexcept;

}  // namespace headroom::iphc
