// SPDX-License-Identifier: Apache-2.0
#include "adapter/caller.h"

namespace headroom {

std::vector<PacketInput> link_packets_of(const PacketOutput& output) {
  std::vector<PacketInput> packets;
  if (output.came_out()) packets.push_back({output.octets, 0, output.type});
  for (const PacketOutput& more : output.more) {
    if (more.came_out()) packets.push_back({more.octets, 0, more.type});
  }
  return packets;
}

std::string outcome_defect(const headroom_packet& packet, std::uint32_t capacity, bool may_be_empty) {
  if (packet.status == kNoStatus) return "it left a packet without a status.";
  if (*name_of_status(packet.status) == '\0')
    return "it gave the status " + std::to_string(packet.status) + ", which the ABI does not know.";
  if (packet.status != HEADROOM_OK) return {};
  if (packet.out_length > capacity) {
    return "it claims " + std::to_string(packet.out_length) + " octets of output in a buffer of " +
           std::to_string(capacity) + ".";
  }
  if (packet.out_length == 0 && !may_be_empty) return "it claims success with no octet of output.";
  return {};
}

void require_endpoint(const Instance& instance, const std::string& where) {
  if (instance.sessions() != nullptr && instance.messages() != nullptr) return;
  throw Error(ErrorKind::adapter,
              "the adapter " + instance.path() +
                  " offers endpoints, but lacks one of the extensions \"" HEADROOM_SESSIONS
                  "\" and \"" HEADROOM_MESSAGES "\".",
              where);
}

}  // namespace headroom
