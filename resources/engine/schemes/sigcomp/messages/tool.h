// SPDX-License-Identifier: Apache-2.0
//
// The command `udvm`: a request to the tools of an adapter (headroom_tools.h), across the ABI.
#ifndef HEADROOM_SCHEMES_SIGCOMP_MESSAGES_TOOL_H
#define HEADROOM_SCHEMES_SIGCOMP_MESSAGES_TOOL_H

#include "base/json_reader.h"

namespace headroom::sigcomp::messages {

// {"library": "…", "request": {"tool": "assemble", …}} -> the adapter's answer. Throws Error(adapter) if it has no
// tools, Error(job) with the adapter's sentence where it says that the request is wrong.
[[nodiscard]] Json run_tool(const Json& document);

}  // namespace headroom::sigcomp::messages

#endif  // HEADROOM_SCHEMES_SIGCOMP_MESSAGES_TOOL_H
