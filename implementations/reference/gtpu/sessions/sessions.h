// SPDX-License-Identifier: Apache-2.0
//
// Sessions holds all sessions of a user plane, found by uplink TEID and UE address.
//
// N4 and workers use Sessions concurrently. N4 (one thread at a time) calls the functions under "By N4"; each worker
// calls the functions under "By workers", between `enter` and `leave` of its WorkerEpoch. Objects that N4 removes are
// freed when no worker can read them any more: when each worker has left or entered again since the removal. A worker
// that makes no calls delays nothing.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_set>
#include <vector>

#include "gtpu/rules/rules.h"
#include "gtpu/sessions/block_pool.h"
#include "gtpu/sessions/events.h"
#include "gtpu/sessions/session.h"
#include "gtpu/sessions/session_table.h"

namespace headroom::gtpu {

// WorkerEpoch is the state of a worker that N4 reads.
class WorkerEpoch {
 public:
  EventRing events{};

 private:
  friend class Sessions;
  static constexpr std::uint64_t kOutside = ~std::uint64_t{0};
  alignas(64) std::atomic<std::uint64_t> entered_{kOutside};
};

class Sessions {
 public:
  // REQUIRES: max_sessions > 0.
  Sessions(LocalAddresses addresses, std::uint32_t max_sessions);
  ~Sessions();
  Sessions(const Sessions&) = delete;
  Sessions& operator=(const Sessions&) = delete;

  [[nodiscard]] const LocalAddresses& addresses() const noexcept { return addresses_; }
  [[nodiscard]] std::uint32_t max_sessions() const noexcept { return max_sessions_; }

  // ---- By N4

  // Makes a session. Returns nullptr and fills `refusal` if the rules are refused; nothing has changed then.
  Session* create(Rules rules, Refusal& refusal);
  // Replaces the session's rules by `rules`. Returns false and fills `refusal` if the rules are refused; nothing has
  // changed then. Usages and meters of rules that keep their IDs are kept.
  bool replace(Session& session, Rules rules, Refusal& refusal);
  void remove(Session& session);

  // Returns the session with this SEID, or nullptr. Workers may call it, too.
  [[nodiscard]] Session* find(std::uint64_t seid) const noexcept;
  [[nodiscard]] static const Rules& rules_of(const Session& session) noexcept;
  // Returns the counters of a URR of the session, or nullptr. Valid until the URR is removed.
  [[nodiscard]] static Usage* usage_of(const Session& session, std::uint32_t urr) noexcept;
  [[nodiscard]] std::uint32_t count() const noexcept { return count_.load(std::memory_order_relaxed); }
  // Calls `each(Session&)` for every session. `each` may remove that session.
  template <typename Each>
  void for_each(Each&& each) {
    for (std::uint32_t i = 0; i < slots_.size(); ++i) {
      if (Session* const session = slots_[i].session.load(std::memory_order_relaxed)) each(*session);
    }
  }

  // Returns a TEID that no session has and that was not chosen before (F-TEID with CHOOSE), or 0 if there is none. The
  // TEID stays in use until its session or its PDRs are removed, or, if the request fails, until `release_teid`.
  [[nodiscard]] std::uint32_t choose_teid();
  void release_teid(std::uint32_t teid);

  // Queues an End Marker to the tunnel endpoint of `old` (SNDEM). `take` of the first worker returns it.
  void send_end_marker(const Forwarding& old);

  // Removes the next event of any worker and sets `event`. Returns false if there is none.
  bool next_event(Event& event) noexcept;

  // Frees removed objects that no worker can read any more. `create`, `replace` and `remove` do so themselves.
  void collect();

