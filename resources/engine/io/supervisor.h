// SPDX-License-Identifier: Apache-2.0
//
// The tasks of the main thread of a command on the wire while workers forward: it answers on the control socket, and
// ends the run on a signal, when its time is up, or when a port has gone.
#ifndef HEADROOM_IO_SUPERVISOR_H
#define HEADROOM_IO_SUPERVISOR_H

#include <atomic>
#include <functional>
#include <span>
#include <string>

#include "base/json_reader.h"
#include "io/job.h"
#include "io/port.h"

namespace headroom::io {

// ControlSocket is a Unix stream socket. Each client receives one JSON document and the end of the stream.
class ControlSocket {
 public:
  // Listens at `path`, replacing a socket without a listener; does nothing if `path` is empty. Throws Error(output) if
  // it cannot listen.
  explicit ControlSocket(const std::string& path);
  // Takes over a Unix stream socket that listens already, so that this process needs no folder to write to. Throws
  // Error(input) if `listening` is no descriptor of one.
  explicit ControlSocket(int listening);
  ~ControlSocket();  // removes the file at the path, if any
  ControlSocket(const ControlSocket&) = delete;
  ControlSocket& operator=(const ControlSocket&) = delete;

  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
  // Answers all waiting clients, without waiting for a client that does not read.
  void answer(const std::function<Json()>& snapshot) const;

 private:
  std::string path_;
  int descriptor_ = -1;
};

// Blocks SIGTERM and SIGINT in this thread and in the threads that it starts, so that the supervisor receives them.
// REQUIRES: made before any thread is started.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

 private:
  int descriptor_;
};

// The reason why a run has ended.
enum class EndReason : std::uint8_t { signal, duration, finished };

// Waits until SIGTERM or SIGINT, the end of the job's duration, or until `finished` returns true (called every 20 ms).
// Throws Error(input) if a port has gone. `snapshot` returns the answer of the control socket; it runs in this thread.
EndReason supervise(const WireJob& job, const StopSignals& signals, std::span<const Port* const> ports,
                    const std::function<Json()>& snapshot, const std::function<bool()>& finished = {});

// Supervises a loop in a thread of its own, which returns when its work is done or `stop` is set. Also throws
// exceptions of the loop. In any case the thread has ended afterwards.
EndReason supervise_loop(const WireJob& job, const StopSignals& signals, std::span<const Port* const> ports,
                         const std::function<Json()>& snapshot,
                         const std::function<void(const std::atomic<bool>& stop)>& loop);

}  // namespace headroom::io

#endif  // HEADROOM_IO_SUPERVISOR_H
