// SPDX-License-Identifier: Apache-2.0
//
// Messages in and out, and node messages (3GPP TS 29.244, clauses 7.4 and 7.6).
#include "gtpu/n4/controller.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "mutants.h"

namespace headroom::gtpu::n4 {

using pfcp::Cause;
using pfcp::HeaderState;
using pfcp::Ie;

namespace {

// UP Function Features (8.2.25), octets 5 to 8: FTUP; EMPU, QUOAC; ADPDP, MNOP.
constexpr std::uint8_t kFeatures[] = {0x10, 0x09, 0x12, 0x00};

[[nodiscard]] bool is_request(std::uint8_t type) noexcept {
  switch (type) {
    case pfcp::kHeartbeatRequest:
    case pfcp::kPfdManagementRequest:
    case pfcp::kAssociationSetupRequest:
    case pfcp::kAssociationUpdateRequest:
    case pfcp::kAssociationReleaseRequest:
    case pfcp::kSessionSetDeletionRequest:
    case pfcp::kSessionEstablishmentRequest:
    case pfcp::kSessionModificationRequest:
    case pfcp::kSessionDeletionRequest:
      return true;
    default:
      return false;
  }
}

// Types of node messages come before those of session messages (7.3).
[[nodiscard]] bool is_of_session(std::uint8_t type) noexcept { return type >= pfcp::kSessionEstablishmentRequest; }

[[nodiscard]] std::string key_of(const pfcp::NodeId& id) {
  std::string key(1, static_cast<char>(id.type));
  return key.append(reinterpret_cast<const char*>(id.octets.data()), id.octets.size());
}

}  // namespace

Controller::Controller(Sessions& sessions, Config config)
    : sessions_(sessions),
      node_(config.node),
      recovery_time_(config.recovery_time),
      predefined_(std::move(config.predefined)),
      reader_(sessions, predefined_),
      usage_reports_(config.recovery_time),
      buffer_(pfcp::kLongestMessage) {}

void Controller::handle(const headroom_n4_message& message, std::uint64_t now) {
  Request request;
  std::copy(std::begin(message.peer), std::end(message.peer), request.peer.address.begin());
  request.peer.port = message.port;
  request.now = now;
  // Each message is shorter than the rest by its header at least, and so the loop ends.
  pfcp::Octets rest(message.octets, message.length);
  while (!rest.empty()) {
    request.message = pfcp::read_message(rest);
    request.octets = rest.first(rest.size() - request.message.behind.size());
    rest = request.message.behind;
    handle_message(request);
  }
}

void Controller::handle_message(const Request& request) {
  const pfcp::Header& header = request.message.header;
  switch (request.message.state) {
    case HeaderState::short_message:
      return;
    case HeaderState::other_version: {
      if (mutant("gtpu-other-versions-not-answered") || header.type == pfcp::kVersionNotSupportedResponse)
        return;  // or two versions would answer for ever
      pfcp::MessageWriter out(buffer_, {pfcp::kVersionNotSupportedResponse, {}, header.sequence});
      const pfcp::Octets octets = out.finish();
      outbox_.push_back({request.peer, {octets.begin(), octets.end()}});
      return;
    }
    case HeaderState::wrong_length:
      // A Heartbeat Response has no cause to say so.
      if (is_request(header.type) && header.type != pfcp::kHeartbeatRequest) {
        reject(request, {Cause::invalid_length});
      }
      return;
    case HeaderState::good:
      break;
  }
  if (header.type == pfcp::kSessionReportResponse) return handle_report_response(request);
  // Other responses answer nothing that was asked; unknown types are discarded (7.6.4). A session message has a SEID
  // (7.2.2.4.2).
  if (!is_request(header.type) || (is_of_session(header.type) && !header.seid)) return;
  const bool again = mutant("gtpu-repeated-requests-handled-again");
  if (const auto known =
          again ? std::nullopt : answers_.find(request.peer, header.sequence, request.octets, request.now)) {
    outbox_.push_back({request.peer, {known->begin(), known->end()}});
    return;
  }
  handle_request(request);
}

void Controller::handle_request(const Request& request) {
  switch (request.message.header.type) {
    case pfcp::kHeartbeatRequest:
      return heartbeat(request);
    case pfcp::kAssociationSetupRequest:
      return association_setup(request);
    case pfcp::kAssociationUpdateRequest:
      return association_update(request);
    case pfcp::kAssociationReleaseRequest:
      return association_release(request);
    case pfcp::kSessionEstablishmentRequest:
      return establish(request);
    case pfcp::kSessionModificationRequest:
      return modify(request);
    case pfcp::kSessionDeletionRequest:
      return remove(request);
    default:  // PFD management and deletion of session sets belong to features that were not announced (PFDM, SSET)
      return reject(request, {Cause::service_not_supported});
  }
}

bool Controller::take(headroom_n4_message& message, std::uint64_t now) {
  Event event;
  while (outbox_.empty() && sessions_.next_event(event)) handle_event(event, now);
  while (outbox_.empty()) {
    const auto timer = usage_reports_.expired(now);
    if (!timer) break;
    handle_timer(*timer, now);
  }
  while (outbox_.empty()) {
    const PendingRequests::Pending* again = pending_.due(now);
    if (again == nullptr) break;
    if (sessions_.find(again->session) != nullptr) outbox_.push_back(again->request);
  }
  if (outbox_.empty()) return false;
  const Datagram& next = outbox_.front();
  message.length = static_cast<std::uint32_t>(std::min<std::size_t>(next.octets.size(), message.capacity));
  std::memcpy(message.octets, next.octets.data(), message.length);
  std::copy(next.peer.address.begin(), next.peer.address.end(), std::begin(message.peer));
  message.port = next.peer.port;
  std::fill(std::begin(message.reserved), std::end(message.reserved), std::uint16_t{0});
  outbox_.pop_front();
  return true;
}

std::uint64_t Controller::deadline() const {
  static_assert(kNever == HEADROOM_NO_DEADLINE);
  return std::min(usage_reports_.deadline(), pending_.deadline().value_or(kNever));
}

// Heartbeat (7.4.2): the Recovery Time Stamp shows when this side began.
void Controller::heartbeat(const Request& request) {
  pfcp::MessageWriter out = response(request);
  const bool moves = mutant("gtpu-recovery-time-moves");
  out.ie(pfcp::kRecoveryTimeStamp, recovery_time_ + (moves ? request.now / 1'000'000'000 : 0), 4);
  answer(request, out);
}

// Association Setup (6.2.6.2.2, 7.4.4.1).
void Controller::association_setup(const Request& request) {
  reader_.begin(false);
  std::optional<Ie> id;
  std::uint32_t recovery = 0;
  SeenTypes seen;
  const bool read = reader_.for_each(request.message.body, 0, [&](const Ie& ie) {
    if (!seen.first(ie.type)) return true;
    if (ie.type == pfcp::kNodeId) id = ie;
    return ie.type != pfcp::kRecoveryTimeStamp || reader_.number(ie, 4, recovery);
  });
  if (!read) return reject(request, reader_.failure());
  for (const pfcp::IeType type : {pfcp::kNodeId, pfcp::kRecoveryTimeStamp}) {
    if (!seen.has(type)) return reject(request, {Cause::mandatory_ie_missing, type});
  }
  const auto node = pfcp::read_node_id(id->value);
  if (!node) return reject(request, {Cause::invalid_length, pfcp::kNodeId});
  const std::string key = key_of(*node);
  const auto found =
      std::find_if(associations_.begin(), associations_.end(), [&](const auto& a) { return a.node_id == key; });
  if (found != associations_.end()) {
    // The peer begins anew: its sessions go, unless it asks for their retention.
    if (!seen.has(pfcp::kSessionRetentionInformation)) {
      remove_sessions(static_cast<std::uint32_t>(found - associations_.begin()));
    }
    found->peer = request.peer;
  } else {
    const auto free =
        std::find_if(associations_.begin(), associations_.end(), [](const auto& a) { return a.node_id.empty(); });
    if (free != associations_.end()) {
      *free = {key, request.peer};
    } else if (associations_.size() < kMostAssociations) {
      associations_.push_back({key, request.peer});
    } else {
      return reject(request, {Cause::no_resources_available});
    }
  }
  answers_.clear();
  pfcp::MessageWriter out = response(request);
  node_id(out);
  out.ie(pfcp::kCause, static_cast<std::uint8_t>(Cause::accepted), 1);
  out.ie(pfcp::kRecoveryTimeStamp, recovery_time_, 4);
  out.ie(pfcp::kUpFunctionFeatures, kFeatures);
  answer(request, out);
}

void Controller::association_update(const Request& request) {
  if (!association_of(request, std::nullopt)) return;
  pfcp::MessageWriter out = response(request);
  node_id(out);
  out.ie(pfcp::kCause, static_cast<std::uint8_t>(Cause::accepted), 1);
  answer(request, out);
}

// Association Release (6.2.8): all sessions of the association are deleted.
void Controller::association_release(const Request& request) {
  const auto association = association_of(request, std::nullopt);
  if (!association) return;
  remove_sessions(*association);
  associations_[*association] = {};
  answers_.clear();
  pfcp::MessageWriter out = response(request);
  node_id(out);
  out.ie(pfcp::kCause, static_cast<std::uint8_t>(Cause::accepted), 1);
  answer(request, out);
}

std::optional<std::uint32_t> Controller::association_of(const Request& request, std::optional<Ie> id) {
  if (!id) {
    reader_.begin(false);
    const bool read = reader_.for_each(request.message.body, 0, [&](const Ie& ie) {
      if (ie.type == pfcp::kNodeId && !id) id = ie;
      return true;
    });
    if (!read) {
      reject(request, reader_.failure());
      return std::nullopt;
    }
  }
  if (mutant("gtpu-association-not-needed")) return 0;
  Failure failure{Cause::mandatory_ie_missing, pfcp::kNodeId};
  if (id) {
    const auto node = pfcp::read_node_id(id->value);
    if (node) {
      const std::string key = key_of(*node);
      for (std::uint32_t i = 0; i < associations_.size(); ++i) {
        if (associations_[i].node_id == key) return i;
      }
    }
    failure.cause = node ? Cause::no_established_association : Cause::invalid_length;
    if (node) failure.offending_ie = 0;
  }
  reject(request, failure);
  return std::nullopt;
}

bool Controller::knows(const Peer& peer) const {
  return std::any_of(associations_.begin(), associations_.end(),
                     [&](const Association& a) { return !a.node_id.empty() && a.peer.address == peer.address; });
}

void Controller::remove_sessions(std::uint32_t association) {
  sessions_.for_each([&](Session& session) {
    SessionState& state = state_of(session);
    if (state.association != association) return;
    state = {};
    sessions_.remove(session);
  });
}

pfcp::MessageWriter Controller::response(const Request& request, std::uint64_t seid) {
  const pfcp::Header& header = request.message.header;
  const bool of_session = is_of_session(header.type);
  if (mutant("gtpu-response-without-our-seid")) seid = 0;
  return {
      buffer_,
      {static_cast<std::uint8_t>(header.type + 1), of_session ? std::optional(seid) : std::nullopt, header.sequence}};
}

void Controller::node_id(pfcp::MessageWriter& out) const {
  const std::size_t ie = out.open(pfcp::kNodeId);
  if (node_.is_ipv4()) {
    out.number(static_cast<std::uint8_t>(pfcp::NodeIdType::ipv4), 1).octets({node_.ipv4_octets(), 4});
  } else {
    out.number(static_cast<std::uint8_t>(pfcp::NodeIdType::ipv6), 1).octets(node_.octets);
  }
  out.close(ie);
}

void Controller::answer(const Request& request, pfcp::MessageWriter& out) {
  const pfcp::Octets octets = out.finish();
  answers_.keep(request.peer, request.message.header.sequence, request.octets, octets, request.now);
  outbox_.push_back({request.peer, {octets.begin(), octets.end()}});
}

void Controller::reject(const Request& request, const Failure& failure, std::uint64_t seid) {
  const std::uint8_t type = request.message.header.type;
  pfcp::MessageWriter out = response(request, seid);
  const bool has_node_id =
      is_of_session(type) ? type == pfcp::kSessionEstablishmentRequest : type != pfcp::kPfdManagementRequest;
  if (has_node_id) node_id(out);
  const bool vague = mutant("gtpu-causes-are-vague");
  out.ie(pfcp::kCause, static_cast<std::uint8_t>(vague ? Cause::rejected : failure.cause), 1);
  if (failure.offending_ie != 0 && !mutant("gtpu-no-offending-ie")) out.ie(pfcp::kOffendingIe, failure.offending_ie, 2);
  if (type == pfcp::kAssociationSetupRequest) out.ie(pfcp::kRecoveryTimeStamp, recovery_time_, 4);
  if (failure.kind != Refusal::Kind::none) {
    const std::size_t ie = out.open(pfcp::kFailedRuleId);
    out.number(static_cast<std::uint8_t>(failure.kind), 1);
    const bool two = failure.kind == Refusal::Kind::pdr;
    out.number(failure.id, two ? 2 : failure.kind == Refusal::Kind::bar ? 1 : 4);
    out.close(ie);
  }
  answer(request, out);
}

Failure Controller::failure_of(const Refusal& refusal) {
  if (refusal.reason == Refusal::Reason::no_resources) return {Cause::no_resources_available};
  return {Cause::rule_failure, 0, refusal.kind, refusal.id};
}

}  // namespace headroom::gtpu::n4
