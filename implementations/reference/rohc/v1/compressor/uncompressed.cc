// SPDX-License-Identifier: Apache-2.0
#include "rohc/v1/compressor/uncompressed.h"

#include "mutants.h"
#include "rohc/framework/wire/crc.h"

namespace headroom::rohc {

Uncompressed write_uncompressed(Flow flow, Octets packet, std::span<std::uint8_t> room) noexcept {
  wire::Writer out(room);
  // A Normal packet begins with the first octet of the IP packet, which must not look like a packet type of the
  // framework (5.10.2). What is not IP at all can still travel inside an IR packet.
  const unsigned version = packet[0] >> 4;
  const bool ir = flow.h.ir_left != 0 || (version != 4 && version != 6);
  flow.c.state = ir ? CompressorState::kIr : CompressorState::kSo;
  if (ir) {
    wire::write_first_octet(out, flow.c.cid_octets,
                            wire::kIrType | (mutant("uncompressed-ir-reserved-bit") ? 1U : 0U));  // res = 0
    out.octet(static_cast<std::uint8_t>(wire::Profile::kUncompressed));
    // "The CRC covers the first octet of the IR packet through the Profile octet" (5.10.1).
    out.octet(wire::crc8(out.written()));
    if (mutant("uncompressed-crc-covers-packet")) out.begin()[out.size() - 1] = wire::crc8(packet);
    out.octets(packet);
  } else {
    wire::write_first_octet(out, flow.c.cid_octets, packet[0]);
    out.octets(packet.subspan(1));
  }
  if (!out.ok()) return {};
  if (flow.h.ir_left != 0) --flow.h.ir_left;
  return {out.size(), ir ? wire::PacketType::kIr : wire::PacketType::kNormal};
}

}  // namespace headroom::rohc
