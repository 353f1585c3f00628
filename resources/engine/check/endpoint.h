// SPDX-License-Identifier: Apache-2.0
//
// The checks of endpoints, and the messages that they try them with.
#ifndef HEADROOM_CHECK_ENDPOINT_H
#define HEADROOM_CHECK_ENDPOINT_H

#include <vector>

#include "check/checks.h"

namespace headroom::check {

// Instead of other_checks(), for a scheme with endpoints.
[[nodiscard]] const std::vector<Check>& endpoint_checks();

// SIP requests that differ a little from each other.
[[nodiscard]] Octets sip_message(std::size_t number);

// The job's adapter with another transport.
[[nodiscard]] AdapterJob with_transport(AdapterJob adapter, const char* transport);

}  // namespace headroom::check

#endif  // HEADROOM_CHECK_ENDPOINT_H
