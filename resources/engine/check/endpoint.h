// SPDX-License-Identifier: Apache-2.0
//
// The checks of endpoints, and the messages that these checks use.
#ifndef HEADROOM_CHECK_ENDPOINT_H
#define HEADROOM_CHECK_ENDPOINT_H

#include <vector>

#include "check/checks.h"

namespace headroom::check {

// Returns the checks for a scheme with endpoints, which run instead of other_checks().
[[nodiscard]] const std::vector<Check>& endpoint_checks();

// Returns a SIP request, which differs a little for each `number`.
[[nodiscard]] Octets sip_message(std::size_t number);

// Returns the job's adapter with another transport.
[[nodiscard]] AdapterJob with_transport(AdapterJob adapter, const char* transport);

}  // namespace headroom::check

#endif  // HEADROOM_CHECK_ENDPOINT_H
