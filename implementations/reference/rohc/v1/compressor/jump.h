// SPDX-License-Identifier: Apache-2.0
//
// Headers for what follows silence: packets of an RTP flow whose TS has jumped while all else is as predicted, and
// which must carry SN, TS and marker only. Nearly all packets off the fast path are of this kind: one
// packet after each silence, and those behind it until no reference is left that lies before.
#pragma once

#include <optional>

#include "rohc/framework/wire/octets.h"
#include "rohc/v1/compressor/flow.h"
#include "rohc/v1/wire/packet_type.h"

namespace headroom::rohc {

// Appends the header to `out` that choose() and write_compressed() would come to, where that is UO-1, UO-1-TS, UOR-2 or
// UOR-2-TS without extension or with extension 0 (RFC 3095 5.7.3 to 5.7.5), and returns its type. Empty, and nothing
// has been written, where it is another one. REQUIRES: has_news() is false.
[[nodiscard]] std::optional<wire::PacketType> write_jump(const Flow& flow, const PacketFields& f,
                                                         wire::Writer& out) noexcept;

}  // namespace headroom::rohc
