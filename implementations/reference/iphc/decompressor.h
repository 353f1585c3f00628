// SPDX-License-Identifier: Apache-2.0
//
// The decompressor of RFC 2507: contexts by CID, repair of TCP headers by the "twice" algorithm (10.1), and header
// requests (10.2).
#pragma once

#include <bitset>
#include <cstdint>
#include <vector>

#include "cxx/reverse_queue.h"
#include "headroom.h"
#include "iphc/config.h"
#include "iphc/contexts.h"
#include "iphc/wire/compressed_tcp.h"
#include "iphc/wire/context_state.h"

namespace headroom::iphc {

struct DecompressorCounters {
  std::uint64_t regular = 0, full = 0, tcp = 0, tcp_no_delta = 0, non_tcp = 0;  // packets passed on, by type
  std::uint64_t errors = 0;                                                     // reports of damaged frames
  std::uint64_t no_context = 0;      // compressed headers with a CID that no full header has established
  std::uint64_t obsolete = 0;        // non-TCP headers of another generation (section 9)
  std::uint64_t wrong_checksum = 0;  // dropped: the TCP checksum is wrong, and no repair helped
  std::uint64_t held = 0;            // packets held because they came too early (11.2)
  std::uint64_t late = 0;            // dropped: packets that came too late
  std::uint64_t repaired = 0;        // passed on with changes applied more than once
  std::uint64_t malformed = 0;
  std::uint64_t requests = 0;  // CIDs in CONTEXT_STATE packets
};

class Decompressor {
 public:
  explicit Decompressor(const Config& config);

  // Decompresses a packet of the type `in_type`. REQUIRES: p.channel < config.channels, the detail is nullptr or set to
  // "not known". Statuses: ERR_NO_CONTEXT without a context, ERR_CRC for a wrong TCP checksum and for a wrong IP
  // checksum in a full header, ERR_STATE for another generation, ERR_MALFORMED for any other invalid packet. A
  // malformed packet changes no context. The changes of a packet with a wrong TCP checksum are applied to its context,
  // as the compressor did.
  [[nodiscard]] std::int32_t decompress(headroom_packet& p, std::uint64_t now_ns, headroom_detail* detail);

  // "A decompressor which has been disconnected MIN_WRAP seconds or more must wait for the next full header before
  // decompressing" (3.3). Marks the non-TCP contexts as obsolete until their next full header.
  void link_was_down() noexcept;

  // Passes held packets on, as `drain` in headroom.h. With EXPECT_REORDERING a TCP packet that comes too early is held
  // (HEADROOM_NOTHING) until the packets before it have come, but at most for hold_ns; `more` is not 0 if held packets
  // may be ready.
  [[nodiscard]] std::size_t drain(headroom_packet* packets, std::size_t count, std::uint64_t now_ns,
                                  headroom_detail* details);
  [[nodiscard]] std::uint64_t next_deadline() const noexcept;

  // Returns CONTEXT_STATE packets for the compressor at the far end (take_reverse of the ABI).
  [[nodiscard]] std::size_t take_reverse(headroom_packet* packets, std::size_t count) noexcept {
    return reverse_.take(packets, count, HEADROOM_REVERSE_FAR);
  }

  [[nodiscard]] const DecompressorCounters& counters() const noexcept { return counters_; }
  [[nodiscard]] std::size_t contexts_in_use() const noexcept;
  [[nodiscard]] std::size_t memory_bytes() const noexcept;

 private:
  // A TCP packet that waits for a packet with a lower packet sequence number. The place is free if `octets` is empty.
  struct Held {
    std::vector<std::uint8_t> octets{};
    std::uint64_t since_ns = 0;
    std::uint16_t number = 0, type = 0;
    std::uint8_t cid = 0;
  };
  struct Link {
    ContextsByCid tcp, non_tcp;
    std::bitset<kMostTcpSpace + 1> wanted;  // CIDs to request
    std::uint64_t next_request_ns = 0;
    std::vector<Held> held;  // with EXPECT_REORDERING
  };

  // Decompresses a packet whose turn has come.
  std::int32_t take(Link& link, headroom_packet& p, std::uint64_t now_ns, headroom_detail* detail);
  // Decompresses or holds a TCP packet by its packet sequence number (EXPECT_REORDERING). Returns false if the packet
  // is no TCP packet or cannot be read.
  bool take_by_number(Link& link, headroom_packet& p, std::uint64_t now_ns, headroom_detail* detail);
  // Returns the held packet that is to be passed on next, or nullptr if none is ready.
  Held* next_held(Link& link, std::uint64_t now_ns) noexcept;
  std::int32_t pass_regular(headroom_packet& p, headroom_detail* detail) noexcept;
  // `late`: the packet is passed on without changing its context.
  std::int32_t take_full(Link& link, headroom_packet& p, headroom_detail* detail, bool late = false);
  std::int32_t take_tcp(Link& link, headroom_packet& p, std::uint64_t now_ns, headroom_detail* detail) noexcept;
  std::int32_t take_no_delta(Link& link, headroom_packet& p, std::uint64_t now_ns, headroom_detail* detail) noexcept;

  std::int32_t take_non_tcp(Link& link, headroom_packet& p, headroom_detail* detail) noexcept;

  [[nodiscard]] bool is_tcp_cid(std::uint32_t cid) const noexcept {
    return config_.compress_tcp && cid <= config_.tcp_space;
  }
  std::int32_t refuse(std::uint64_t& counter, std::int32_t status) noexcept {
    ++counter;
    return status;
  }
  // Refuses a packet whose context differs from the compressor's, and requests this context and other wanted contexts,
  // unless the last request was less than request_interval_ns ago.
  std::int32_t refuse_context(Link& link, const headroom_packet& p, std::uint8_t cid, std::uint64_t now_ns,
                              std::uint64_t& counter, std::int32_t status) noexcept;
  // Passes on the header in header_ with the packet's data, which begins after `compressed` octets.
  std::int32_t pass_on(headroom_packet& p, headroom_detail* detail, std::uint32_t cid, std::size_t compressed,
                       PacketType type) noexcept;

  Config config_;
  std::vector<Link> links_;  // by channel
  ReverseQueue<wire::kLongestContextState> reverse_;
  DecompressorCounters counters_;
  // The header that is being restored.
  wire::Chain chain_;
  std::array<std::uint8_t, kLongestMaxHeader> header_;
};

}  // namespace headroom::iphc