  // ---- By workers; REQUIRES: they are added and removed beside no other call.
  void add_worker(WorkerEpoch& worker);
  void remove_worker(WorkerEpoch& worker);
  void enter(WorkerEpoch& worker) const noexcept {
    // The exchange is also the barrier between announcing the epoch and reading the tables.
    worker.entered_.exchange(epoch_.load(std::memory_order_acquire), std::memory_order_seq_cst);
  }
  static void leave(WorkerEpoch& worker) noexcept {
    worker.entered_.store(WorkerEpoch::kOutside, std::memory_order_release);
  }
  // The tables from keys to sessions. `address` is the index of the outer destination address in LocalAddresses.
  [[nodiscard]] const SessionTable& by_teid() const noexcept { return by_teid_; }
  [[nodiscard]] const SessionTable& by_ipv4() const noexcept { return by_ipv4_; }
  [[nodiscard]] const SessionTable& by_ipv6() const noexcept { return by_ipv6_; }
  [[nodiscard]] const SessionTable& by_peer() const noexcept { return by_peer_; }
  [[nodiscard]] static std::uint64_t teid_key(std::uint8_t address, std::uint32_t teid) noexcept {
    return static_cast<std::uint64_t>(address) << 32 | teid;
  }
  // Returns the key of a peer's tunnel endpoint, for Error Indications.
  [[nodiscard]] static std::uint64_t peer_key(const Address& peer, std::uint32_t teid) noexcept;
  // Returns a number that changes with every change of any rules: buffered packets are then checked again.
  [[nodiscard]] std::uint64_t generation() const noexcept { return generation_.load(std::memory_order_acquire); }
  // Removes the next packet that N4 wants sent and copies it into `room`, for `take` of the first worker. Returns its
  // length in octets, or 0 if there is none.
  std::size_t take_packet(std::uint8_t* room, std::int32_t& side) noexcept;

 private:
  struct Keys;
  struct Slot {
    std::atomic<Session*> session{nullptr};  // owned
    std::uint32_t uses = 0;
  };
  struct Retired {
    std::uint64_t epoch;
    std::unique_ptr<const RuleSet> rules;
    Session* session;                          // removed session, or nullptr
    std::unique_ptr<void, FreeMemory> memory;  // replaced array of a table, or nullptr
  };
  struct EndMarker {
    std::array<std::uint8_t, 64> octets{};
    std::uint8_t length = 0;
    std::int32_t side = 0;
  };
  static constexpr std::uint32_t kEndMarkers = 1024;

  [[nodiscard]] Keys keys_of(const Rules& rules) const;
  // Inserts the keys that are not among `held`. Returns false, with nothing inserted, if another session has one of the
  // keys.
  bool insert_keys(const Keys& keys, const Keys& held, Session& session, Refusal& refusal);
  void erase_keys(const Keys& keys, const Keys& kept, const Session& session);
  void retire(const RuleSet* rules, Session* session, std::unique_ptr<void, FreeMemory> memory = nullptr);
  void destroy(Session* session);

  LocalAddresses addresses_;
  std::uint32_t max_sessions_;
  SessionTable by_teid_;
  SessionTable by_ipv4_;
  SessionTable by_ipv6_;
  SessionTable by_peer_;
  BlockPool pool_{};
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
  std::atomic<std::uint32_t> count_{0};
  std::uint32_t next_teid_ = 1;
  std::unordered_set<std::uint32_t> chosen_{};  // chosen TEIDs that are not in rules yet
  std::vector<WorkerEpoch*> workers_{};
  std::size_t next_worker_ = 0;  // index of the worker whose events are read next
  std::deque<Retired> retired_{};
  alignas(64) std::atomic<std::uint64_t> epoch_{1};
  alignas(64) std::atomic<std::uint64_t> generation_{1};
  // The ring of End Markers, which N4 fills and the first worker empties.
  std::unique_ptr<std::array<EndMarker, kEndMarkers>> end_markers_;
  std::atomic<std::uint32_t> markers_filled_{0};
  std::atomic<std::uint32_t> markers_taken_{0};
};

}  // namespace headroom::gtpu
