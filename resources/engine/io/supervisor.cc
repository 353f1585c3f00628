// SPDX-License-Identifier: Apache-2.0
#include "io/supervisor.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <thread>

#include "base/cycles.h"
#include "base/seal.h"

namespace headroom::io {
namespace {

constexpr int kGlanceMs = 20;
constexpr int kSendTimeoutMs = 200;

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  return address;
}

// A socket that a process left behind when it was killed would keep its place for ever.
void remove_if_abandoned(const std::string& path) {
  const int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (probe < 0) return;
  const sockaddr_un address = address_of(path);
  if (connect(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 && errno == ECONNREFUSED)
    unlink(path.c_str());
  close(probe);
}

// Returns an option of a socket as an int, -1 if `descriptor` is no socket.
int socket_option(int descriptor, int option) {
  int value = -1;
  socklen_t size = sizeof value;
  return getsockopt(descriptor, SOL_SOCKET, option, &value, &size) == 0 ? value : -1;
}

void send_all(int connection, const std::string& text) {
  std::size_t sent = 0;
  while (sent < text.size()) {
    pollfd ready{connection, POLLOUT, 0};
    if (poll(&ready, 1, kSendTimeoutMs) <= 0) return;
    const ssize_t n = send(connection, text.data() + sent, text.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n <= 0) return;
    sent += static_cast<std::size_t>(n);
  }
}

}  // namespace

ControlSocket::ControlSocket(const std::string& path) : path_(path) {
  if (path.empty()) return;
  remove_if_abandoned(path);
  descriptor_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const sockaddr_un address = address_of(path);
  if (descriptor_ >= 0 && bind(descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
      listen(descriptor_, 8) == 0)
    return;
  const std::string reason = std::strerror(errno);
  if (descriptor_ >= 0) close(descriptor_);
  throw Error(ErrorKind::output, "cannot listen at " + path + ": " + reason + ".", "/control");
}

ControlSocket::ControlSocket(int listening) {
  if (socket_option(listening, SO_DOMAIN) != AF_UNIX || socket_option(listening, SO_TYPE) != SOCK_STREAM ||
      socket_option(listening, SO_ACCEPTCONN) != 1)
    throw Error(ErrorKind::input,
                "the descriptor " + std::to_string(listening) + " is no Unix stream socket that listens.", "/control");
  fcntl(listening, F_SETFD, FD_CLOEXEC);
  fcntl(listening, F_SETFL, fcntl(listening, F_GETFL) | O_NONBLOCK);
  descriptor_ = listening;
}

ControlSocket::~ControlSocket() {
  if (descriptor_ < 0) return;
  close(descriptor_);
  if (!path_.empty()) unlink(path_.c_str());
}

void ControlSocket::answer(const std::function<Json()>& snapshot) const {
  if (descriptor_ < 0) return;
  for (int connection; (connection = accept4(descriptor_, nullptr, nullptr, SOCK_CLOEXEC)) >= 0; close(connection)) {
    Json document = snapshot();
    seal_answer(document);
    send_all(connection, document.dump() + "\n");
  }
}

StopSignals::StopSignals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  descriptor_ = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  if (descriptor_ < 0)
    throw Error(ErrorKind::internal, std::string("signals cannot be waited for: ") + std::strerror(errno) + ".");
}

StopSignals::~StopSignals() { close(descriptor_); }

EndReason supervise(const WireJob& job, const StopSignals& signals, std::span<const Port* const> ports,
                    const std::function<Json()>& snapshot, const std::function<bool()>& finished) {
  const ControlSocket control = job.listening ? ControlSocket(*job.listening) : ControlSocket(job.control);
  const std::uint64_t began = monotonic_ns();
  for (;;) {
    std::array<pollfd, 2> waiting = {pollfd{signals.descriptor(), POLLIN, 0}, pollfd{control.descriptor(), POLLIN, 0}};
    poll(waiting.data(), waiting.size(), kGlanceMs);
    if (waiting[0].revents & POLLIN) return EndReason::signal;
    if (waiting[1].revents & POLLIN) control.answer(snapshot);
    for (const Port* port : ports) {
      if (!port->is_there())
        throw Error(ErrorKind::input, "the port " + port->job().name() + " has gone.", port->job().where);
    }
    if (finished && finished()) return EndReason::finished;
    if (job.duration_s && static_cast<double>(monotonic_ns() - began) >= *job.duration_s * 1e9)
      return EndReason::duration;
  }
}

EndReason supervise_loop(const WireJob& job, const StopSignals& signals, std::span<const Port* const> ports,
                         const std::function<Json()>& snapshot,
                         const std::function<void(const std::atomic<bool>& stop)>& loop) {
  std::atomic<bool> stop{false}, finished{false};
  std::exception_ptr failure;
  std::thread worker([&] {
    try {
      loop(stop);
    } catch (...) {
      failure = std::current_exception();
    }
    finished = true;
  });
  const auto join = [&] {
    stop = true;
    worker.join();
  };
  EndReason reason;
  try {
    reason = supervise(job, signals, ports, snapshot, [&] { return finished.load(); });
  } catch (...) {
    join();
    throw;
  }
  join();
  if (failure) std::rethrow_exception(failure);
  return reason;
}

}  // namespace headroom::io
