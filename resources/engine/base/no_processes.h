// SPDX-License-Identifier: Apache-2.0
//
// Keeps what is measured in this process and on its core: a process that an adapter starts would work unmeasured, and
// an adapter could move its thread to an idle core. Keeps the engine's system calls as the kernel answers them.
#ifndef HEADROOM_BASE_NO_PROCESSES_H
#define HEADROOM_BASE_NO_PROCESSES_H

namespace headroom {

// From now on the calling thread and threads that it starts take no filters of system calls but those of the functions
// below: EPERM. By a filter an adapter would choose what the engine's calls return, such as the error of a full disk,
// or no processor time. Does nothing where the kernel has no filters.
void take_no_filters() noexcept;

// From now on no thread of this process starts another process: EPERM. Threads start as before. Does nothing with
// sanitizers, which start processes, and where the kernel has no filters of system calls.
void start_no_processes() noexcept;

// From now on neither the calling thread nor threads that it starts choose their cores: EPERM. Does nothing where the
// kernel has no filters of system calls.
void stay_on_core() noexcept;

// From now on the calling thread and threads that it starts set no handlers of signals: EPERM. A handler would do an
// adapter's work beside its calls, in a thread that waits, unmeasured. Does nothing where the kernel has no filters of
// system calls.
void handle_no_signals() noexcept;

}  // namespace headroom

#endif  // HEADROOM_BASE_NO_PROCESSES_H
