// SPDX-License-Identifier: Apache-2.0
//
// Any octets as packets of a user plane, while its rules change. The short way for usual packets does what the general
// way does, and what is forwarded lies within the room of the packet.
//
//   input:  packets, each behind an octet of options and a length of two octets. Options: bits 0 and 1 the side, bit 2
//           the octets are a GTP-U message between right outer headers, bit 3 a G-PDU between right GTP-U headers, bit
//           4 the rules change before, bit 5 packets are taken behind it, bit 6 a second passes
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "gtpu/forward/worker.h"
#include "gtpu/sessions/sessions.h"
#include "gtpu/test/packets.h"

namespace {

using namespace headroom::gtpu;
using namespace headroom::gtpu::test;

constexpr std::size_t kRoom = HEADROOM_USER_PLANE_ROOM;

void require(bool holds) {
  if (!holds) std::abort();
}

Rules rules_of(unsigned variant) {
  Rules rules = basic_rules();
  rules.pdrs[0].teid.addresses = 3;
  rules.pdrs[0].removal = HeaderRemoval::gtp_u_ip;
  rules.pdrs[0].user.ipv6 = rules.pdrs[1].user.ipv6 = 0x20010db8000a0001;
  rules.urrs.emplace_back();
  rules.pdrs[0].urrs = rules.pdrs[1].urrs = {0};
  Forwarding& down = rules.fars[1].forwarding;
  if ((variant & 1) != 0) rules.fars[1].action = kBuffer | kNotify;
  if ((variant & 2) != 0) down.peer = address("2001:db8::7");
  if ((variant & 4) != 0) {
    Pdr pdr = rules.pdrs[1];
    pdr.id = 3;
    pdr.precedence = 1;
    pdr.filters = {std::make_shared<const SdfFilter>(*parse_flow_description("permit out udp from any 9 to assigned"))};
    rules.pdrs.push_back(pdr);
  }
  if ((variant & 8) != 0) rules.fars[0] = {1, kForward | kDuplicate, down, {down}};
  if ((variant & 16) != 0) rules.qers[0].downlink_mbr = 100;
  if ((variant & 32) != 0) rules.pdrs[0].removal = HeaderRemoval::none;
  return rules;
}

struct Plane {
  explicit Plane(bool fast) : config_(config(4)), sessions(config_.addresses, config_.max_sessions) {
    Refusal refusal;
    session = sessions.create(rules_of(0), refusal);
    worker = std::make_unique<Worker>(config_, sessions, true);
    if (!fast) worker->disable_fast_path();
  }

  headroom_user_packet forward(const Bytes& packet, std::int32_t side, std::uint64_t now) {
    buffer.assign(kRoom + packet.size() + kRoom, 0xA5);
    std::copy(packet.begin(), packet.end(), buffer.begin() + kRoom);
    headroom_user_packet p{};
    p.octets = buffer.data() + kRoom;
    p.length = static_cast<std::uint32_t>(packet.size());
    p.room_before = p.room_behind = kRoom;
    p.side = side;
    worker->forward(&p, 1, now);
    if (p.status == HEADROOM_OK) {
      require(p.octets >= buffer.data() && p.octets + p.length <= buffer.data() + buffer.size());
      require(p.side >= HEADROOM_N3 && p.side <= HEADROOM_N9 && p.length != 0);
    }
    return p;
  }

  Bytes take(std::uint64_t now) {
    Bytes all, room(HEADROOM_USER_PLANE_MAX);
    for (int taken = 0;; ++taken) {
      require(taken < 10'000);
      headroom_user_packet p{};
      p.octets = room.data();
      p.length = HEADROOM_USER_PLANE_MAX;
      if (worker->take(&p, 1, now) == 0) return all;
      all.insert(all.end(), p.octets, p.octets + p.length);
    }
  }

  Config config_;
  Sessions sessions;
  Session* session = nullptr;
  std::unique_ptr<Worker> worker;
  Bytes buffer{};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Plane fast(true), general(false);
  std::span<const std::uint8_t> rest(data, size);
  std::uint64_t now = 0;
  for (unsigned variant = 1; rest.size() >= 3; ++variant) {
    const unsigned options = rest[0];
    const std::size_t length = std::min<std::size_t>(read16(&rest[1]), rest.size() - 3);
    Bytes packet(rest.begin() + 3, rest.begin() + 3 + static_cast<std::ptrdiff_t>(length));
    rest = rest.subspan(3 + length);
    if ((options & 8) != 0) packet = message(0x34, kGPdu, kUplinkTeid, hex("00000085 01100900"), packet);
    if ((options & 12) != 0 && packet.size() < 65'000) packet = datagram(kStation, kOwn, 2152, 2152, packet);
    if ((options & 16) != 0) {
      for (Plane* const plane : {&fast, &general}) {
        Refusal refusal;
        require(plane->sessions.replace(*plane->session, rules_of(variant), refusal));
      }
    }
    if ((options & 64) != 0) now += 1'000'000'000;
    const std::int32_t side = static_cast<std::int32_t>(options & 3) % 3 + 1;
    const headroom_user_packet a = fast.forward(packet, side, now), b = general.forward(packet, side, now);
    require(a.status == b.status && a.reason == b.reason && a.side == b.side);
    if (a.status == HEADROOM_OK) require(std::equal(a.octets, a.octets + a.length, b.octets, b.octets + b.length));
    if ((options & 32) != 0) require(fast.take(now) == general.take(now));
    Event event;
    while (fast.sessions.next_event(event)) require(event.session != 0);
    while (general.sessions.next_event(event)) require(event.session != 0);
  }
  return 0;
}
