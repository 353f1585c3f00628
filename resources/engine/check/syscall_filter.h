// SPDX-License-Identifier: Apache-2.0
//
// Lets the kernel watch the calling process: system calls and readings of the clock that a check forbids end it with a
// verdict.
#ifndef HEADROOM_CHECK_SYSCALL_FILTER_H
#define HEADROOM_CHECK_SYSCALL_FILTER_H

#include <string>

namespace headroom::check {

// From now on every system call but writing and exiting ends this child: "fail", with the name of the call. Throws
// NotJudged where the kernel or the processor offers no such filter.
void forbid_system_calls();

// From now on asking for the time or for random octets ends this child: through system calls, and on x86 through the
// time-stamp counter, which is how the C library tells the time without a system call. Throws NotJudged likewise.
void forbid_clock_and_randomness();

}  // namespace headroom::check

#endif  // HEADROOM_CHECK_SYSCALL_FILTER_H
