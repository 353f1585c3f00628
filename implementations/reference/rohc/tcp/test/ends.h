// SPDX-License-Identifier: Apache-2.0
//
// A compressor's and a decompressor's context with a link between them.
#pragma once

#include <optional>

#include "rohc/tcp/compressor/context.h"
#include "rohc/tcp/decompressor/context.h"
#include "rohc/tcp/test/packets.h"

namespace headroom::rohc::tcp::testing {

struct Ends {
  explicit Ends(const CompressorConfig& compressor = {}, const DecompressorConfig& decompressor = {},
                bool large_cids = false, std::uint32_t cid_number = 0, std::uint16_t msn = 0xfff0)
      : large(large_cids),
        cid(wire::make_cid_octets(large_cids, cid_number)),
        in(compressor, cid, large_cids, cid_number, msn),
        out(decompressor) {}

  // Empty if the packet cannot be compressed.
  Packet compress(const Packet& packet, const CompressorContext* base = nullptr) {
    Packet link(packet.size() + 512);
    last = in.compress(packet, link, base);
    link.resize(last.unfit == Unfit::kNone ? last.length : 0);
    return link;
  }
  LinkPacket link_packet(const Packet& link) const { return {link, cid.before_count, cid.after_count, large}; }
  Packet decompress(const Packet& link, const DecompressorContext* base = nullptr) {
    Packet packet(link.size() + 512);
    result = out.decompress(link_packet(link), packet, base);
    packet.resize(result.status == Status::kOk ? result.length : 0);
    return packet;
  }
  // Feedback that the decompressor has asked for, by its formats.
  void answer(DueFeedback due_feedback) {
    if (due_feedback == DueFeedback::kNone) return;
    Packet room(32);
    Writer writer(room);
    write_feedback(writer, {}, out.feedback_for(due_feedback), out.msn());
    if (const auto f = read_feedback(writer.written(), 0)) in.feedback(*f);
  }

  bool large;
  wire::CidOctets cid;
  CompressorContext in;
  DecompressorContext out;
  Compressed last;
  Decompressed result;
};

}  // namespace headroom::rohc::tcp::testing
