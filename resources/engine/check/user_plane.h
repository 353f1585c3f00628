// SPDX-License-Identifier: Apache-2.0
//
// The checks of user planes (headroom_user_plane.h), and functions to drive a user plane under test.
#ifndef HEADROOM_CHECK_USER_PLANE_H
#define HEADROOM_CHECK_USER_PLANE_H

#include <vector>

#include "adapter/user_plane.h"
#include "check/checks.h"

namespace headroom::check {

// Returns the checks for a scheme with user planes, which run instead of other_checks().
[[nodiscard]] const std::vector<Check>& user_plane_checks();

// Returns N4 message `index` of the subject, as the control plane sends it.
[[nodiscard]] N4Datagram n4_message(const Subject& subject, std::size_t index);

// Passes all N4 messages of the subject to the user plane and takes the answers. Returns the packets of the sessions.
[[nodiscard]] std::vector<UserPlaneTrial::Packet> establish(CheckedUserPlane& plane, const Subject& subject);

}  // namespace headroom::check

#endif  // HEADROOM_CHECK_USER_PLANE_H
