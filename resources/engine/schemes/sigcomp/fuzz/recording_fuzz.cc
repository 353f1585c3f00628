// SPDX-License-Identifier: Apache-2.0
//
// Fuzz target: the recording of calls, which an adapter may have changed. The input is a list of changes to one that is
// right: a place in two octets, and an octet that is put there.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "base/error.h"
#include "schemes/sigcomp/calls/recording.h"
#include "schemes/sigcomp/calls/texts.h"

namespace {

using namespace headroom::sigcomp::calls;

// Two calls of two messages, and a file in memory for their recording.
struct Calls {
  Calls() {
    job.call.resize(2);
    job.call[0].from_user = true;
    job.call[0].text = {'I', 'N', 'V', 'I', 'T', 'E'};
    job.call[1].after_holding = true;
    job.call[1].text = {'O', 'K'};
    plan.users = 2;
    plan.calls = {{0, 1, 0}, {1, 1, 1}};
    job.recording = "/proc/self/fd/" + std::to_string(file);
  }

  void write_recording() {
    NewRecording recording(job.recording, PartNumbers(job, plan));
    NewRecording::Writer writer(recording);
    const headroom::Octets &request = job.call[0].text, &answer = job.call[1].text;
    for (std::size_t call = 0; call < plan.calls.size(); ++call) {
      writer.keep(2 * call, {answer, static_cast<std::uint32_t>(request.size()), hash_of(request)});
      writer.keep(2 * call + 1, {answer, 7, 0});
    }
    job.digests = {writer.finish()};
  }

  const int file = memfd_create("recording", MFD_CLOEXEC);
  Job job;
  Plan plan;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Calls calls;
  calls.write_recording();
  for (std::size_t i = 0; i + 3 <= size; i += 3) {
    // The highest places cut the file off; a change behind its end makes it longer.
    const std::size_t place = std::size_t{data[i]} << 8 | data[i + 1];
    if (place >= 0xFF00) {
      if (ftruncate(calls.file, data[i + 2]) != 0) __builtin_trap();
    } else if (pwrite(calls.file, &data[i + 2], 1, static_cast<off_t>(place)) != 1) {
      __builtin_trap();
    }
  }
  try {
    const Recording recording(calls.job, calls.plan);
    for (std::uint32_t call = 0; call < calls.plan.calls.size(); ++call) {
      const Part request = recording.call(call, 0), answer = recording.call(call, 1);
      // A message that users compressed is the text of the answer here.
      if (!std::ranges::equal(request.input, calls.job.call[1].text)) __builtin_trap();
      if (!std::ranges::equal(answer.input, calls.job.call[1].text)) __builtin_trap();
      if (request.output_hash != hash_of(calls.job.call[0].text) || answer.output_length != 7) __builtin_trap();
    }
  } catch (const headroom::Error&) {
  }
  return 0;
}
