// SPDX-License-Identifier: Apache-2.0
//
// Virtual time: hosts act, lines carry what they send, and what arrives is received, one moment behind another. The
// commands `replay` and `messages` are hosts on it. Same hosts, same seeds: same order of events, on every platform.
#ifndef HEADROOM_SIM_SIMULATION_H
#define HEADROOM_SIM_SIMULATION_H

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "link/link.h"

namespace headroom::sim {

inline constexpr std::uint64_t kNever = ~std::uint64_t{0};
// Once nothing is on its way any more: later than any time.
inline constexpr std::uint64_t kWhenIdle = kNever - 1;

// Acts of its own accord: a source of packets, a script, a protocol with timers.
class Host {
 public:
  virtual ~Host() = default;

  // The time of its next action, kWhenIdle or kNever. A time that has passed means now.
  [[nodiscard]] virtual std::uint64_t next_ns() const = 0;
  // Acts once. REQUIRES: afterwards `next_ns` is another, or what the host still has to do is less.
  virtual void act() = 0;
};

class Simulation;

// One direction of a link, from its sender to its receiver.
class Line {
 public:
  // Observes each packet as it leaves its sender. `comment` says what the link did to it, for captures.
  using Tap = std::function<void(const LinkPacket& packet, const std::string& comment)>;
  // Takes what arrives at one moment, at most the line's burst. The deliveries are the receiver's to move from.
  using Receiver = std::function<void(std::span<Delivery>)>;

  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  // Sends what a script inserts in front of this packet, and the packet. `kind` goes in front of the tap's comment.
  LinkOutcome send(LinkPacket packet, std::string_view kind = {});

  [[nodiscard]] LinkCounts counts() const { return link_.counts(); }
  // As Link's.
  [[nodiscard]] std::uint64_t busy_until_ns() const noexcept { return link_.busy_until_ns(); }

 private:
  friend class Simulation;

  Line(Simulation& simulation, Impairment impairment, std::uint64_t seed, std::size_t burst, Tap tap,
       Receiver receiver);
  void send_insertions();
  void flush();
  void schedule(std::vector<Delivery>& deliveries);

  Simulation& simulation_;
  Link link_;
  std::size_t burst_;
  Tap tap_;
  Receiver receiver_;
  std::vector<Delivery> deliveries_;  // of the packet that is being sent
};

class Simulation {
 public:
  Simulation() = default;
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  // A line that lives as long as the simulation. What arrives at one moment is received `burst` packets at a time. Both
  // functions may be empty: nothing is observed; nothing arrives.
  Line& connect(Impairment impairment, std::uint64_t seed, std::size_t burst, Line::Tap tap, Line::Receiver receiver);

  // `host` outlives `run`. Of hosts that act at the same moment the one added first does so first.
  void add(Host& host) { hosts_.push_back(&host); }

  // Until no host acts any more and nothing is on its way. What arrives at a moment does so before a host acts at it.
  // At the end lines send what scripts insert behind their last packet, and release what reordering still holds. Idle
  // packets, where lines deliver them, keep nothing going.
  // Lets every exception of hosts and receivers through.
  void run();

  [[nodiscard]] std::uint64_t now_ns() const noexcept { return now_ns_; }

 private:
  friend class Line;

  struct Event {
    std::uint64_t time_ns;
    std::uint64_t order;
    Line* line;
    Delivery delivery;

    bool operator>(const Event& other) const { return std::tie(time_ns, order) > std::tie(other.time_ns, other.order); }
  };

  // The line whose next idle packets are certain first, if that is before `next_ns`, when a host acts, and they can
  // still matter; nullptr.
  [[nodiscard]] Line* next_to_close(std::uint64_t next_ns) const;
  void deliver();
  // False when nothing is on its way afterwards.
  [[nodiscard]] bool flush();

  std::vector<Host*> hosts_;
  std::vector<std::unique_ptr<Line>> lines_;
  std::vector<Event> events_;    // a heap, the next event in front
  std::vector<Delivery> burst_;  // that is being received
  std::uint64_t now_ns_ = 0;
  std::uint64_t order_ = 0;
  std::size_t packets_ = 0;  // among the events, idle ones not included
};

}  // namespace headroom::sim

#endif  // HEADROOM_SIM_SIMULATION_H
