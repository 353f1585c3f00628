// SPDX-License-Identifier: Apache-2.0
#include "schemes/sigcomp/calls/plan.h"

#include <algorithm>
#include <cmath>
#include <queue>

#include "base/random.h"

namespace headroom::sigcomp::calls {
namespace {

enum : std::uint64_t { kArrivals = 1, kHoldings = 2 };

// Of an exponential distribution, 0.03 % of the calls are held for longer than this many times the mean.
constexpr std::uint64_t kLongestHoldings = 8;
// A user is given its next call so long after the end of the one before it: messages take some time, too. One that is
// in a call all the same begins the next as soon as that has ended.
constexpr std::uint64_t kBetweenCallsNs = 2'000'000'000;

std::uint64_t draw_exponential(std::uint64_t draw, std::uint64_t mean_ns) {
  // exponential() takes means below 2^32: microseconds, and the rest by proportion for means of more than an hour.
  const std::uint64_t mean_us = std::max<std::uint64_t>(1, mean_ns / 1000);
  const auto unit = static_cast<std::uint32_t>(std::min<std::uint64_t>(mean_us, 0xFFFFFFF0u));
  const double factor = static_cast<double>(mean_ns) / static_cast<double>(unit);
  return static_cast<std::uint64_t>(static_cast<double>(exponential(draw, unit)) * factor);
}

// Gives users to calls: the one that has been idle for longest. Nothing when all are busy.
class Users {
 public:
  explicit Users(std::uint32_t count) {
    for (std::uint32_t user = 0; user < count; ++user) idle_.push({0, user});
  }
  bool take(std::uint64_t now, std::uint64_t until, std::uint32_t& user) {
    if (idle_.top().first > now) return false;
    user = idle_.top().second;
    idle_.pop();
    idle_.push({until, user});
    return true;
  }

 private:
  using Idle = std::pair<std::uint64_t, std::uint32_t>;
  std::priority_queue<Idle, std::vector<Idle>, std::greater<>> idle_;
};

}  // namespace

Plan make_plan(const Job& job) {
  Plan plan;
  const std::uint64_t lifetime = job.mean_lifetime_ns();
  const std::uint64_t longest = job.exponential_holding ? lifetime + (kLongestHoldings - 1) * job.holding_ns : lifetime;
  plan.origin_ns = job.start_empty ? 0 : longest;
  const std::uint64_t end = plan.origin_ns + job.warmup_ns + job.duration_ns;
  const double mean_ns = 1e9 / job.calls_per_s();
  const std::uint64_t arrival_key = derive(job.seed, kArrivals), holding_key = derive(job.seed, kHoldings);
  Users users(job.users == 0 ? 1 : job.users);
  double at = 0;
  for (std::uint64_t n = 0;; ++n) {
    at += job.poisson ? static_cast<double>(draw_exponential(draw_at(arrival_key, n), 1'000'000'000)) / 1e9 * mean_ns
                      : mean_ns;
    const auto arrival = static_cast<std::uint64_t>(at);
    if (arrival >= end) break;
    const std::uint64_t holding =
        job.exponential_holding
            ? std::min(draw_exponential(draw_at(holding_key, n), job.holding_ns), kLongestHoldings * job.holding_ns)
            : job.holding_ns;
    const std::uint64_t over = arrival + lifetime - job.holding_ns + holding;
    if (over <= plan.origin_ns) continue;
    auto user = static_cast<std::uint32_t>(plan.calls.size());
    if (job.keeps_compartments() && !users.take(arrival, over + kBetweenCallsNs, user)) {
      throw Error(ErrorKind::job,
                  std::to_string(job.users) + " users do not suffice: at " +
                      std::to_string((static_cast<double>(arrival) - static_cast<double>(plan.origin_ns)) / 1e9) +
                      " s a call arrives and each of them is in one. Calls come at random, and a user pauses for 2 s "
                      "between two: ask for some more users than calls.",
                  "/users");
    }
    plan.calls.push_back({arrival, holding, user});
  }
  plan.users = job.keeps_compartments() ? job.users : static_cast<std::uint32_t>(plan.calls.size());
  return plan;
}

// For a heap with the earliest on top. Events of one moment come in the order of their calls.
namespace {
bool later(const Schedule::Event& a, const Schedule::Event& b) noexcept {
  return a.due_ns != b.due_ns ? a.due_ns > b.due_ns : a.call > b.call;
}
}  // namespace

Schedule::Schedule(const Job& job, const Plan& plan) : job_(job), plan_(plan), busy_(plan.users, 0) {
  heap_.reserve(plan.calls.size() + 1);
  if (!plan.calls.empty()) push({plan.calls.front().arrival_ns, 0, 0});
}

void Schedule::push(const Event& event) {
  heap_.push_back(event);
  std::push_heap(heap_.begin(), heap_.end(), later);
}

std::optional<std::uint64_t> Schedule::next_due() const noexcept {
  if (heap_.empty()) return std::nullopt;
  return heap_.front().due_ns;
}

std::optional<Schedule::Event> Schedule::take(std::uint64_t before_ns) {
  while (!heap_.empty() && heap_.front().due_ns < before_ns) {
    Event event = heap_.front();
    std::pop_heap(heap_.begin(), heap_.end(), later);
    heap_.pop_back();
    if (event.step != 0) return event;
    const bool arrives = event.call == arrivals_;
    if (arrives && ++arrivals_ < plan_.calls.size())
      push({plan_.calls[arrivals_].arrival_ns, static_cast<std::uint32_t>(arrivals_), 0});
    const std::uint32_t user = plan_.calls[event.call].user;
    if (arrives && busy_[user] != 0) {
      ++postponed_;
      waiting_[user].push_back(event.call);
      continue;
    }
    busy_[user] = 1;
    ++began_;
    return event;
  }
  return std::nullopt;
}

bool Schedule::done(const Event& event, std::uint64_t now_ns) {
  const Call& call = plan_.calls[event.call];
  if (event.step + 1 < job_.call.size()) {
    const Message& message = job_.call[event.step + 1];
    push({now_ns + (message.after_holding ? call.holding_ns : message.pause_ns), event.call, event.step + 1});
    return false;
  }
  ++ended_;
  // A user stays busy while a call of its own waits: whichever has arrived first begins first, for what it says rests
  // on what its compartment has by then.
  if (const auto found = waiting_.find(call.user); found != waiting_.end()) {
    push({now_ns, found->second.front(), 0});
    found->second.pop_front();
    if (found->second.empty()) waiting_.erase(found);
  } else {
    busy_[call.user] = 0;
  }
  return true;
}

}  // namespace headroom::sigcomp::calls
