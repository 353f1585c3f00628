// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <string>
#include <thread>

#include "base/cycles.h"
#include "base/no_processes.h"
#include "base/process.h"
#include "schemes/sigcomp/calls/traffic.h"

namespace headroom::sigcomp::calls {
namespace {

constexpr std::uint64_t kLongestNapNs = 50'000;       // what workers are done with is looked at so often
constexpr std::uint64_t kPatienceNs = 5'000'000'000;  // for what still waits when the time is over
constexpr std::uint64_t kUntilStartNs = 5'000'000;

struct Waiting {
  Schedule::Event event;
  std::uint64_t due_ns;  // CLOCK_MONOTONIC
};

// The buffer between the producer and the workers (maenpaa-2005, 7.3.2).
class Buffer {
 public:
  void put(const Waiting& waiting) {
    {
      const std::lock_guard guard(mutex_);
      waiting_.push_back(waiting);
    }
    filled_.notify_one();
  }
  // Waits for one; nothing once the buffer is closed.
  std::optional<Waiting> take() {
    std::unique_lock lock(mutex_);
    filled_.wait(lock, [this] { return closed_ || !waiting_.empty(); });
    if (closed_) return std::nullopt;
    const Waiting first = waiting_.front();
    waiting_.pop_front();
    return first;
  }
  // Returns how many were left.
  std::size_t close() {
    std::size_t left = 0;
    {
      const std::lock_guard guard(mutex_);
      closed_ = true;
      left = waiting_.size();
    }
    filled_.notify_all();
    return left;
  }

 private:
  std::mutex mutex_;
  std::condition_variable filled_;
  std::deque<Waiting> waiting_;
  bool closed_ = false;
};

struct Done {
  Schedule::Event event;
  std::uint64_t end_ns;  // CLOCK_MONOTONIC
};

struct Worker {
  std::thread thread;
  WorkerState state;
  std::mutex mutex;  // of `done`
  std::vector<Done> done;
  std::exception_ptr wrong;  // under the same mutex
  std::optional<unsigned> core;
  clockid_t clock = 0;
  std::uint64_t cpu_before = 0, cpu_sampled = 0;
};

std::uint64_t read_clock(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(now.tv_nsec);
}

void nap_until(std::uint64_t monotonic) {
  const timespec until{static_cast<time_t>(monotonic / 1'000'000'000u), static_cast<long>(monotonic % 1'000'000'000u)};
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
}

// Keeps the calling thread, the producer, away from the workers' cores if there are others.
void leave_cores(const std::vector<unsigned>& taken) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (taken.empty() || sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  for (const unsigned core : taken) {
    if (core < CPU_SETSIZE) CPU_CLR(core, &allowed);
  }
  if (CPU_COUNT(&allowed) != 0) sched_setaffinity(0, sizeof allowed, &allowed);
}

class RealRun {
 public:
  RealRun(Traffic& traffic, Server& server)
      : traffic_(traffic), server_(server), buffers_(pool() ? 1 : traffic.job.workers), workers_(traffic.job.workers) {
    measurement_.samples.reserve(static_cast<std::size_t>(traffic.job.duration_ns / traffic.job.sample_ns) + 1);
  }

  RunMeasurement execute(Outcomes& outcomes) {
    try {
      start_workers();
      produce();
    } catch (...) {
      stop_workers();
      throw;
    }
    stop_workers();
    for (std::size_t n = 0; n < workers_.size(); ++n) {
      Worker& worker = workers_[n];
      if (worker.wrong) std::rethrow_exception(worker.wrong);
      measurement_.measured.add(worker.state.measured);
      outcomes.add(worker.state.outcomes);
    }
    return std::move(measurement_);
  }

 private:
  [[nodiscard]] bool pool() const noexcept { return traffic_.job.organisation == Organisation::pool; }
  [[nodiscard]] std::uint64_t clock_of(std::uint64_t scheduled) const noexcept {
    return scheduled - traffic_.plan.origin_ns + start_ns_;
  }
  [[nodiscard]] std::uint64_t schedule_of(std::uint64_t clock) const noexcept {
    return clock - start_ns_ + traffic_.plan.origin_ns;
  }

