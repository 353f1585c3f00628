// SPDX-License-Identifier: Apache-2.0
//
// The rights that it takes to open ports, and that an adapter must not have.
#ifndef HEADROOM_IO_RIGHTS_H
#define HEADROOM_IO_RIGHTS_H

#include <span>

#include "io/job.h"

namespace headroom::io {

// Gives up all capabilities of this process, in each of its threads, and the way to new ones: from then on, neither
// it nor a program that it starts gets any. To be called when `ports` are open, before an adapter is opened. Does
// nothing for ports of AF_XDP: it takes rights to take the program off the interface at the end. Throws
// Error(internal) where a thread keeps some.
void give_up_rights(std::span<const PortJob> ports);

// Gives them up where it is made: between two members of a class.
struct RightsGivenUp {
  explicit RightsGivenUp(std::span<const PortJob> ports) { give_up_rights(ports); }
};

}  // namespace headroom::io

#endif  // HEADROOM_IO_RIGHTS_H
