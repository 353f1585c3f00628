// SPDX-License-Identifier: Apache-2.0
//
// What the main thread of a command on the wire does while workers forward: it answers on the control socket, and ends
// the run on a signal, when its time is up, or when a port has gone.
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

// A Unix stream socket. Each client receives one JSON document and the end of the stream.
class ControlSocket {
 public:
  // Listens at `path`, replacing a socket that has no listener any more; does nothing when it is empty. Throws
  // Error(output) when that cannot be.
  explicit ControlSocket(const std::string& path);
  ~ControlSocket();  // removes the file
  ControlSocket(const ControlSocket&) = delete;
  ControlSocket& operator=(const ControlSocket&) = delete;

  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
  // Answers all waiting clients, and does not wait for a client that does not read.
  void answer(const std::function<Json()>& snapshot) const;

 private:
  std::string path_;
  int descriptor_ = -1;
};

// Blocks SIGTERM and SIGINT in this thread and in those that it starts, so that they arrive where they are waited for.
// To be made before any thread is.
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

// The reason for which a run ended.
enum class Ended : std::uint8_t { signal, duration, finished };

// Returns on SIGTERM or SIGINT, when the duration of the job is over, or when `finished` says so (asked every 20 ms).
// Throws Error(input) when a port has gone. `snapshot` is what the control socket tells; it runs in this thread.
Ended supervise(const WireJob& job, const StopSignals& signals, std::span<const Port* const> ports,
                const std::function<Json()>& snapshot, const std::function<bool()>& finished = {});

// Supervises a loop in a thread of its own, which returns when its work is done or `stop` is set. Also throws
// exceptions of the loop. The thread has ended in any case.
Ended supervise_loop(const WireJob& job, const StopSignals& signals, std::span<const Port* const> ports,
                     const std::function<Json()>& snapshot,
                     const std::function<void(const std::atomic<bool>& stop)>& loop);

}  // namespace headroom::io

#endif  // HEADROOM_IO_SUPERVISOR_H
