// SPDX-License-Identifier: Apache-2.0
//
// All sessions of a user plane, found by uplink TEID and UE address.
//
// Two sides use it at once. N4 (one thread at a time) calls what is under "by N4"; each worker calls what is under "by
// workers", between `enter` and `leave` of its WorkerEpoch. What N4 takes out is freed when no worker can read it any
// more: when each has left, or has entered again, since. A worker that never calls delays nothing.
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

// WorkerEpoch is what a worker shows of itself to N4.
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

  // Makes a session. Returns nullptr and fills `refusal` where the rules cannot be taken; nothing has changed then.
  Session* create(Rules rules, Refusal& refusal);
  // Puts `rules` in the place of those of the session. False, with `refusal` filled and nothing changed, where they
  // cannot be taken. Usage and meters of rules whose id stays live on.
  bool replace(Session& session, Rules rules, Refusal& refusal);
  void remove(Session& session);

  // Returns the session with this SEID, or nullptr. By workers, too.
  [[nodiscard]] Session* find(std::uint64_t seid) const noexcept;
  [[nodiscard]] static const Rules& rules_of(const Session& session) noexcept;
  // Returns the counters of a URR of the session, or nullptr. Valid until the URR is removed.
  [[nodiscard]] static Usage* usage_of(const Session& session, std::uint32_t urr) noexcept;
  [[nodiscard]] std::uint32_t count() const noexcept { return count_.load(std::memory_order_relaxed); }
  // Calls `each(Session&)` for every session; it may remove that session.
  template <typename Each>
  void for_each(Each&& each) {
    for (std::uint32_t i = 0; i < slots_.size(); ++i) {
      if (Session* const session = slots_[i].session.load(std::memory_order_relaxed)) each(*session);
    }
  }

  // Returns a TEID that no session has and that was not chosen before (F-TEID with CHOOSE); 0 where there is none. It
  // is taken until its session is removed or its PDRs are, or until `release_teid` when the request fails.
  [[nodiscard]] std::uint32_t choose_teid();
  void release_teid(std::uint32_t teid);

  // Has an End Marker sent to where `old` sent packets (SNDEM). Waits for `take` of the first worker.
  void send_end_marker(const Forwarding& old);

  // Returns the next event of any worker; false when none waits.
  bool next_event(Event& event) noexcept;

  // Frees what no worker can read any more; `create`, `replace` and `remove` do so themselves.
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
  // `address` is the place of the outer destination address in LocalAddresses.
  [[nodiscard]] const SessionTable& by_teid() const noexcept { return by_teid_; }
  [[nodiscard]] const SessionTable& by_ipv4() const noexcept { return by_ipv4_; }
  [[nodiscard]] const SessionTable& by_ipv6() const noexcept { return by_ipv6_; }
  [[nodiscard]] const SessionTable& by_peer() const noexcept { return by_peer_; }
  [[nodiscard]] static std::uint64_t teid_key(std::uint8_t address, std::uint32_t teid) noexcept {
    return static_cast<std::uint64_t>(address) << 32 | teid;
  }
  // Key of a tunnel endpoint of a peer, for Error Indications.
  [[nodiscard]] static std::uint64_t peer_key(const Address& peer, std::uint32_t teid) noexcept;
  // Changes whenever any rules have: buffered packets are looked at again.
  [[nodiscard]] std::uint64_t generation() const noexcept { return generation_.load(std::memory_order_acquire); }
  // Packets of N4 to be sent, for `take` of the first worker. Returns the length, 0 when none waits.
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
    Session* session;                          // or nullptr
    std::unique_ptr<void, FreeMemory> memory;  // of a table
  };
  struct EndMarker {
    std::array<std::uint8_t, 64> octets{};
    std::uint8_t length = 0;
    std::int32_t side = 0;
  };
  static constexpr std::uint32_t kEndMarkers = 1024;

  [[nodiscard]] Keys keys_of(const Rules& rules) const;
  // Inserts the keys that are not among `held`. False, with nothing inserted, where one is another session's.
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
  std::unordered_set<std::uint32_t> chosen_{};  // and not yet in rules
  std::vector<WorkerEpoch*> workers_{};
  std::size_t next_worker_ = 0;  // whose events are looked at next
  std::deque<Retired> retired_{};
  alignas(64) std::atomic<std::uint64_t> epoch_{1};
  alignas(64) std::atomic<std::uint64_t> generation_{1};
  // End markers: a ring that N4 fills and the first worker empties.
  std::unique_ptr<std::array<EndMarker, kEndMarkers>> end_markers_;
  std::atomic<std::uint32_t> markers_filled_{0};
  std::atomic<std::uint32_t> markers_taken_{0};
};

}  // namespace headroom::gtpu
