// SPDX-License-Identifier: Apache-2.0
//
// System call filters for the calling process: a forbidden system call or reading of the clock ends the process with a
// verdict.
#ifndef HEADROOM_CHECK_SYSCALL_FILTER_H
#define HEADROOM_CHECK_SYSCALL_FILTER_H

#include <string>

namespace headroom::check {

// Ends this child with "fail", and the name of the call, at any further system call but writing and exiting. Throws
// LacksHere if the kernel or the processor offers no such filter.
void forbid_system_calls();

// Ends this child at any further request for the time or for random octets: through system calls, and on x86 through
// the time-stamp counter and the kernel's pages, by which the C library reads the time without a system call. Throws
// LacksHere as above.
void forbid_clock_and_randomness();

}  // namespace headroom::check

#endif  // HEADROOM_CHECK_SYSCALL_FILTER_H
