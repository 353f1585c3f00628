// SPDX-License-Identifier: Apache-2.0
//
// Fuzz target: jobs and traffic profiles, as untrusted JSON. The first octet chooses what the rest is read as. A
// profile that is accepted is rendered a little, and each of its packets must be as long as its header says.
#include <string_view>

#include "base/error.h"
#include "base/json_reader.h"
#include "load/job.h"
#include "replay/job.h"
#include "traffic/render.h"
#include "transfer/job.h"

namespace {

using headroom::Json;

void render_a_little(const Json& json) {
  const headroom::traffic::Profile profile = headroom::traffic::read_profile(headroom::Value(json, ""));
  headroom::traffic::Flow flow(profile, 1, 1);
  std::vector<headroom::traffic::FlowPacket> packets;
  for (int i = 0; i < 20; ++i) flow.advance(packets);
  for (const headroom::traffic::FlowPacket& packet : packets) {
    if (packet.octets.empty() || packet.header_length > packet.octets.size()) __builtin_trap();
  }
}

// A job that names files must not read them: whatever it says, its source is replaced by one packet.
void read_replay_job(Json json) {
  if (json.is_object() && json.contains("source") && json["source"].is_object() && json["source"].contains("capture")) {
    json["source"] = {{"packets", {{{"hex", "45"}}}}};
  }
  if (json.is_object()) json.erase("expected");
  // Nor render more than a moment takes.
  if (json.is_object() && json.contains("source") && json["source"].is_object() && json["source"].contains("profile")) {
    json["source"]["packets"] = 10;
    json["source"].erase("duration_s");
    json["source"].erase("flows");
  }
  (void)headroom::replay::read_job(json);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    const Json json = headroom::parse_json(text);
    switch (data[0] % 4) {
      case 0:
        render_a_little(json);
        break;
      case 1:
        read_replay_job(json);
        break;
      case 2:
        (void)headroom::load::read_job(json);
        break;
      default:
        (void)headroom::transfer::read_job(json);
        break;
    }
  } catch (const headroom::Error&) {
  }
  return 0;
}
