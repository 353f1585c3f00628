// SPDX-License-Identifier: Apache-2.0
//
// UE traffic is precomputed. A UE's messages depend on those it has received, so every call is run once beforehand,
// with a user's endpoint at one end and a P-CSCF's at the other, and each message is checked octet by octet. The
// recording holds the messages that the P-CSCF receives and its expected output. In the run itself no time or memory of
// a UE is charged to the P-CSCF. The precomputation can be a job of its own, so that nothing that an adapter keeps of
// it, such as a file or a process, is there when the P-CSCF is measured. It uses one process for each core.
//
// It relies on a promise of the ABI: the same calls give the same octets. A P-CSCF whose messages to one user depend on
// those of others is detected, because its messages are compared with the precomputed ones.
#ifndef HEADROOM_SCHEMES_SIGCOMP_CALLS_PRECOMPUTE_H
#define HEADROOM_SCHEMES_SIGCOMP_CALLS_PRECOMPUTE_H

#include "base/json_reader.h"
#include "schemes/sigcomp/calls/job.h"

namespace headroom::sigcomp::calls {

// Writes the recording, and returns the result of the job (README.md). Throws Error(adapter) if a message cannot be
// delivered, or an adapter crashes its process; Error(output) if the recording cannot be written.
[[nodiscard]] Json precompute(const PrecomputeJob& job);

// The recording of a job that names none: in memory, while this exists.
class OwnRecording {
 public:
  // Precomputes the calls of the job, and names the recording in it. Throws as `precompute`.
  explicit OwnRecording(Job& job);
  ~OwnRecording();
  OwnRecording(const OwnRecording&) = delete;
  OwnRecording& operator=(const OwnRecording&) = delete;

 private:
  int descriptor_;
};

}  // namespace headroom::sigcomp::calls

#endif  // HEADROOM_SCHEMES_SIGCOMP_CALLS_PRECOMPUTE_H
