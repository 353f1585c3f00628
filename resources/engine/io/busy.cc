// SPDX-License-Identifier: Apache-2.0
#include "io/busy.h"

#include <pthread.h>
#include <sys/prctl.h>

namespace headroom::io {
namespace {

constexpr long kNapNs = 50'000;
constexpr unsigned long kSlackNs = 1'000;  // naps would take 50 us more otherwise

std::uint64_t time_of(clockid_t clock) noexcept {
  timespec time{};
  if (clock_gettime(clock, &time) != 0) return 0;
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_nsec);
}

}  // namespace

BusyShare::OfThisThread::OfThisThread(BusyShare& share) noexcept : share_(share) {
  clockid_t clock{};
  if (pthread_getcpuclockid(pthread_self(), &clock) != 0) return;
  const std::lock_guard lock(share_.thread_mutex_);
  share_.thread_clock_ = clock;
}

BusyShare::OfThisThread::~OfThisThread() {
  const std::lock_guard lock(share_.thread_mutex_);
  if (share_.thread_clock_) share_.thread_ns_ = time_of(*share_.thread_clock_);
  share_.thread_clock_.reset();
}

std::uint64_t BusyShare::cpu_ns() const noexcept {
  const std::lock_guard lock(thread_mutex_);  // the clock goes with its thread
  return thread_clock_ ? time_of(*thread_clock_) : thread_ns_;
}

BusyShare::BusyShare(Idle idle) noexcept : idle_(idle), last_(cycles_.now()) {}

double BusyShare::share() const noexcept {
  const std::uint64_t total = total_.value();
  return total == 0 ? 0 : static_cast<double>(busy_.value()) / static_cast<double>(total);
}

void BusyShare::nap() noexcept {
  static thread_local const int slack = prctl(PR_SET_TIMERSLACK, kSlackNs);
  (void)slack;
  const timespec nap{.tv_sec = 0, .tv_nsec = kNapNs};
  nanosleep(&nap, nullptr);
}

}  // namespace headroom::io