  void start_workers() {
    start_ns_ = monotonic_ns() + kUntilStartNs;
    const std::vector<unsigned>& cores = traffic_.job.cores;
    for (std::size_t n = 0; n < workers_.size(); ++n) {
      Worker& worker = workers_[n];
      if (!cores.empty()) worker.core = cores[n % cores.size()];
      worker.done.reserve(4096);
      worker.thread = std::thread([this, n] { work(n); });
      pthread_getcpuclockid(worker.thread.native_handle(), &worker.clock);
    }
    leave_cores(cores);
    prctl(PR_SET_TIMERSLACK, 1UL);
  }

  void stop_workers() {
    std::size_t left = 0;
    for (Buffer& buffer : buffers_) left += buffer.close();
    for (Worker& worker : workers_) {
      if (worker.thread.joinable()) worker.thread.join();
    }
    measurement_.unserved = left;
  }

  void work(std::size_t number) {
    Worker& me = workers_[number];
    try {
      if (me.core) {
        pin_to_core(*me.core, "/cores");
        stay_on_core();
      }
      Buffer& buffer = buffers_[pool() ? 0 : number];
      while (const auto waiting = buffer.take()) handle(me, *waiting);
    } catch (...) {
      const std::lock_guard guard(me.mutex);
      me.wrong = std::current_exception();
    }
  }

  void handle(Worker& me, const Waiting& waiting) {
    const std::uint64_t start = monotonic_ns();
    const std::uint64_t active = active_.fetch_add(1, std::memory_order_relaxed) + 1;
    const Task task = traffic_.task_of(waiting.event);
    const Server::Served served = server_.serve(task, schedule_of(start), Server::Clock::monotonic, me.state);
    active_.fetch_sub(1, std::memory_order_relaxed);
    const std::uint64_t end = monotonic_ns();
    {
      const std::lock_guard guard(me.mutex);
      me.done.push_back({waiting.event, end});
    }
    if (waiting.event.due_ns < traffic_.counted_from()) return;
    me.state.measured.count(task.from_user, task.part.input.size(), task.part.output_length,
                            {waiting.due_ns, start, end, served.lock_ns, served.endpoint_ns, active});
  }

  // Takes what the workers are done with. Throws what one of them threw.
  void collect() {
    for (Worker& worker : workers_) {
      {
        const std::lock_guard guard(worker.mutex);
        if (worker.wrong) std::rethrow_exception(worker.wrong);
        collected_.swap(worker.done);
      }
      for (const Done& done : collected_) {
        traffic_.schedule.done(done.event, schedule_of(done.end_ns));
        --outstanding_;
      }
      collected_.clear();
    }
  }

  void produce() {
    Schedule& schedule = traffic_.schedule;
    bool counting = false;
    std::uint64_t next_sample = clock_of(traffic_.counted_from() + traffic_.job.sample_ns);
    std::uint64_t began_before = 0, ended_before = 0;
    const std::uint64_t end = clock_of(traffic_.end());
    for (;;) {
      collect();
      const std::uint64_t now = monotonic_ns();
      if (!counting && now >= clock_of(traffic_.counted_from())) {
        counting = true;
        measurement_.calls_at_start = schedule.began() - schedule.ended();
        began_before = schedule.began();
        ended_before = schedule.ended();
        begin_counting();
      }
      hand_out(std::min(now + 1, end));
      while (counting && now >= next_sample && measurement_.samples.size() < measurement_.samples.capacity()) {
        sample(next_sample);
        next_sample += traffic_.job.sample_ns;
      }
      if (now >= end) break;
      const std::uint64_t due = schedule.next_due() ? clock_of(*schedule.next_due()) : end;
      const std::uint64_t until = std::min({due, now + kLongestNapNs, end});
      if (until > now) nap_until(until);
    }
    measurement_.calls_at_end = schedule.began() - schedule.ended();
    measurement_.began = schedule.began() - began_before;
    measurement_.ended = schedule.ended() - ended_before;
    measurement_.postponed = schedule.postponed();
    end_counting();
    for (const std::uint64_t until = monotonic_ns() + kPatienceNs; outstanding_ != 0 && monotonic_ns() < until;) {
      nap_until(monotonic_ns() + kLongestNapNs);
      collect();
    }
  }

