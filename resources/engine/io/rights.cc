// SPDX-License-Identifier: Apache-2.0
#include "io/rights.h"

#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "base/error.h"

namespace headroom::io {
namespace {

// Where it comes a second time, when its handler has gone, nothing happens.
constexpr int kSignal = SIGURG;
constexpr std::chrono::seconds kPatience{10};
constexpr const char* kThreads = "/proc/self/task";

// Of the calling thread. Safe in a handler of a signal.
void give_up_own() noexcept {
  // Where CAP_SETPCAP lacks, they stay as a bound that PR_SET_NO_NEW_PRIVS makes meaningless.
  for (unsigned long right = 0; right <= CAP_LAST_CAP; ++right) prctl(PR_CAPBSET_DROP, right, 0UL, 0UL, 0UL);
  prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL);
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  const __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {};
  syscall(SYS_capset, &header, none);
}

void on_signal(int) {
  const int kept = errno;
  give_up_own();
  errno = kept;
}

// False also for a thread that has ended.
bool has_rights(const std::filesystem::path& thread) {
  std::ifstream status(thread / "status");
  for (std::string line; std::getline(status, line);) {
    const bool has_some = line.find_first_of("123456789abcdef", line.find(':')) != std::string::npos;
    if (has_some && (line.starts_with("CapPrm:") || line.starts_with("CapInh:"))) return true;
    if (!has_some && line.starts_with("NoNewPrivs:")) return true;
  }
  return false;
}

}  // namespace

void give_up_rights(std::span<const PortJob> ports) {
  const auto is_xdp = [](const PortJob& port) { return port.driver == PortJob::Driver::af_xdp; };
  if (std::ranges::any_of(ports, is_xdp)) return;
  struct sigaction action = {}, before = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigaction(kSignal, &action, &before);
  give_up_own();
  // The kernel keeps capabilities for each thread, and DPDK has threads.
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  for (bool is_over = false; !is_over;) {
    is_over = true;
    for (const auto& thread : std::filesystem::directory_iterator(kThreads)) {
      if (!has_rights(thread.path())) continue;
      is_over = false;
      syscall(SYS_tgkill, getpid(), std::stoi(thread.path().filename()), kSignal);
    }
    if (!is_over && std::chrono::steady_clock::now() > deadline)
      throw Error(ErrorKind::internal, "a defect of the engine: a thread keeps the rights that ports take.");
    if (!is_over) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  sigaction(kSignal, &before, nullptr);
}

}  // namespace headroom::io
