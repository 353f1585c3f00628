// SPDX-License-Identifier: Apache-2.0
//
// Changes of a traffic profile: fields that take another value from some packet of a flow on.
#ifndef HEADROOM_TRAFFIC_READ_CHANGES_H
#define HEADROOM_TRAFFIC_READ_CHANGES_H

#include <vector>

#include "base/json_reader.h"
#include "traffic/profile.h"

namespace headroom::traffic {

// Adds what one entry of "changes" says, one Change for each field. Throws Error(job) if the packets, which have
// `headers`, lack what is to change.
void read_change(const Value& value, const std::vector<Header>& headers, std::vector<Change>& changes);

}  // namespace headroom::traffic

#endif  // HEADROOM_TRAFFIC_READ_CHANGES_H
