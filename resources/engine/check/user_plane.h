// SPDX-License-Identifier: Apache-2.0
//
// The checks of user planes (headroom_user_plane.h), and the user plane that they try.
#ifndef HEADROOM_CHECK_USER_PLANE_H
#define HEADROOM_CHECK_USER_PLANE_H

#include <vector>

#include "adapter/user_plane.h"
#include "check/checks.h"

namespace headroom::check {

// Instead of other_checks(), for a scheme with user planes.
[[nodiscard]] const std::vector<Check>& user_plane_checks();

// N4 message `index` of the subject, as the control plane sends it.
[[nodiscard]] N4Datagram n4_message(const Subject& subject, std::size_t index);

// Gives all N4 messages of the subject and takes the answers. Returns the packets of the sessions.
[[nodiscard]] std::vector<UserPlaneTrial::Packet> establish(CheckedUserPlane& plane, const Subject& subject);

}  // namespace headroom::check

#endif  // HEADROOM_CHECK_USER_PLANE_H
