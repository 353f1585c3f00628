// SPDX-License-Identifier: Apache-2.0
//
// The reliable delivery of PFCP messages (3GPP TS 29.244, clause 6.4): a retransmitted request gets the same answer
// again, and the user plane's own requests are retransmitted until they are answered.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

#include "gtpu/wire/pfcp.h"

namespace headroom::gtpu::n4 {

// The port of PFCP requests (4.2.2).
inline constexpr std::uint16_t kPort = 8805;

// The UDP endpoint of a control plane. An IPv4 address is in the last four octets, after ::ffff:0:0/96.
struct Peer {
  std::array<std::uint8_t, 16> address{};
  std::uint16_t port = kPort;
  bool operator==(const Peer&) const = default;
};

// A datagram to a peer.
struct Datagram {
  Peer peer{};
  std::vector<std::uint8_t> octets{};
};

// AnswerCache keeps the latest answers, so that a retransmitted request gets the same octets and is not carried out
// again. A peer increments its sequence numbers, so the latest kEntries requests of a single peer are remembered.
class AnswerCache {
 public:
  // The time in nanoseconds for which an answer is kept: a peer with T1 = 5 s and N1 = 3 may repeat its request for so
  // long.
  static constexpr std::uint64_t kLifetime = 20'000'000'000;
  static constexpr std::size_t kEntries = 4096;

  AnswerCache() : entries_(kEntries) {}

  // Returns the answer to the same request (peer, sequence number and octets), or nothing.
  [[nodiscard]] std::optional<pfcp::Octets> find(const Peer& peer, std::uint32_t sequence, pfcp::Octets request,
                                                 std::uint64_t now) const;
  void keep(const Peer& peer, std::uint32_t sequence, pfcp::Octets request, pfcp::Octets answer, std::uint64_t now);
  // Forgets all answers, because a peer has restarted.
  void clear();

 private:
  struct Entry {
    Peer peer{};
    std::uint32_t sequence = 0;
    std::uint64_t digest = 0;
    std::uint64_t expires = 0;
    std::vector<std::uint8_t> answer{};
  };
  [[nodiscard]] static std::size_t slot(const Peer& peer, std::uint32_t sequence);

  std::vector<Entry> entries_;
};

// PendingRequests holds requests of this user plane that wait for a response.
class PendingRequests {
 public:
  static constexpr std::uint64_t kT1 = 3'000'000'000;  // ns between transmissions
  static constexpr unsigned kN1 = 3;                   // transmissions in all
  static constexpr std::size_t kMost = 1u << 18;       // limit on memory; further requests are sent only once

  struct Pending {
    std::uint64_t session = 0;
    unsigned sent = 1;
    Datagram request{};
  };

  // Returns the sequence number of the next request.
  [[nodiscard]] std::uint32_t next_sequence();
  // Adds a request. `session` is this user plane's SEID of the session, or 0.
  void add(std::uint32_t sequence, std::uint64_t session, Datagram request, std::uint64_t now);
  // Removes the request that a response answers. Returns the session of the request, or nothing if no request has this
  // number.
  [[nodiscard]] std::optional<std::uint64_t> answered(std::uint32_t sequence);
  // True if the request with this number has been neither answered nor given up.
  [[nodiscard]] bool waits(std::uint32_t sequence) const { return pending_.contains(sequence); }
  // Returns the next request to be retransmitted now, or nullptr. The pointer is valid until the next call.
  [[nodiscard]] const Pending* due(std::uint64_t now);
  [[nodiscard]] std::optional<std::uint64_t> deadline() const;

 private:
  struct Timer {
    std::uint64_t at = 0;
    std::uint32_t sequence = 0;
  };
  void drop_stale();

  std::uint32_t sequence_ = 0;
  std::unordered_map<std::uint32_t, Pending> pending_{};
  std::deque<Timer> timers_{};  // in order of time, because all timers run for T1
};

}  // namespace headroom::gtpu::n4