  void hand_out(std::uint64_t before) {
    Schedule& schedule = traffic_.schedule;
    while (const auto event = schedule.take(schedule_of(before))) {
      const bool counts = event->due_ns >= traffic_.counted_from();
      if (traffic_.passes(*event)) {
        measurement_.measured.passed += counts ? 1 : 0;
        schedule.done(*event, event->due_ns);
        continue;
      }
      const std::uint64_t due = clock_of(event->due_ns);
      const std::uint32_t user = traffic_.plan.calls[event->call].user;
      buffers_[pool() ? 0 : server_.shard_of(user)].put({*event, due});
      ++outstanding_;
      if (counts) measurement_.late.record(monotonic_ns() - due);
    }
  }

  void begin_counting() {
    measurement_.workers.resize(workers_.size());
    counted_since_ = monotonic_ns();
    for (std::size_t n = 0; n < workers_.size(); ++n) {
      workers_[n].cpu_before = workers_[n].cpu_sampled = read_clock(workers_[n].clock);
      measurement_.workers[n].core = workers_[n].core;
      if (workers_[n].core) measurement_.workers[n].before = read_core_jiffies(*workers_[n].core);
    }
    sampled_at_ = counted_since_;
    producer_before_ = thread_cpu_ns();
    process_before_ = processor_time_ns();  // last: reading a thread's clock brings that of the process up to date
  }

  void end_counting() {
    const auto passed = static_cast<double>(monotonic_ns() - counted_since_);
    std::uint64_t ours = 0;
    for (std::size_t n = 0; n < workers_.size(); ++n) {
      WorkerResult& result = measurement_.workers[n];
      result.cpu_ns = read_clock(workers_[n].clock) - workers_[n].cpu_before;
      result.busy_share = static_cast<double>(result.cpu_ns) / passed;
      if (result.core) result.after = read_core_jiffies(*result.core);
      ours += result.cpu_ns;
    }
    ours += thread_cpu_ns() - producer_before_;
    const std::uint64_t all = processor_time_ns() - process_before_;
    measurement_.other_threads_cpu_ns = all - std::min(all, ours);
  }

  void sample(std::uint64_t due) {
    Sample sample{due - clock_of(traffic_.counted_from()),
                  traffic_.schedule.began() - traffic_.schedule.ended(),
                  private_resident_octets(),
                  {}};
    const std::uint64_t now = monotonic_ns();
    for (Worker& worker : workers_) {
      const std::uint64_t cpu = read_clock(worker.clock);
      sample.busy.push_back(now > sampled_at_
                                ? static_cast<double>(cpu - worker.cpu_sampled) / static_cast<double>(now - sampled_at_)
                                : 0.0);
      worker.cpu_sampled = cpu;
    }
    sampled_at_ = now;
    measurement_.samples.push_back(std::move(sample));
  }

  Traffic& traffic_;
  Server& server_;
  std::vector<Buffer> buffers_;
  std::vector<Worker> workers_;
  RunMeasurement measurement_;
  std::vector<Done> collected_;
  std::atomic<std::uint64_t> active_{0};
  std::uint64_t outstanding_ = 0;
  std::uint64_t start_ns_ = 0, counted_since_ = 0, sampled_at_ = 0;
  std::uint64_t process_before_ = 0, producer_before_ = 0;  // processor time
};

}  // namespace

RunMeasurement run_real(Traffic& traffic, Server& server, Outcomes& outcomes) {
  return RealRun(traffic, server).execute(outcomes);
}

}  // namespace headroom::sigcomp::calls
