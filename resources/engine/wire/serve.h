// SPDX-License-Identifier: Apache-2.0
//
// `serve`: one job of a command that generates traffic after the other, over ports that stay open.
#ifndef HEADROOM_WIRE_SERVE_H
#define HEADROOM_WIRE_SERVE_H

namespace headroom::wire {

// Reads requests from one descriptor and writes replies to another until the input ends or a signal says so: JSON-RPC
// 2.0, one object a line. `method` is the command, `params` its job; what a job throws is answered as an error. Throws
// Error where the descriptors fail, or a line is longer than any job.
void serve(int input, int output);

}  // namespace headroom::wire

#endif  // HEADROOM_WIRE_SERVE_H
