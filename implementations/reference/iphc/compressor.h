// SPDX-License-Identifier: Apache-2.0
//
// The compressor of RFC 2507. A packet is sent with its regular header, a full header or a compressed header
// (config.h).
#pragma once

#include <cstdint>
#include <vector>

#include "headroom.h"
#include "iphc/config.h"
#include "iphc/contexts.h"
#include "iphc/tcp_changes.h"

namespace headroom::iphc {

struct CompressorCounters {
  std::uint64_t regular = 0, full = 0, tcp = 0, tcp_no_delta = 0, non_tcp = 0;  // packets sent, by type
  std::uint64_t new_streams = 0;       // full headers of streams that did not have a CID
  std::uint64_t replaced_streams = 0;  // new streams whose CID had another stream
  std::uint64_t resynchronised = 0;    // full headers because TCP seems to repair a loss (3.2)
  std::uint64_t requested = 0;         // contexts that CONTEXT_STATE packets have made invalid (10.2)
  std::uint64_t wraps_avoided = 0;     // regular headers because a generation would be reused too soon (3.3)
  std::uint64_t bad_requests = 0;      // reverse packets that are no CONTEXT_STATE packet
};

class Compressor {
 public:
  explicit Compressor(const Config& config);

  // Compresses a packet: sets status, output octets, `out_type` and, unless it is nullptr, the detail. If the output
  // does not fit, no context changes. REQUIRES: p.channel < config.channels, p.in_length > 0, the detail is set to "not
  // known".
  [[nodiscard]] std::int32_t compress(headroom_packet& p, std::uint64_t now_ns, headroom_detail* detail);

  // "On receipt of a CONTEXT_STATE packet, the compressor MUST mark the CIDs invalid" (10.2). Returns the status of the
  // reverse packet: UNSUPPORTED for types of other protocols. REQUIRES: channel < config.channels.
  [[nodiscard]] std::int32_t take_context_state(std::uint32_t channel, wire::Octets packet) noexcept;

  [[nodiscard]] const CompressorCounters& counters() const noexcept { return counters_; }
  [[nodiscard]] std::size_t contexts_in_use() const noexcept;
  [[nodiscard]] std::size_t memory_bytes() const noexcept;

 private:
  // "The CID spaces for TCP and non-TCP are separate" (5.1). Streams with two length fields have CIDs of 16 bits if the
  // space has any; other streams have CIDs of 8 bits, because their full headers have no room for more (5.3).
  struct Link {
    ContextTable tcp, non_tcp, large;
  };

  // Sends a TCP packet of the stream with this CID. `same`: the result of same_unchanging() with the stream's context.
  std::int32_t continue_tcp(headroom_packet& p, headroom_detail* detail, Link& link, std::uint32_t cid,
                            const wire::Chain& chain, bool same) noexcept;
  std::int32_t send_regular(headroom_packet& p, headroom_detail* detail) noexcept;
  // Sends the packet with a full header, whose length fields `put` writes.
  template <typename Put>
  std::int32_t send_full(headroom_packet& p, headroom_detail* detail, CompressorContext& context, std::uint32_t cid,
                         const wire::Chain& chain, Put&& put) noexcept;
  std::int32_t send_full_tcp(headroom_packet& p, headroom_detail* detail, Link& link, std::uint32_t cid,
                             const wire::Chain& chain) noexcept;
  std::int32_t send_compressed_tcp(headroom_packet& p, headroom_detail* detail, Link& link, std::uint32_t cid,
                                   const wire::Chain& chain, const wire::Changes& changes) noexcept;
  std::int32_t send_no_delta(headroom_packet& p, headroom_detail* detail, Link& link, std::uint32_t cid,
                             const wire::Chain& chain) noexcept;
  std::int32_t compress_non_tcp(headroom_packet& p, std::uint64_t now_ns, headroom_detail* detail, Link& link,
                                const wire::Chain& chain);
  // Completes a packet whose header of `length` octets is at `header`, which is scratch_ or p.out.
  std::int32_t finish(headroom_packet& p, headroom_detail* detail, std::uint32_t cid, const wire::Chain& chain,
                      const std::uint8_t* header, std::size_t length, PacketType type) noexcept;

  Config config_;
  std::vector<Link> links_;  // by channel
  CompressorCounters counters_;
  std::uint64_t booted_at_ = CompressorContext::kNever;  // the time of the first packet
  // Room for the longest compressed header: the whole chain is RANDOM, and every change is present.
  std::array<std::uint8_t, kLongestMaxHeader + wire::kLongestFront + wire::kLongestChanges> scratch_;
};

}  // namespace headroom::iphc
