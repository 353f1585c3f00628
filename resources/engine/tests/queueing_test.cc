// SPDX-License-Identifier: Apache-2.0
//
// Jobs through virtual workers: waiting times worked out by hand, and what queueing theory says of many jobs.
#include <gtest/gtest.h>

#include <tuple>

#include "base/random.h"
#include "queueing/service_times.h"
#include "queueing/workers.h"

namespace headroom::queueing {
namespace {

// Waiting time, worker and workers at work.
using Start = std::tuple<std::uint64_t, std::size_t, std::uint64_t>;

JobTimes pass(SimulatedWorkers& workers, std::uint32_t lock, std::uint64_t due, std::uint64_t service) {
  return workers.pass(lock, due, [=](std::uint64_t) { return service; });
}

Start start_of(const JobTimes& times) { return {times.start_ns - times.due_ns, times.worker, times.active}; }

// Service takes 10. In a pool, jobs due at 0 and 2 find a free worker each, until 10 and 12; that due at 3 waits until
// 10, that due at 11 until 12. Pinned to workers 0, 1, 1 and 0, the third waits for worker 1 until 12 and the fourth,
// due at 11, finds worker 0 free.
TEST(Queueing, WaitingTimesAreThoseWorkedOutByHand) {
  SimulatedWorkers pool(Organisation::pool, 2, 4);
  EXPECT_EQ(start_of(pass(pool, 0, 0, 10)), Start(0, 0, 1));
  EXPECT_EQ(start_of(pass(pool, 1, 2, 10)), Start(0, 1, 2));
  const JobTimes third = pass(pool, 2, 3, 10);
  EXPECT_EQ(start_of(third), Start(7, 0, 2));
  EXPECT_EQ(third.end_ns, 20u);
  EXPECT_EQ(start_of(pass(pool, 3, 11, 10)), Start(1, 1, 2));
  EXPECT_EQ(start_of(pass(pool, 3, 40, 10)), Start(0, 0, 1)) << "all workers are idle again";

  SimulatedWorkers pinned(Organisation::pinned, 2, 2);
  EXPECT_EQ(start_of(pass(pinned, 0, 0, 10)), Start(0, 0, 1));
  EXPECT_EQ(start_of(pass(pinned, 1, 2, 10)), Start(0, 1, 2));
  EXPECT_EQ(start_of(pass(pinned, 1, 3, 10)), Start(9, 1, 1)) << "worker 0 is free, and not for this job";
  EXPECT_EQ(start_of(pass(pinned, 0, 11, 10)), Start(0, 0, 2));
}

// The second worker begins at 2 and holds nothing until the first one lets go of the lock at 10.
TEST(Queueing, OneWorkerAtATimeHoldsALock) {
  SimulatedWorkers workers(Organisation::pool, 2, 1);
  (void)pass(workers, 0, 0, 10);
  const JobTimes second = pass(workers, 0, 2, 10);
  EXPECT_EQ(start_of(second), Start(0, 1, 2));
  EXPECT_EQ(second.lock_ns, 8u);
  EXPECT_EQ(second.service_ns, 10u);
  EXPECT_EQ(second.end_ns, 20u);
}

TEST(Queueing, AJobIsServedWhenItsWorkerBegins) {
  SimulatedWorkers workers(Organisation::pinned, 1, 1);
  (void)pass(workers, 0, 5, 10);
  std::uint64_t began = 0;
  (void)workers.pass(0, 6, [&](std::uint64_t start) { return began = start; });
  EXPECT_EQ(began, 15u);
  EXPECT_EQ(start_of(pass(workers, 0, 20, 1)), Start(10, 0, 1)) << "the service took 15";
}

// M/D/1 at a load r waits r / (2 (1 - r)) service times in the mean (Pollaczek and Khinchine); M/M/2 waits
// r^2 / (1 - r^2) of them.
TEST(Queueing, ManyJobsWaitAsQueueingTheorySays) {
  constexpr std::uint32_t kService = 10'000, kJobs = 150'000;
  const auto wait = [](std::size_t workers, double load, bool exponential_service) {
    SimulatedWorkers simulated(Organisation::pool, workers, kJobs);
    SystemTimes times;
    const auto between = static_cast<std::uint32_t>(kService / load / static_cast<double>(workers));
    std::uint64_t due = 0;
    for (std::uint32_t job = 0; job < kJobs; ++job) {
      due += exponential(draw_at(1, job), between);
      times.count(pass(simulated, job, due, exponential_service ? exponential(draw_at(2, job), kService) : kService));
    }
    return times.in_buffer.mean() / kService;
  };
  EXPECT_NEAR(wait(1, 0.5, false), 0.5, 0.02);
  EXPECT_NEAR(wait(1, 0.8, false), 2.0, 0.1);
  EXPECT_NEAR(wait(2, 0.8, true), 0.64 / 0.36, 0.1);
}

TEST(Queueing, TimesOfJobsAddUp) {
  SystemTimes one, other;
  one.count({.due_ns = 0, .start_ns = 3, .end_ns = 10, .lock_ns = 2, .service_ns = 5, .active = 1});
  other.count({.due_ns = 5, .start_ns = 6, .end_ns = 12, .lock_ns = 0, .service_ns = 6, .active = 2});
  one.add(other);
  EXPECT_EQ(one.in_system.sum(), 10u + 7u);
  EXPECT_EQ(one.in_buffer.sum(), 3u + 1u);
  EXPECT_EQ(one.processing.sum(), 7u + 6u);
  EXPECT_EQ(one.waiting_for_lock.sum(), 2u);
  EXPECT_EQ(one.in_system.count(), 2u);
  EXPECT_EQ(one.in_system.json()["mean"], 8.5);
  EXPECT_EQ(one.active_seen, 3u);
  EXPECT_EQ(one.most_active, 2u);
  EXPECT_TRUE(Times().json().is_null());
}

TEST(Queueing, ServiceTimesAreDrawnByKind) {
  ServiceTimes times(3);
  times.keep(0, 7);
  times.keep(1, 20), times.keep(1, 30);
  EXPECT_EQ(times.drawn(0, 12345), 7u);
  EXPECT_EQ(times.drawn(1, 0), 20u);
  EXPECT_EQ(times.drawn(1, ~std::uint64_t{0}), 30u);
  EXPECT_EQ(times.mean(1), 25.0);
  EXPECT_EQ(times.mean(2), std::nullopt);
  times.keep(2, std::uint64_t{1} << 40);
  EXPECT_EQ(times.drawn(2, 0), ~std::uint32_t{0}) << "no longer than it can keep";
}

}  // namespace
}  // namespace headroom::queueing
