// SPDX-License-Identifier: Apache-2.0
//
// Fuzz target: jobs about user planes, and the causes of N4 answers, as untrusted octets. The first octet chooses
// which.
#include <algorithm>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/json_reader.h"
#include "base/octets.h"
#include "schemes/gtpu/load/generator.h"
#include "schemes/gtpu/load/pfcp.h"
#include "schemes/gtpu/user_plane/session.h"
#include "schemes/gtpu/user_plane/trials.h"

namespace {

using headroom::Json;
namespace load = headroom::gtpu::load;

constexpr std::uint32_t kMostUsers = 10'000;  // and flows, so that one input takes little time

constexpr std::uint32_t kChosen = 0x8000'0000;  // + session: the tunnel endpoint that the user plane has chosen
constexpr std::size_t kTeid = 20 + 8 + 4;       // offset behind the headers of IPv4 and UDP

// The messages of a job of `load`, and packets as it has them; `choose`: the user plane chooses the tunnel endpoints.
void make_traffic(const load::Job& job, bool choose) {
  load::SessionMessages messages(job, choose);
  if (messages.association().size() < 16 || messages.establishment(0).size() < 16) __builtin_trap();
  std::vector<std::uint32_t> teids(choose ? messages.sessions() : 0);
  for (std::uint32_t i = 0; i < teids.size(); ++i) teids[i] = kChosen + i;
  load::Generator generator(job, load::session_range(job), 0, 1, teids);
  load::Segment segment;
  generator.fill(segment, 64);
  if (segment.uplink().size() + segment.downlink().size() != 64) __builtin_trap();
  for (const headroom_user_packet& packet : segment.uplink()) {
    if (choose && headroom::load32(packet.octets + kTeid) - kChosen >= teids.size()) __builtin_trap();
  }
}

void read_load_job(const Json& json) {
  const load::Job job = load::read_job(json);
  const std::uint32_t most = std::max({job.traffic.access_users, job.traffic.active_users, job.traffic.flows});
  if (most > kMostUsers || load::session_range(job).count > kMostUsers) return;
  for (const bool choose : {false, true}) make_traffic(job, choose);
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
