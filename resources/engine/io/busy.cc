// SPDX-License-Identifier: Apache-2.0
#include "io/busy.h"

#include <sys/prctl.h>

#include <ctime>

namespace headroom::io {
namespace {

constexpr long kNapNs = 50'000;
constexpr unsigned long kSlackNs = 1'000;  // naps would take 50 us more otherwise

}  // namespace

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
