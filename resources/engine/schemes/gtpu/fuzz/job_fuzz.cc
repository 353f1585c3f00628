// SPDX-License-Identifier: Apache-2.0
//
// Fuzz target: jobs about user planes, and the causes of N4 answers, as untrusted octets. The first octet chooses
// which.
#include <string_view>

#include "base/error.h"
#include "base/json_reader.h"
#include "schemes/gtpu/load/generator.h"
#include "schemes/gtpu/load/pfcp.h"
#include "schemes/gtpu/user_plane/session.h"
#include "schemes/gtpu/user_plane/trials.h"

namespace {

using headroom::Json;
namespace load = headroom::gtpu::load;

constexpr std::uint32_t kMostUsers = 10'000;  // and flows, so that one input takes little time

// A job of `load`, and a message and packets as it has them.
void read_load_job(const Json& json) {
  const load::Job job = load::read_job(json);
  if (job.traffic.active_users > kMostUsers || job.traffic.flows > kMostUsers) return;
  load::SessionMessages messages(job, false);
  if (messages.establishment(0).size() < 16) __builtin_trap();
  load::Generator generator(job, load::session_range(job), 0, 1);
  load::Segment segment;
  generator.fill(segment, 64);
  if (segment.uplink().size() + segment.downlink().size() != 64) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  (void)load::pfcp::read_answer({data + 1, size - 1});
  try {
    const Json json = headroom::parse_json(text);
    switch (data[0] % 3) {
      case 0:
        (void)headroom::gtpu::read_session_job(json);
        break;
      case 1:
        read_load_job(json);
        break;
      default:
        (void)headroom::gtpu::user_plane_trial(json, {{"n4", data[0] % 2 != 0}, {"features", {"ftup"}}});
    }
  } catch (const headroom::Error&) {
  }
  return 0;
}
