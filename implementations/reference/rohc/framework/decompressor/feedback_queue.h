// SPDX-License-Identifier: Apache-2.0
//
// A queue of a decompressor's feedback elements until the caller takes them.
#pragma once

#include "cxx/reverse_queue.h"

namespace headroom::rohc {

using FeedbackQueue = headroom::ReverseQueue<257>;  // type, Size and 255 octets of feedback data (RFC 3095 5.2.2)

}  // namespace headroom::rohc
