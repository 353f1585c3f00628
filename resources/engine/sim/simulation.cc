// SPDX-License-Identifier: Apache-2.0
#include "sim/simulation.h"

#include <algorithm>
#include <utility>

#include "link/report.h"

namespace headroom::sim {
namespace {

std::string joined(std::string_view kind, const std::string& comment) {
  if (kind.empty()) return comment;
  return comment.empty() ? std::string(kind) : std::string(kind) + "; " + comment;
}

}  // namespace

Line::Line(Simulation& simulation, Impairment impairment, std::uint64_t seed, std::size_t burst, Tap tap,
           Receiver receiver)
    : simulation_(simulation),
      link_(std::move(impairment), seed),
      burst_(burst),
      tap_(std::move(tap)),
      receiver_(std::move(receiver)) {}

LinkOutcome Line::send(LinkPacket packet, std::string_view kind) {
  send_insertions();
  if (!tap_) {
    LinkOutcome outcome = link_.send(std::move(packet), simulation_.now_ns_, deliveries_);
    schedule(deliveries_);
    return outcome;
  }
  const LinkPacket sent = packet;  // the link may damage it
  LinkOutcome outcome = link_.send(std::move(packet), simulation_.now_ns_, deliveries_);
  tap_(sent, joined(kind, comment_of(outcome)));
  schedule(deliveries_);
  return outcome;
}

void Line::send_insertions() {
  std::vector<Delivery> inserted = link_.insertions(simulation_.now_ns_);
  if (tap_) {
    for (const Delivery& delivery : inserted) {
      if (!delivery.error) tap_(delivery.packet, "inserted");
    }
  }
  schedule(inserted);
}

void Line::flush() {
  send_insertions();
  std::vector<Delivery> released = link_.flush(simulation_.now_ns_);
  schedule(released);
}

void Line::schedule(std::vector<Delivery>& deliveries) {
  if (receiver_) {
    for (Delivery& delivery : deliveries) {
      const std::uint64_t time_ns = delivery.time_ns;
      if (!delivery.idle) ++simulation_.packets_;
      simulation_.events_.push_back({time_ns, simulation_.order_++, this, std::move(delivery)});
      std::push_heap(simulation_.events_.begin(), simulation_.events_.end(), std::greater<>());
    }
  }
  deliveries.clear();
}

Line& Simulation::connect(Impairment impairment, std::uint64_t seed, std::size_t burst, Line::Tap tap,
                          Line::Receiver receiver) {
  lines_.push_back(
      std::unique_ptr<Line>(new Line(*this, std::move(impairment), seed, burst, std::move(tap), std::move(receiver))));
  return *lines_.back();
}

void Simulation::run() {
  for (;;) {
    Host* first = nullptr;
    std::uint64_t next_ns = kNever;
    for (Host* const host : hosts_) {
      const std::uint64_t host_ns = host->next_ns();
      if (host_ns >= next_ns) continue;
      first = host;
      next_ns = host_ns;
    }
    Line* const closing = next_to_close(next_ns);
    const std::uint64_t until_ns = closing != nullptr ? *closing->link_.next_close_ns() : next_ns;
    if (!events_.empty() && events_.front().time_ns <= std::max(now_ns_, until_ns)) {
      deliver();
    } else if (closing != nullptr) {
      now_ns_ = std::max(now_ns_, until_ns);
      closing->link_.close_buffer(closing->deliveries_);
      closing->schedule(closing->deliveries_);
    } else if (first != nullptr) {
      if (next_ns != kWhenIdle) now_ns_ = std::max(now_ns_, next_ns);
      first->act();
    } else if (!flush()) {
      return;
    }
  }
}

Line* Simulation::next_to_close(std::uint64_t next_ns) const {
  Line* first = nullptr;
  for (const auto& line : lines_) {
    const std::optional<std::uint64_t> close_ns = line->link_.next_close_ns();
    if (!close_ns || *close_ns >= next_ns) continue;
    if (next_ns >= kWhenIdle && packets_ == 0 && !line->link_.is_open()) continue;
    if (first != nullptr && *first->link_.next_close_ns() <= *close_ns) continue;
    first = line.get();
  }
  return first;
}

void Simulation::deliver() {
  Line* const line = events_.front().line;
  const std::uint64_t time_ns = events_.front().time_ns;
  now_ns_ = std::max(now_ns_, time_ns);
  burst_.clear();
  do {
    std::pop_heap(events_.begin(), events_.end(), std::greater<>());
    burst_.push_back(std::move(events_.back().delivery));
    events_.pop_back();
    if (!burst_.back().idle) --packets_;
  } while (burst_.size() < line->burst_ && !events_.empty() && events_.front().line == line &&
           events_.front().time_ns == time_ns);
  line->receiver_(burst_);
}

bool Simulation::flush() {
  for (const auto& line : lines_) line->flush();
  return !events_.empty();
}

}  // namespace headroom::sim
