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
  std::uint64_t regular = 0, full = 0, tcp = 0, tcp_no_delta = 0, non_tcp = 0;  // passed on, by type
  std::uint64_t errors = 0;                                                     // reports of damaged frames
  std::uint64_t no_context = 0;      // compressed headers of a CID that no full header has named
  std::uint64_t obsolete = 0;        // non-TCP headers of another generation (section 9)
  std::uint64_t wrong_checksum = 0;  // dropped: the TCP checksum is wrong, and no repair helped
  std::uint64_t held = 0;            // packets that came too early (11.2)
  std::uint64_t late = 0;            // dropped: their turn was over
  std::uint64_t repaired = 0;        // passed on with changes applied more than once
  std::uint64_t malformed = 0;
  std::uint64_t requests = 0;  // CIDs in CONTEXT_STATE packets
};

class Decompressor {
 public:
  explicit Decompressor(const Config& config);

  // Decompresses one packet of the type `in_type`. REQUIRES: p.channel < config.channels, the detail is nullptr or set
  // to "not known". Statuses: ERR_NO_CONTEXT without a context, ERR_CRC for a wrong TCP checksum and for a wrong IP
  // checksum in a full header, ERR_STATE for another generation, ERR_MALFORMED for all else that cannot be. A packet
  // that is malformed leaves the contexts as they were; one with a wrong TCP checksum has its changes applied, as the
  // compressor has applied them.
  [[nodiscard]] std::int32_t decompress(headroom_packet& p, std::uint64_t now_ns, headroom_detail* detail);

  // "A decompressor which has been disconnected MIN_WRAP seconds or more must wait for the next full header before
  // decompressing" (3.3): non-TCP contexts wait.
  void link_was_down() noexcept;

  // With EXPECT_REORDERING a TCP packet that comes too early is held (HEADROOM_NOTHING) until those in front of it have
  // come, or for hold_ns; `more` is not 0 where held packets may go on. The calling conventions of the ABI.
  [[nodiscard]] std::size_t drain(headroom_packet* packets, std::size_t count, std::uint64_t now_ns,
                                  headroom_detail* details);
  [[nodiscard]] std::uint64_t next_deadline() const noexcept;

  // CONTEXT_STATE packets for the compressor at the far end (take_reverse of the ABI).
  [[nodiscard]] std::size_t take_reverse(headroom_packet* packets, std::size_t count) noexcept {
    return reverse_.take(packets, count, HEADROOM_REVERSE_FAR);
  }

  [[nodiscard]] const DecompressorCounters& counters() const noexcept { return counters_; }
  [[nodiscard]] std::size_t contexts_in_use() const noexcept;
  [[nodiscard]] std::size_t memory_bytes() const noexcept;

 private:
  // A TCP packet that waits for one with a lower packet sequence number. No octets: the place is free.
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

  // A packet in its turn.
  std::int32_t take(Link& link, headroom_packet& p, std::uint64_t now_ns, headroom_detail* detail);
  // The same with EXPECT_REORDERING: a TCP packet waits for its turn. False: it is none, or cannot be read.
  bool take_by_number(Link& link, headroom_packet& p, std::uint64_t now_ns, headroom_detail* detail);
  // The held packet that is to go on next; nullptr: none yet.
  Held* next_held(Link& link, std::uint64_t now_ns) noexcept;
  std::int32_t pass_regular(headroom_packet& p, headroom_detail* detail) noexcept;
  // `late`: the packet comes out, and its context stays.
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
  // A packet has shown that a context is not what the compressor has: requests it, and those that wait, unless the last
  // request was a short while ago.
  std::int32_t refuse_context(Link& link, const headroom_packet& p, std::uint8_t cid, std::uint64_t now_ns,
                              std::uint64_t& counter, std::int32_t status) noexcept;
  // Passes on the header in header_ with the data of the packet behind `compressed` octets.
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
