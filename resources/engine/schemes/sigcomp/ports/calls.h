// SPDX-License-Identifier: Apache-2.0
//
// Calls plays a sequence of messages between a caller and a called party over UDP and IPv4 again and again, each call
// between ports of its own. A message is sent when all earlier messages of the other side have arrived. Lost messages
// are not retransmitted: a call that lacks a message never completes. Calls uses neither ports nor a clock.
#ifndef HEADROOM_SCHEMES_SIGCOMP_PORTS_CALLS_H
#define HEADROOM_SCHEMES_SIGCOMP_PORTS_CALLS_H

#include <cstdint>
#include <deque>
#include <queue>
#include <vector>

#include "base/octets.h"
#include "schemes/sigcomp/ports/datagram.h"

namespace headroom::sigcomp::ports {

struct Message {
  bool from_caller = true;
  Octets payload;              // of UDP
  std::uint64_t pause_ns = 0;  // between the moment when it may be sent and that when it is
};

inline constexpr std::size_t kMostMessages = 64;         // of a sequence: those that have arrived are bits of a word
inline constexpr std::uint32_t kMostCallers = 65'000;    // addresses from 16.0.0.1 on
inline constexpr std::uint32_t kPortsOfCaller = 64'512;  // from 1024 on, one for each call
inline constexpr std::size_t kUdpIpv4Header = 28;

class Calls {
 public:
  // Prepares up to `most` calls from `callers` addresses. REQUIRES: 1 to kMostMessages messages, the first from the
  // caller; 1 to kMostCallers callers; no more than kPortsOfCaller calls for each.
  Calls(std::vector<Message> messages, std::uint32_t callers, std::size_t most);

  // A message of a call.
  struct Turn {
    std::uint32_t call;
    std::uint16_t message;
  };

  // Begins the next call. REQUIRES: begun() < most.
  void begin(std::uint64_t now_ns);
  // Ends the pauses that are over.
  void wake(std::uint64_t now_ns);

  // Returns the number of packets that a side has to send. `packet_of` returns the octets of the next one, in order,
  // valid until another function is called; `note_sent` removes it from the queue and returns its turn.
  [[nodiscard]] std::size_t waiting(bool caller) const noexcept { return waiting_[caller].size(); }
  [[nodiscard]] Turn turn(bool caller, std::size_t place) const noexcept { return waiting_[caller][place]; }
  [[nodiscard]] OctetView packet_of(Turn turn) noexcept;
  Turn note_sent(bool caller, std::uint64_t now_ns);

  enum class Kind : std::uint8_t {
    arrived,     // for the first time
    duplicate,   // the message had arrived already
    unexpected,  // no such packet was sent: it is damaged or foreign
  };
  struct Arrival {
    Kind kind;
    Turn turn;               // not set for unexpected packets
    std::uint64_t sent_ns;   // of the message
    std::uint64_t began_ns;  // of the call: when its first message was sent
    bool completes;          // True if it was the last missing message of the call
  };
  // Processes an IP packet that has arrived at a side. Messages that may be sent as a result wait from now on.
  Arrival note_arrival(bool at_caller, OctetView packet, std::uint64_t now_ns);

  [[nodiscard]] std::uint32_t begun() const noexcept { return static_cast<std::uint32_t>(calls_.size()); }
  [[nodiscard]] std::uint32_t active() const noexcept { return begun() - completed_; }
  [[nodiscard]] const std::vector<Message>& messages() const noexcept { return messages_; }

 private:
  struct Call {
    std::uint64_t arrived = 0;  // a bit for each message
    std::uint16_t next = 0;     // the first message that neither waits nor was sent
    bool pausing = false;
  };
  struct Template {
    Octets octets;             // without addresses, the caller's port and checksums
    std::uint32_t ip_sum = 0;  // of its header, and of what UDP's checksum covers
    std::uint32_t udp_sum = 0;
  };
  struct Pause {
    std::uint64_t until_ns;
    std::uint32_t call;
    bool operator>(const Pause& other) const noexcept { return until_ns > other.until_ns; }
  };

  void advance(std::uint32_t call, std::uint64_t now_ns);
  void put(std::uint32_t call);
  // Returns the call that a packet with these addresses and ports belongs to; `begun()` for none.
  [[nodiscard]] std::uint32_t call_of(bool at_caller, OctetView packet) const noexcept;
  [[nodiscard]] std::uint64_t& sent_ns(std::uint32_t call, std::size_t message) noexcept {
    return sent_ns_[call * messages_.size() + message];
  }

  std::vector<Message> messages_;
  std::vector<Template> templates_;
  std::vector<std::uint64_t> needed_;  // messages that must arrive before a message may be sent, a bit for each
  std::uint64_t all_;
  std::uint32_t callers_;
  std::vector<Call> calls_;
  std::vector<std::uint64_t> sent_ns_;  // by call, then message; 0: not sent yet
  std::deque<Turn> waiting_[2];         // waiting messages of the called party, of the caller
  std::priority_queue<Pause, std::vector<Pause>, std::greater<>> pauses_;
  std::uint32_t completed_ = 0;
  Octets packet_;
};

}  // namespace headroom::sigcomp::ports

#endif  // HEADROOM_SCHEMES_SIGCOMP_PORTS_CALLS_H
