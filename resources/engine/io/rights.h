// SPDX-License-Identifier: Apache-2.0
//
// The privileges that opening ports requires, and that an adapter must not have.
#ifndef HEADROOM_IO_RIGHTS_H
#define HEADROOM_IO_RIGHTS_H

#include <span>

#include "io/job.h"

namespace headroom::io {

// Drops all capabilities of this process, in each of its threads, and the ways to new ones: neither the process nor a
// program that it starts gets any afterwards. REQUIRES: `ports` are open, and no adapter has been opened. Does nothing
// for AF_XDP ports, because removing the program from the interface at the end needs privileges. Throws Error(internal)
// if a thread keeps a capability.
void give_up_rights(std::span<const PortJob> ports);

// Drops the privileges in its constructor: a member that is placed between two other members of a class.
struct RightsGivenUp {
  explicit RightsGivenUp(std::span<const PortJob> ports) { give_up_rights(ports); }
};

}  // namespace headroom::io

#endif  // HEADROOM_IO_RIGHTS_H
