// SPDX-License-Identifier: Apache-2.0
//
// Simulation runs hosts and lines in virtual time: hosts act, lines carry packets, and arriving packets are received,
// one moment after another. The commands `replay` and `messages` are hosts. The same hosts and seeds give the same
// order of events, on every platform.
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
// The time at which no packet is on its way any more: later than any other time.
inline constexpr std::uint64_t kWhenIdle = kNever - 1;

// Host acts of its own accord: a source of packets, a script, a protocol with timers.
class Host {
 public:
  virtual ~Host() = default;

  // Returns the time of the host's next action, kWhenIdle or kNever. A time in the past means now.
  [[nodiscard]] virtual std::uint64_t next_ns() const = 0;
  // Acts once. REQUIRES: afterwards `next_ns` has changed, or the host has less left to do.
  virtual void act() = 0;
};

class Simulation;

// Line is one direction of a link, from its sender to its receiver.
class Line {
 public:
  // Observes each packet as it leaves its sender. `comment` says what the link did to it, for captures.
  using Tap = std::function<void(const LinkPacket& packet, const std::string& comment)>;
  // Receives the packets that arrive at one moment, at most the line's burst. The receiver may move from them.
  using Receiver = std::function<void(std::span<Delivery>)>;

  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  // Sends the packets that a script inserts in front of this packet, and the packet. `kind` is put in front of the
  // tap's comment.
  LinkOutcome send(LinkPacket packet, std::string_view kind = {});

  [[nodiscard]] LinkCounts counts() const { return link_.counts(); }
  // Returns what Link::busy_until_ns returns.
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
  std::vector<Delivery> deliveries_;  // deliveries of the packet that is being sent
};

class Simulation {
 public:
  Simulation() = default;
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  // Adds a line that lives as long as the simulation. Packets that arrive at one moment are received in bursts of
  // `burst`. Both functions may be empty: no observation, and no arrivals.
  Line& connect(Impairment impairment, std::uint64_t seed, std::size_t burst, Line::Tap tap, Line::Receiver receiver);

  // Adds a host. Of hosts that act at the same moment, the host added first acts first. REQUIRES: `host` outlives
  // `run`.
  void add(Host& host) { hosts_.push_back(&host); }

  // Runs until no host acts any more and no packet is on its way. Arrivals at a moment come before actions of hosts at
  // that moment. At the end lines send the packets that scripts insert after their last packet, and release packets
  // held back by reordering. Idle packets do not keep the simulation running. Lets every exception of hosts and
  // receivers through.
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

  // Returns the line whose next idle packets are certain first, if that is before `next_ns`, when a host acts, and they
  // can still matter; nullptr otherwise.
  [[nodiscard]] Line* next_to_close(std::uint64_t next_ns) const;
  void deliver();
  // Returns false if no packet is on its way afterwards.
  [[nodiscard]] bool flush();

  std::vector<Host*> hosts_;
  std::vector<std::unique_ptr<Line>> lines_;
  std::vector<Event> events_;    // a heap, the next event in front
  std::vector<Delivery> burst_;  // burst that is being received
  std::uint64_t now_ns_ = 0;
  std::uint64_t order_ = 0;
  std::size_t packets_ = 0;  // packets among the events, without idle packets
};

}  // namespace headroom::sim

#endif  // HEADROOM_SIM_SIMULATION_H
