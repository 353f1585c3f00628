// SPDX-License-Identifier: Apache-2.0
#include "schemes/gtpu/load/generator.h"

#include <algorithm>
#include <cstring>

#include "traffic/connection.h"

namespace headroom::gtpu::load {
namespace {

constexpr std::uint32_t kTcp = 20;  // octets of its header
constexpr std::uint8_t kProtocolTcp = 6, kHopLimit = 64;
constexpr std::uint16_t kHttpPort = 80, kQuicPort = 443, kFirstUserPort = 10'000;
constexpr std::uint32_t kRemoteNetwork = 0xCB00'7100;  // 203.0.113.0/24, RFC 5737
constexpr std::uint8_t kSyn = 0x02, kSynAck = 0x12, kData = 0x18;
constexpr std::uint8_t kUplinkPdu = 1;                                // TS 38.415, 5.5.3.1
constexpr std::uint64_t kStreamOfSessions = 1, kStreamOfPackets = 2;  // of the seed

// TCP flows begin with a handshake and a request.
constexpr std::uint32_t kSynNumber = 0, kSynAckNumber = 1, kRequestNumber = 2;

void write_ipv4(std::uint8_t* at, std::uint32_t length, std::uint8_t protocol, std::uint32_t source,
                std::uint32_t destination) noexcept {
  std::memset(at, 0, kIpv4);
  at[0] = 0x45;
  store16(at + 2, length);
  at[8] = kHopLimit;
  at[9] = protocol;
  store32(at + 12, source);
  store32(at + 16, destination);
  store16(at + 10, checksum_finish(checksum_add(0, {at, kIpv4})));
}

}  // namespace

std::uint32_t session_of(const Traffic& traffic, std::uint64_t seed, std::uint32_t index) noexcept {
  const auto place = [&](std::uint32_t n) {
    return static_cast<std::uint32_t>(std::uint64_t{n} * traffic.access_users / traffic.active_users);
  };
  const std::uint32_t first = place(index), spread = place(index + 1) - first;  // at least 1
  return first + scale(draw_at(derive(seed, kStreamOfSessions), index), spread - 1);
}

// ---------------------------------------------------------------------------------------------------- segment

Segment::Segment() : pages_(kSegment * kStride), text_(kSegment, 0) {
  pages_.take();
  uplink_.reserve(kSegment);
  downlink_.reserve(kSegment);
}

void Segment::renew_text(std::uint32_t index, std::size_t length) noexcept {
  if (text_[index] != 0) [[unlikely]]
    std::memset(packet(index) + kEncapsulation + kIpv4 + kTcp, 0, text_[index]);
  text_[index] = static_cast<std::uint16_t>(length);
}

void Segment::add(std::uint32_t index, bool uplink, std::uint32_t length) {
  (uplink ? uplink_ : downlink_)
      .push_back({.octets = packet(index),
                  .length = length,
                  .room_before = static_cast<std::uint16_t>(kRoomBefore),
                  .room_behind = static_cast<std::uint16_t>(kStride - kRoomBefore - length),
                  .side = uplink ? HEADROOM_N3 : HEADROOM_N6,
                  .status = kNoStatus,
                  .reason = 0,
                  .reserved = 0,
                  .more = 0});
  octets_n3_ += length + (uplink ? 0 : kEncapsulation);
}

// -------------------------------------------------------------------------------------------------- generator

Generator::Generator(const Job& job, const SessionRange& range, std::uint32_t worker, std::uint32_t workers,
                     std::span<const std::uint32_t> teids)
    : traffic_(job.traffic),
      range_(range),
      teids_(teids),
      n3_(job.n3),
      random_(derive(derive(job.seed, kStreamOfPackets), worker)),
      uplink_(traffic_.uplink_share),
      http_(traffic_.http_share),
      hit_(traffic_.hit_share) {
  for (const Length& length : traffic_.lengths) weight_ += length.weight;
  requests_.push_back(traffic::http_request("no-rule.example.net"));
  for (const std::string& host : traffic_.hosts) requests_.push_back(traffic::http_request(host));
  std::vector<std::uint32_t> sessions;
  for (std::uint32_t i = 0; i < traffic_.active_users; ++i) {
    const std::uint32_t session = session_of(traffic_, job.seed, i);
    if (worker_of(range.user + session, workers) == worker) sessions.push_back(session);
  }
  if (sessions.empty()) {
    throw Error(ErrorKind::job, "no active user's packets reach worker " + std::to_string(worker) +
                                    "; ask for more active users or fewer workers.");
  }
  users_ = static_cast<std::uint32_t>(sessions.size());
  const std::uint64_t flows = std::uint64_t{traffic_.flows} * users_ / traffic_.active_users;
  flows_.resize(static_cast<std::size_t>(std::max<std::uint64_t>(flows, 1)));
  for (std::size_t i = 0; i < flows_.size(); ++i) {
    flows_[i].session = sessions[i % sessions.size()];
    begin_flow(flows_[i]);
    // Somewhere in its life. Of the flows that are there at a time, long ones are more than of those that begin.
    flows_[i].life += static_cast<std::uint32_t>(exponential(random_.next(), traffic_.packets_of_flow));
    flows_[i].sent = scale(random_.next(), flows_[i].life - 1);
  }
}

void Generator::begin_flow(Flow& flow) {
  const bool hit = hit_.happens(random_.next());
  flow.tcp = http_.happens(random_.next());
  const std::uint64_t draw = random_.next();
  flow.user_port = static_cast<std::uint16_t>(kFirstUserPort + draw % 50'000);
  flow.remote_port = flow.tcp ? kHttpPort : hit ? kRulePort : kQuicPort;
  flow.remote = (hit && !flow.tcp ? rule_network((draw >> 16) % kRules) : kRemoteNetwork) |
                static_cast<std::uint32_t>(1 + (draw >> 32) % 254);
  flow.host = hit ? static_cast<std::uint16_t>(1 + (draw >> 40) % traffic_.hosts.size()) : 0;
  flow.sent = 0;
  flow.life =
      static_cast<std::uint32_t>(std::max<std::uint64_t>(exponential(random_.next(), traffic_.packets_of_flow), 1));
}

std::uint32_t Generator::draw_length() noexcept {
  std::uint32_t draw = scale(random_.next(), weight_ - 1);
  for (const Length& length : traffic_.lengths) {
    if (draw < length.weight) return length.octets - kEncapsulation;
    draw -= length.weight;
  }
  return kShortestPacket - kEncapsulation;
}

const std::string* Generator::request_of(const Flow& flow) const noexcept {
  return flow.tcp && flow.sent == kRequestNumber ? &requests_[flow.host] : nullptr;
}

std::uint32_t Generator::write_inner(std::uint8_t* at, const Flow& flow, bool uplink, std::uint32_t length) {
  std::uint8_t flags = kData;
  const std::string* const text = request_of(flow);
  if (flow.tcp && flow.sent <= kSynAckNumber) {
    length = kIpv4 + kTcp;
    flags = flow.sent == kSynNumber ? kSyn : kSynAck;
  } else if (text != nullptr) {
    length = kIpv4 + kTcp + static_cast<std::uint32_t>(text->size());
  }
  const std::uint32_t user = range_.user + flow.session;
  write_ipv4(at, length, flow.tcp ? kProtocolTcp : kProtocolUdp, uplink ? user : flow.remote,
             uplink ? flow.remote : user);
  std::uint8_t* const transport = at + kIpv4;
  store16(transport, uplink ? flow.user_port : flow.remote_port);
  store16(transport + 2, uplink ? flow.remote_port : flow.user_port);
  if (!flow.tcp) {
    store32(transport + 4, (length - kIpv4) << 16);  // without a checksum
    return length;
  }
  store32(transport + 4, flow.sent * 1000);  // sequence number; a user plane checks neither it nor the checksum
  store32(transport + 8, 1);
  store32(transport + 12, 0x5000'FFFFu | std::uint32_t{flags} << 16);
  store32(transport + 16, 0);
  if (text != nullptr) std::memcpy(transport + kTcp, text->data(), text->size());
  return length;
}

void Generator::write_outer(std::uint8_t* at, const Flow& flow, std::uint32_t inner_length) const noexcept {
  const std::uint32_t length = kEncapsulation + inner_length;
  write_ipv4(at, length, kProtocolUdp, range_.access + flow.session, n3_);
  std::uint8_t* const udp = at + kIpv4;
  store16(udp, kGtpuPort);
  store16(udp + 2, kGtpuPort);
  store32(udp + 4, (length - kIpv4) << 16);  // without a checksum
  std::uint8_t* const gtp = udp + kUdp;
  store16(gtp, 0x34FF);  // version 1, GTP, an extension header; G-PDU
  store16(gtp + 2, inner_length + 8);
  store32(gtp + 4, teids_.empty() ? range_.teid + flow.session : teids_[flow.session]);
  store32(gtp + 8, 0x85);  // the extension header is a PDU session container
  store32(gtp + 12, 0x0100'0000u | std::uint32_t{kUplinkPdu} << 20 | std::uint32_t{range_.qfi} << 8);
}

void Generator::fill(Segment& segment, std::uint32_t count) {
  segment.clear();
  const auto last = static_cast<std::uint32_t>(flows_.size() - 1);
  for (std::uint32_t i = 0; i < count; ++i) {
    Flow& flow = flows_[scale(random_.next(), last)];
    if (flow.sent >= flow.life) begin_flow(flow);
    const bool drawn = uplink_.happens(random_.next());
    const bool uplink =
        !flow.tcp ? flow.sent == 0 || drawn
                  : flow.sent != kSynAckNumber && (flow.sent == kSynNumber || flow.sent == kRequestNumber || drawn);
    const std::string* const text = request_of(flow);
    segment.renew_text(i, text != nullptr ? text->size() : 0);
    std::uint8_t* const at = segment.packet(i);
    const std::uint32_t length = write_inner(at + (uplink ? kEncapsulation : 0), flow, uplink, draw_length());
    if (uplink) write_outer(at, flow, length);
    segment.add(i, uplink, length + (uplink ? kEncapsulation : 0));
    ++flow.sent;
  }
}

}  // namespace headroom::gtpu::load
