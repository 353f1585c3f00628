// SPDX-License-Identifier: Apache-2.0
//
// Fuzz target: jobs about calls and messages, as untrusted JSON. The first octet chooses which.
#include <string_view>

#include "base/error.h"
#include "base/json_reader.h"
#include "schemes/sigcomp/calls/job.h"
#include "schemes/sigcomp/calls/texts.h"
#include "schemes/sigcomp/messages/job.h"

namespace {

using headroom::Json;

// A job about calls, and a call's messages with other identities.
void read_calls_job(const Json& json) {
  const headroom::sigcomp::calls::Job job = headroom::sigcomp::calls::read_job(json);
  headroom::sigcomp::calls::Texts texts(job);
  texts.use(1, 1);
  for (std::size_t step = 0; step < job.call.size(); ++step) {
    if (texts.call(step).size() != job.call[step].text.size()) __builtin_trap();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    const Json json = headroom::parse_json(text);
    if (data[0] % 2 != 0) {
      read_calls_job(json);
    } else {
      (void)headroom::sigcomp::messages::read_job(json);
    }
  } catch (const headroom::Error&) {
  }
  return 0;
}
