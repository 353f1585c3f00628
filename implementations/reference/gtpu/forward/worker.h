// SPDX-License-Identifier: Apache-2.0
//
// One worker of a user plane: `forward` and `take` of headroom_user_plane.h.
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

// Stages of `forward`, in order.
enum class Stage : std::uint8_t { parse, lookup, flow, dpi, rewrite };
inline constexpr std::string_view kStageNames[] = {"parse", "lookup", "flow", "dpi", "rewrite"};

struct WorkerCounters {
  std::array<std::uint64_t, 10> reasons{};  // by headroom_reason, of packets with HEADROOM_NOTHING
  std::uint64_t forwarded = 0;
  std::uint64_t octets = 0;  // of users' packets that were forwarded
  std::uint64_t malformed = 0;
  std::uint64_t unsupported = 0;
  std::uint64_t flows_found = 0;
  std::uint64_t flows_inserted = 0;
};

class Worker {
 public:
  // REQUIRES: `config` and `sessions` outlive the worker. `first`: it sends what N4 has to send to tunnels.
  // `inspection`, or nullptr: of this worker; the configuration has a flow table then.
  Worker(const Config& config, Sessions& sessions, bool first, std::unique_ptr<FlowInspection> inspection = nullptr);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Has `forward` end behind a stage, of packets of which nothing is sent then.
  void end_behind(Stage stage) noexcept { until_ = stage; }
  // Leaves parse_usual out.
  void disable_fast_path() noexcept { has_fast_path_ = false; }

  void forward(headroom_user_packet* packets, std::size_t count, std::uint64_t now_ns);
  std::size_t take(headroom_user_packet* packets, std::size_t count, std::uint64_t now_ns);

  [[nodiscard]] const WorkerCounters& counters() const noexcept { return counters_; }
  // nullptr where nothing is inspected.
  [[nodiscard]] const FlowInspection* inspection() const noexcept { return inspection_.get(); }
  [[nodiscard]] std::size_t memory_bytes() const noexcept;

 private:
  // Packets that go through the stages together: while one waits for memory, others are worked on.
  static constexpr std::size_t kChunk = 32;

  // Item is one packet on its way through the stages.
  struct Item {
    headroom_user_packet* packet;
    const std::uint8_t* inner;  // the user's packet
    std::uint32_t inner_length;
    bool done;   // its status is known
    bool is_ip;  // `fields` has at least addresses and length
    Tunnel tunnel;
    std::uint64_t key;
    const SessionTable* table;
    const Session* session;
    const RuleSet* rules;
    const Match* match;
    const Action* action;
    bool drop;
    bool uninspected;    // its flow is to be inspected
    std::uint64_t flow;  // hash
    FlowKey flow_key;
    PacketFields fields;
  };

  struct Local {
    std::uint32_t ipv4 = 0;  // 0: IPv6, or none
    bool n3 = false;
    bool n9 = false;
  };

  template <bool kPartial>
  void forward_chunk(Item* items, std::size_t count, std::uint64_t now_ns);
  void parse(Item& item, std::uint64_t now_ns);
  // Reads the usual G-PDU over IPv4 without another look: no options, one PDU session container or none, no other
  // lengths than the packet has. False where it is another one, of which parse_tunnel makes what is right.
  bool parse_usual(Item& item) const noexcept;
  void parse_tunnel(Item& item, std::uint64_t now_ns);
  void handle_message(Item& item, const Transport& transport, const Message& message, std::uint64_t now_ns);
  void forward_end_marker(Item& item, std::uint32_t teid);
  void find_session(Item& item, std::uint64_t now_ns);
  void find_match(Item& item);
  void inspect(const Item& item);
  static void fetch_lists(const Item& item) noexcept;
  static void fetch_counters(const Item& item) noexcept;
  // Obeys gates, FARs, meters and quotas, and counts.
  void apply(Item& item, std::uint64_t now_ns);
  // Changes headers, of a packet that goes on.
  void rewrite(Item& item);
  // False where a quota is used up and no FAR for Quota Action, which becomes `action`, says to forward all the same.
  static bool within_quota(const Item& item, const Action*& action) noexcept;
  void count(const Item& item, std::uint64_t now_ns);
  void count(const Item& item, std::uint64_t now_ns, Usage& usage);
  // Counts a packet that a QER drops for those URRs that measure before QoS enforcement.
  void count_before_qos(const Item& item, std::uint64_t now_ns);
  void buffer(Item& item, std::uint64_t now_ns);
  void notify(const Item& item, std::uint64_t now_ns);
  void reassemble(Item& item, std::uint64_t now_ns);
  // Sends a kept packet through all stages; what is to be sent goes into the outbox.
  void forward_kept(std::span<const std::uint8_t> octets, std::int32_t side, std::uint64_t now_ns);
  // Takes packets out of the buffer whose rules have changed, and forwards as many as the outbox has room for.
  void release_buffered(std::uint64_t now_ns);
  void duplicate(const Item& item, const Action& action, const std::uint8_t* octets, std::uint32_t length);
  [[nodiscard]] static Container container_of(const Item& item) noexcept;
  void reply(const Item& item, const Transport& to, std::span<const std::uint8_t> message, std::uint16_t port);
  bool may_reply(std::uint64_t now_ns) noexcept;

  void finish(Item& item, std::int32_t status, std::uint16_t reason = HEADROOM_REASON_NONE) noexcept;
  // The place of an own address of that side, or kNone.
  [[nodiscard]] std::uint8_t place_of(std::uint32_t ipv4, std::int32_t side) const noexcept;
  [[nodiscard]] std::uint8_t place_of(const Transport& transport, std::int32_t side) const noexcept;

  const Config& config_;
  Sessions& sessions_;
  bool first_;
  bool has_fast_path_ = true;
  Stage until_ = Stage::rewrite;
  std::array<Local, LocalAddresses::kMost> locals_{};  // by the place in LocalAddresses
  WorkerEpoch epoch_{};
  WorkerCounters counters_{};
  std::unique_ptr<FlowTable> flows_{};
  std::unique_ptr<FlowInspection> inspection_;
  Outbox outbox_{};
  Reassembly reassembly_{};
  PacketBuffer buffer_{};
  std::deque<PacketBuffer::Packet> released_{};
  std::uint64_t buffer_generation_ = 0;  // of the sessions when buffered packets were looked at last
  std::uint64_t reply_free_at_ns_ = 0;   // rate limit of replies, by virtual scheduling
  std::vector<std::uint8_t> scratch_{};  // of forward_kept
};

}  // namespace headroom::gtpu
