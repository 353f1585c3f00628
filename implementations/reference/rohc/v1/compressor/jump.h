// SPDX-License-Identifier: Apache-2.0
//
// Headers for packets after silence: packets of an RTP flow whose TS has jumped while all other fields equal the
// prediction, and which must carry SN, TS and marker only. Nearly all packets off the fast path are of this kind: the
// first packet after each silence, and the packets after it until no reference from before the silence is left.
#pragma once

#include <optional>

#include "rohc/framework/wire/octets.h"
#include "rohc/v1/compressor/flow.h"
#include "rohc/v1/wire/packet_type.h"

namespace headroom::rohc {

// Appends the header that choose() and write_compressed() would produce and returns its type, if this is UO-1, UO-1-TS,
// UOR-2 or UOR-2-TS without extension or with extension 0 (RFC 3095 5.7.3 to 5.7.5). Otherwise returns nothing and
// writes nothing. REQUIRES: has_news() is false.
[[nodiscard]] std::optional<wire::PacketType> write_jump(const Flow& flow, const PacketFields& f,
                                                         wire::Writer& out) noexcept;

}  // namespace headroom::rohc
