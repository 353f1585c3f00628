// SPDX-License-Identifier: Apache-2.0
#include "schemes/sigcomp/ports/calls.h"

#include <algorithm>
#include <utility>

namespace headroom::sigcomp::ports {
namespace {

constexpr std::uint32_t kFirstCaller = 0x10000001;  // 16.0.0.1 and 48.0.0.1, as TRex's examples of sessions have them
constexpr std::uint32_t kFirstCalled = 0x30000001;
constexpr std::uint32_t kCalled = 254;  // addresses
constexpr std::uint32_t kFirstPort = 1024;
constexpr std::size_t kIpHeader = 20;
constexpr std::uint8_t kTtl = 64;
constexpr std::uint16_t kDontFragment = 0x4000;  // and so the identification may be 0: RFC 6864, 4.1

// Where the fields that differ between calls stand, in an IPv4 header without options and in UDP's after it.
constexpr std::size_t kIpChecksum = 10, kSource = 12, kDestination = 16;
constexpr std::size_t kSourcePort = 20, kDestinationPort = 22, kUdpLength = 24, kUdpChecksum = 26;

std::uint32_t words_of(std::uint32_t value) { return (value >> 16) + (value & 0xFFFF); }

}  // namespace

Calls::Calls(std::vector<Message> messages, std::uint32_t callers, std::size_t most)
    : messages_(std::move(messages)), callers_(callers), sent_ns_(most * messages_.size(), 0) {
  calls_.reserve(most);
  std::uint64_t said[2] = {0, 0};  // by the called party, by the caller
  for (std::size_t i = 0; i < messages_.size(); ++i) {
    const Message& message = messages_[i];
    needed_.push_back(said[!message.from_caller]);
    said[message.from_caller] |= std::uint64_t{1} << i;

    Template made;
    made.octets.assign(kUdpIpv4Header, 0);
    made.octets.insert(made.octets.end(), message.payload.begin(), message.payload.end());
    std::uint8_t* const ip = made.octets.data();
    const auto length = static_cast<std::uint32_t>(made.octets.size());
    ip[0] = 0x45;
    store16(ip + 2, length);
    store16(ip + 6, kDontFragment);
    ip[8] = kTtl;
    ip[9] = kUdp;
    store16(ip + (message.from_caller ? kDestinationPort : kSourcePort), kSipPort);
    store16(ip + kUdpLength, length - static_cast<std::uint32_t>(kIpHeader));
    const OctetView whole = made.octets;
    made.ip_sum = checksum_add(0, whole.first(kIpHeader));
    // RFC 768: the pseudo header has the protocol and the length, too.
    made.udp_sum = checksum_add(kUdp + load16(ip + kUdpLength), whole.subspan(kIpHeader));
    templates_.push_back(std::move(made));
  }
  all_ = said[0] | said[1];
}

void Calls::begin(std::uint64_t now_ns) {
  calls_.emplace_back();
  advance(begun() - 1, now_ns);
}

void Calls::advance(std::uint32_t call, std::uint64_t now_ns) {
  Call& one = calls_[call];
  while (!one.pausing && one.next < messages_.size() && (needed_[one.next] & ~one.arrived) == 0) {
    if (const std::uint64_t pause_ns = messages_[one.next].pause_ns; pause_ns != 0) {
      one.pausing = true;
      pauses_.push({now_ns + pause_ns, call});
      return;
    }
    put(call);
  }
}

void Calls::put(std::uint32_t call) {
  const std::uint16_t message = calls_[call].next++;
  waiting_[messages_[message].from_caller].push_back({call, message});
}

void Calls::wake(std::uint64_t now_ns) {
  while (!pauses_.empty() && pauses_.top().until_ns <= now_ns) {
    const std::uint32_t call = pauses_.top().call;
    pauses_.pop();
    calls_[call].pausing = false;
    put(call);
    advance(call, now_ns);
  }
}

OctetView Calls::packet_of(Turn turn) noexcept {
  const Template& made = templates_[turn.message];
  const std::uint32_t caller = kFirstCaller + turn.call % callers_, called = kFirstCalled + turn.call % kCalled;
  const std::uint32_t port = kFirstPort + turn.call / callers_;
  const bool from_caller = messages_[turn.message].from_caller;
  packet_ = made.octets;
  std::uint8_t* const ip = packet_.data();
  store32(ip + kSource, from_caller ? caller : called);
  store32(ip + kDestination, from_caller ? called : caller);
  store16(ip + (from_caller ? kSourcePort : kDestinationPort), port);
  const std::uint32_t addresses = words_of(caller) + words_of(called);
  store16(ip + kIpChecksum, checksum_finish(made.ip_sum + addresses));
  const std::uint16_t checksum = checksum_finish(made.udp_sum + addresses + port);
  store16(ip + kUdpChecksum, checksum != 0 ? checksum : 0xFFFF);
  return packet_;
}

Calls::Turn Calls::note_sent(bool caller, std::uint64_t now_ns) {
  const Turn turn = waiting_[caller].front();
  sent_ns(turn.call, turn.message) = now_ns;
  waiting_[caller].pop_front();
  return turn;
}

std::uint32_t Calls::call_of(bool at_caller, OctetView packet) const noexcept {
  if (packet.size() < kUdpIpv4Header) return begun();
  const std::uint32_t caller = load32(&packet[at_caller ? kDestination : kSource]) - kFirstCaller;
  const std::uint32_t port = load16(&packet[at_caller ? kDestinationPort : kSourcePort]);
  if (caller >= callers_ || port < kFirstPort) return begun();
  const std::uint64_t call = std::uint64_t{port - kFirstPort} * callers_ + caller;
  return call < begun() ? static_cast<std::uint32_t>(call) : begun();
}

Calls::Arrival Calls::note_arrival(bool at_caller, OctetView packet, std::uint64_t now_ns) {
  const std::uint32_t call = call_of(at_caller, packet);
  if (call == begun()) return {Kind::unexpected, {}, 0, 0, false};
  Call& one = calls_[call];
  bool duplicate = false;
  Turn known{};
  for (std::uint16_t i = 0; i < one.next; ++i) {
    if (messages_[i].from_caller == at_caller || templates_[i].octets.size() != packet.size()) continue;
    if (sent_ns(call, i) == 0) continue;
    const OctetView expected = packet_of({call, i});
    if (!std::equal(expected.begin(), expected.end(), packet.begin())) continue;
    const std::uint64_t bit = std::uint64_t{1} << i;
    if (one.arrived & bit) {  // a later message may have the same octets
      duplicate = true;
      known = {call, i};
      continue;
    }
    one.arrived |= bit;
    const bool completes = one.arrived == all_;
    completed_ += completes;
    advance(call, now_ns);
    return {Kind::arrived, {call, i}, sent_ns(call, i), sent_ns(call, 0), completes};
  }
  if (duplicate) return {Kind::duplicate, known, sent_ns(call, known.message), sent_ns(call, 0), false};
  return {Kind::unexpected, {}, 0, 0, false};
}

}  // namespace headroom::sigcomp::ports
