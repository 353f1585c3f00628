// SPDX-License-Identifier: Apache-2.0
//
// A scheme without modes, CIDs and feedback. OPEN, an octet 0, is a session's number and a packet; MORE, an octet 1, is
// the number, how many octets the packet has in common with the session's last one, and its other octets.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "cxx/calls.h"
#include "headroom.h"

// A session is open if it has a packet.
struct Session {
  std::vector<std::uint8_t> last;  // packet
  std::uint32_t flow = 0;          // whose packets it was opened for
};
using Sessions = std::vector<Session>;

struct headroom_instance : headroom::Instance {
  std::vector<Sessions> sessions;  // by channel
};

namespace {

constexpr std::size_t kLargestPacket = 65'535, kMostInCommon = 255;

nlohmann::json description() {
  return nlohmann::json::parse(R"({"name": "toy", "version": "1.0", "licence": "Apache-2.0", "schemes": [{
    "scheme": "toy", "roles": ["compressor", "decompressor"], "sessions": 64, "max_channels": 64, "feedback": [],
    "names": {"packet_types": ["OPEN", "MORE"], "events": ["none"]}}]})");
}

headroom_instance* make(std::int32_t role, const nlohmann::json& config) {
  const auto channels = headroom::read_configuration(config, description()).channels;
  std::uint32_t sessions = 16;
  headroom::Settings(config, "the configuration").number("sessions", 1, 64, sessions);
  return new headroom_instance{{role, channels}, std::vector<Sessions>(channels, Sessions(sessions))};
}

// Addresses and ports of IPv4 or IPv6, or what stands there, say which flow a packet is of.
std::uint32_t flow_of(const headroom_packet& p) {
  const bool is_ipv6 = p.in_length > 0 && p.in[0] >> 4 == 6;
  const std::uint32_t end = std::min<std::uint32_t>(p.in_length, is_ipv6 ? 44 : 24);
  std::uint32_t sum = 0;
  for (std::uint32_t i = is_ipv6 ? 8 : 12; i < end; ++i) sum = sum * 31 + p.in[i];
  return sum;
}

// The session of a flow, or a new one. Flows share sessions once all are open.
std::size_t session_of(const Sessions& sessions, std::uint32_t flow) {
  for (std::size_t number = 0; number < sessions.size(); ++number)
    if (sessions[number].last.empty() || sessions[number].flow == flow) return number;
  return flow % sessions.size();
}

// Takes note of a packet: `common` octets of the last one, and others. Allocates for a session's first one alone.
// With TOY_FORGETS it forgets what is behind the first octets.
void note(std::vector<std::uint8_t>& last, std::size_t common, const std::uint8_t* rest, std::size_t length) {
  if (last.empty()) last.reserve(kLargestPacket);
  last.resize(common);
  last.insert(last.end(), rest, rest + length);
#ifdef TOY_FORGETS
  if (last.size() > 40) std::fill(last.begin() + 40, last.end(), std::uint8_t{0});
#endif
}

std::int32_t compress(Sessions& sessions, headroom_packet& p, std::uint16_t& type) {
  const std::uint32_t flow = flow_of(p);
  const std::size_t number = session_of(sessions, flow);
  std::vector<std::uint8_t>& last = sessions[number].last;
  if (last.empty()) sessions[number].flow = flow;
  const std::size_t most = std::min({std::size_t{p.in_length}, last.size(), kMostInCommon});
  const auto common = static_cast<std::size_t>(std::mismatch(p.in, p.in + most, last.begin()).first - p.in);
  type = last.empty() ? 0 : 1;
  const std::uint8_t head[] = {static_cast<std::uint8_t>(type), static_cast<std::uint8_t>(number),
                               static_cast<std::uint8_t>(common)};
  const std::size_t head_length = type == 0 ? 2 : 3, rest = p.in_length - common;
  if (head_length + rest > p.out_capacity) return HEADROOM_ERR_NO_SPACE;
  std::copy_n(head, head_length, p.out);
  std::copy_n(p.in + common, rest, p.out + head_length);
  p.out_length = static_cast<std::uint32_t>(head_length + rest);
  note(last, common, p.in + common, rest);
  return HEADROOM_OK;
}

std::int32_t decompress(Sessions& sessions, headroom_packet& p, std::uint16_t& type) {
  if (p.in_length < 3 || p.in[0] > 1 || p.in[1] >= sessions.size()) return HEADROOM_ERR_MALFORMED;
  type = p.in[0];
  std::vector<std::uint8_t>& last = sessions[p.in[1]].last;
  if (type == 1 && last.empty()) return HEADROOM_ERR_NO_CONTEXT;
  const std::size_t head = type == 0 ? 2 : 3, common = type == 0 ? 0 : p.in[2], rest = p.in_length - head;
  if (common > last.size() || common + rest == 0 || common + rest > kLargestPacket) return HEADROOM_ERR_MALFORMED;
  note(last, common, p.in + head, rest);  // without room, this packet alone is lost
  if (last.size() > p.out_capacity) return HEADROOM_ERR_NO_SPACE;
  std::copy(last.begin(), last.end(), p.out);
  p.out_length = static_cast<std::uint32_t>(last.size());
  return HEADROOM_OK;
}

std::int32_t process(headroom_instance& self, headroom_packet& p, std::uint64_t, headroom_detail* detail) {
  if (p.in_length > kLargestPacket) return HEADROOM_ERR_MALFORMED;
  std::uint16_t type = 0;
  Sessions& sessions = self.sessions[p.channel];
  const std::int32_t status =
      self.role == HEADROOM_COMPRESSOR ? compress(sessions, p, type) : decompress(sessions, p, type);
  if (detail != nullptr && status == HEADROOM_OK) detail->cid = 0, detail->packet_type = type;
  return status;
}

nlohmann::json statistics(const headroom_instance& self) {
  std::size_t open = 0;
  for (const Sessions& sessions : self.sessions)
    open += static_cast<std::size_t>(
        std::count_if(sessions.begin(), sessions.end(), [](const Session& one) { return !one.last.empty(); }));
  return {{"memory_bytes", open * 1500}, {"contexts", open}};
}

constexpr headroom_api kApi = {.abi_version = HEADROOM_ABI_VERSION,
                               .struct_size = sizeof(headroom_api),
                               .describe = headroom::describe<description>,
                               .create = headroom::create<make>,
                               .destroy = [](headroom_instance* self) { delete self; },
                               .compress = headroom::each<process, HEADROOM_COMPRESSOR>,
                               .decompress = headroom::each<process, HEADROOM_DECOMPRESSOR>,
                               .statistics = headroom::statistics<statistics>};

}  // namespace

extern "C" HEADROOM_EXPORT const headroom_api* headroom_implementation(void) { return &kApi; }
