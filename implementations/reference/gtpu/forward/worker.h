// SPDX-License-Identifier: Apache-2.0
//
// Worker is one worker of a user plane. It implements `forward` and `take` of headroom_user_plane.h.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "gtpu/config.h"
#include "gtpu/forward/buffer.h"
#include "gtpu/forward/encapsulation.h"
#include "gtpu/forward/flow_inspection.h"
#include "gtpu/forward/flow_table.h"
#include "gtpu/forward/outbox.h"
#include "gtpu/forward/reassembly.h"
#include "gtpu/rules/rule_set.h"
#include "gtpu/sessions/sessions.h"
#include "gtpu/wire/gtpu.h"
#include "gtpu/wire/ip.h"
#include "headroom_user_plane.h"

namespace headroom::gtpu {

// The stages of `forward`, in order.
enum class Stage : std::uint8_t { parse, lookup, flow, dpi, rewrite };
inline constexpr std::string_view kStageNames[] = {"parse", "lookup", "flow", "dpi", "rewrite"};

struct WorkerCounters {
  std::array<std::uint64_t, 10> reasons{};  // packets with HEADROOM_NOTHING, by headroom_reason
  std::uint64_t forwarded = 0;
  std::uint64_t octets = 0;  // octets of forwarded users' packets
  std::uint64_t malformed = 0;
  std::uint64_t unsupported = 0;
  std::uint64_t flows_found = 0;
  std::uint64_t flows_inserted = 0;
};

class Worker {
 public:
  // `first`: this worker sends the packets that N4 wants sent to tunnels. `inspection`, or nullptr, is this worker's
  // flow inspection; it requires a flow table in the configuration. REQUIRES: `config` and `sessions` outlive the
  // worker.
  Worker(const Config& config, Sessions& sessions, bool first, std::unique_ptr<FlowInspection> inspection = nullptr);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Makes `forward` stop after `stage`. Packets that stop before Stage::rewrite are not sent.
  void end_behind(Stage stage) noexcept { until_ = stage; }
  // Makes `forward` skip parse_usual.
  void disable_fast_path() noexcept { has_fast_path_ = false; }

  void forward(headroom_user_packet* packets, std::size_t count, std::uint64_t now_ns);
  std::size_t take(headroom_user_packet* packets, std::size_t count, std::uint64_t now_ns);

  [[nodiscard]] const WorkerCounters& counters() const noexcept { return counters_; }
  // Returns the flow inspection, or nullptr if there is none.
  [[nodiscard]] const FlowInspection* inspection() const noexcept { return inspection_.get(); }
  [[nodiscard]] std::size_t memory_bytes() const noexcept;

 private:
  // The number of packets that pass through the stages together: while one waits for memory, others are processed.
  static constexpr std::size_t kChunk = 32;

  // Item is a packet on its way through the stages.
  struct Item {
    headroom_user_packet* packet;
    const std::uint8_t* inner;  // the user's packet
    std::uint32_t inner_length;
    bool done;   // True if the packet's status is known
    bool is_ip;  // True if `fields` has at least addresses and length
    Tunnel tunnel;
    std::uint64_t key;
    const SessionTable* table;
    const Session* session;
    const RuleSet* rules;
    const Match* match;
    const Action* action;
    bool drop;
    bool uninspected;    // True if the packet's flow is still to be inspected
    std::uint64_t flow;  // hash of flow_key
    FlowKey flow_key;
    PacketFields fields;
  };

  struct Local {
    std::uint32_t ipv4 = 0;  // 0: IPv6, or no address
    bool n3 = false;
    bool n9 = false;
  };

  template <bool kPartial>
  void forward_chunk(Item* items, std::size_t count, std::uint64_t now_ns);
  void parse(Item& item, std::uint64_t now_ns);
  // Parses the usual G-PDU over IPv4 on a fast path: no options, at most one PDU session container, and lengths that
  // equal the packet's. Returns false for any other packet, which parse_tunnel then parses.
  bool parse_usual(Item& item) const noexcept;
  void parse_tunnel(Item& item, std::uint64_t now_ns);
  void handle_message(Item& item, const Transport& transport, const Message& message, std::uint64_t now_ns);
  void forward_end_marker(Item& item, std::uint32_t teid);
  void find_session(Item& item, std::uint64_t now_ns);
  void find_match(Item& item);
  void inspect(const Item& item);
  static void fetch_lists(const Item& item) noexcept;
  static void fetch_counters(const Item& item) noexcept;
  // Applies gates, FARs, meters and quotas, and counts the packet.
  void apply(Item& item, std::uint64_t now_ns);
  // Changes the headers of a packet that is forwarded.
  void rewrite(Item& item);
  // Returns false if a quota is used up, unless the FAR for Quota Action, to which `action` is then set, says to
  // forward anyway.
  static bool within_quota(const Item& item, const Action*& action) noexcept;
  void count(const Item& item, std::uint64_t now_ns);
  void count(const Item& item, std::uint64_t now_ns, Usage& usage);
  // Counts a packet that a QER drops, for URRs that measure before QoS enforcement.
  void count_before_qos(const Item& item, std::uint64_t now_ns);
  void buffer(Item& item, std::uint64_t now_ns);
  void notify(const Item& item, std::uint64_t now_ns);
  void reassemble(Item& item, std::uint64_t now_ns);
  // Passes a kept packet through all stages. Packets to be sent go into the outbox.
  void forward_kept(std::span<const std::uint8_t> octets, std::int32_t side, std::uint64_t now_ns);
  // Takes packets whose rules have changed out of the buffer, and forwards as many as the outbox has room for.
  void release_buffered(std::uint64_t now_ns);
  void duplicate(const Item& item, const Action& action, const std::uint8_t* octets, std::uint32_t length);
  [[nodiscard]] static Container container_of(const Item& item) noexcept;
  void reply(const Item& item, const Transport& to, std::span<const std::uint8_t> message, std::uint16_t port);
  bool may_reply(std::uint64_t now_ns) noexcept;

  void finish(Item& item, std::int32_t status, std::uint16_t reason = HEADROOM_REASON_NONE) noexcept;
  // Return the index of the own address on this side, or kNone.
  [[nodiscard]] std::uint8_t place_of(std::uint32_t ipv4, std::int32_t side) const noexcept;
  [[nodiscard]] std::uint8_t place_of(const Transport& transport, std::int32_t side) const noexcept;

  const Config& config_;
  Sessions& sessions_;
  bool first_;
  bool has_fast_path_ = true;
  Stage until_ = Stage::rewrite;
  std::array<Local, LocalAddresses::kMost> locals_{};  // by index in LocalAddresses
  WorkerEpoch epoch_{};
  WorkerCounters counters_{};
  std::unique_ptr<FlowTable> flows_{};
  std::unique_ptr<FlowInspection> inspection_;
  Outbox outbox_{};
  Reassembly reassembly_{};
  PacketBuffer buffer_{};
  std::deque<PacketBuffer::Packet> released_{};
  std::uint64_t buffer_generation_ = 0;  // generation of the sessions when buffered packets were last checked
  std::uint64_t reply_free_at_ns_ = 0;   // rate limit for replies, by virtual scheduling
  std::vector<std::uint8_t> scratch_{};  // buffer of forward_kept
};

}  // namespace headroom::gtpu
