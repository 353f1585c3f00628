// SPDX-License-Identifier: Apache-2.0
//
// Fuzz target: PFCP messages to a user plane that has an association and a session, and packets of its user. Answers
// are well-formed messages to the sender; a rejected request leaves as many sessions as there were.
//
// Input, again and again: what is to come (0: a datagram for N4; 1: the elements of a request, whose type and SEID
// follow; 2: a user's packet, whose side follows; 3: time passes), a length in two octets, and the octets.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "gtpu/forward/worker.h"
#include "gtpu/n4/controller.h"

namespace headroom::gtpu {
namespace {

using Bytes = std::vector<std::uint8_t>;

void expect(bool holds) {
  if (!holds) std::abort();
}

Config config() {
  Config config;
  const std::uint8_t ipv4[] = {172, 17, 0, 1};
  const std::uint8_t ipv6[16] = {0x20, 0x01, 0x0D, 0xB8, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  config.addresses.entries = {{Address::of_ipv4(ipv4), true, true}, {Address::of_ipv6(ipv6), true, true}};
  config.max_sessions = 8;
  PredefinedRule web;
  web.name = "web";
  web.filter = *parse_flow_description("permit out 6 from any 80 to assigned");
  config.predefined_rules = {web};
  return config;
}

class UserPlane {
 public:
  UserPlane()
      : sessions_(config_.addresses, config_.max_sessions),
        controller_(sessions_, {Address::of_ipv4(0xC0000204), 0, config_.predefined_rules}),
        worker_(config_, sessions_, true) {}

  void datagram(pfcp::Octets octets) {
    Bytes copy(octets.begin(), octets.end());  // as long as it is, so that AddressSanitizer sees its end
    headroom_n4_message message{};
    message.octets = copy.data();
    message.length = static_cast<std::uint32_t>(copy.size());
    message.port = n4::kPort;
    const std::uint32_t before = sessions_.count();
    controller_.handle(message, now_);
    if (!take() && copy.size() > 1 && copy[1] == pfcp::kSessionEstablishmentRequest)
      expect(sessions_.count() == before);
  }

  void request(std::uint8_t type, std::uint8_t session, pfcp::Octets elements) {
    static Bytes room(pfcp::kLongestMessage);
    const bool of_session = type >= pfcp::kSessionEstablishmentRequest;
    std::uint64_t seid = 0;
    sessions_.for_each([&](const Session& s) {
      if (s.index == session) seid = s.seid;
    });
    pfcp::MessageWriter out(room, {type, of_session ? std::optional(seid) : std::nullopt, ++sequence_});
    out.octets(elements);
    if (out.ok()) datagram(out.finish());
  }

  void packet(std::uint8_t side, pfcp::Octets octets) {
    constexpr std::size_t kRoom = HEADROOM_USER_PLANE_ROOM;
    Bytes buffer(kRoom);
    buffer.insert(buffer.end(), octets.begin(), octets.end());
    buffer.resize(buffer.size() + kRoom);
    headroom_user_packet p{};
    p.octets = buffer.data() + kRoom;
    p.length = static_cast<std::uint32_t>(octets.size());
    p.room_before = p.room_behind = kRoom;
    p.side = side % 3 + HEADROOM_N3;
    worker_.forward(&p, 1, now_);
    (void)take();
  }

  void wait(std::uint64_t ns) {
    now_ += ns;
    (void)take();
    expect(controller_.deadline() > now_);
  }

 private:
  // Takes all messages. True if one says that a request was accepted.
  bool take() {
    static Bytes room(HEADROOM_USER_PLANE_MAX);
    bool accepted = false;
    headroom_n4_message message{};
    message.octets = room.data();
    message.capacity = HEADROOM_USER_PLANE_MAX;
    while (controller_.take(message, now_)) {
      const pfcp::Message read = pfcp::read_message({message.octets, message.length});
      expect(read.state == pfcp::HeaderState::good && read.behind.empty());
      pfcp::IeReader in(read.body);
      while (const auto ie = in.next()) accepted = accepted || (ie->type == pfcp::kCause && ie->value[0] == 1);
      expect(!in.broken());
    }
    headroom_user_packet packet{};
    packet.octets = room.data();
    packet.length = HEADROOM_USER_PLANE_MAX;
    while (worker_.take(&packet, 1, now_) == 1) packet.length = HEADROOM_USER_PLANE_MAX;
    return accepted;
  }

  const Config config_ = config();
  Sessions sessions_;
  n4::Controller controller_;
  Worker worker_;
  std::uint64_t now_ = 0;
  std::uint32_t sequence_ = 0;
};

}  // namespace

void run(pfcp::Octets input) {
  UserPlane target;
  pfcp::FieldReader in(input);
  while (!in.rest().empty()) {
    const std::uint8_t what = in.u8() % 4;
    const std::size_t length = in.u16();
    pfcp::Octets octets = in.take(std::min(length, in.rest().size()));
    if (what == 0) target.datagram(octets);
    if (what == 1 && octets.size() >= 2) target.request(octets[0], octets[1], octets.subspan(2));
    if (what == 2 && !octets.empty()) target.packet(octets[0], octets.subspan(1));
    if (what == 3) target.wait(length * 100'000'000);
  }
}

}  // namespace headroom::gtpu

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  headroom::gtpu::run({data, size});
  return 0;
}
