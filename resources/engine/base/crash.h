// SPDX-License-Identifier: Apache-2.0
//
// A crash handler that names the library whose code made the process die.
#ifndef HEADROOM_BASE_CRASH_H
#define HEADROOM_BASE_CRASH_H

namespace headroom {

// The beginning of the line that is written to standard error before the process dies.
inline constexpr char kDiedIn[] = "headroom-engine: died in ";

// Installs handlers by which SIGSEGV, SIGBUS, SIGILL, SIGFPE and SIGABRT name the library whose code the thread was
// executing, or whose code had called the C or C++ library, and then end the process as usual. The named library is
// where the process died; another library may have damaged the memory. With sanitizers, which report more, nothing is
// installed. Called once in a process.
void tell_where_it_dies();

}  // namespace headroom

#endif  // HEADROOM_BASE_CRASH_H
