// SPDX-License-Identifier: Apache-2.0
//
// Session Establishment, Modification and Deletion (3GPP TS 29.244, clauses 6.3 and 7.5.2 to 7.5.7).
#include <algorithm>
#include <utility>

#include "gtpu/n4/controller.h"
#include "gtpu/wire/pfcp_values.h"
#include "mutants.h"

namespace headroom::gtpu::n4 {

using pfcp::Cause;
using pfcp::Ie;

namespace {

void write_created(pfcp::MessageWriter& out, const RuleReader::Created& created, const LocalAddresses& addresses) {
  pfcp::FTeid f_teid;
  f_teid.teid = created.teid.teid;
  for (std::size_t i = 0; i < addresses.entries.size(); ++i) {
    if ((created.teid.addresses >> i & 1) == 0) continue;
    const Address& address = addresses.entries[i].address;
    (address.is_ipv4() ? f_teid.has_ipv4 : f_teid.has_ipv6) = true;
    (address.is_ipv4() ? f_teid.ipv4 : f_teid.ipv6) = address;
  }
  const std::size_t group = out.open(pfcp::kCreatedPdr);
  out.ie(pfcp::kPdrId, created.pdr, 2);
  pfcp::write_f_teid(out, f_teid);
  out.close(group);
}

[[nodiscard]] Address address_of(const pfcp::FSeid& f_seid, bool ipv4) {
  const auto& first = ipv4 ? f_seid.ipv4 : f_seid.ipv6;
  const auto& second = ipv4 ? f_seid.ipv6 : f_seid.ipv4;
  return first ? *first : second.value_or(Address{});
}

}  // namespace

SessionState& Controller::state_of(const Session& session) {
  if (session.index >= states_.size()) states_.resize(session.index + 1);
  return states_[session.index];
}

Session* Controller::session_of(const Request& request) {
  Session* const session = sessions_.find(*request.message.header.seid);
  if (session == nullptr) {
    reject(request, {knows(request.peer) ? Cause::session_context_not_found : Cause::no_established_association});
  }
  return session;
}

bool Controller::check_size(const Rules& rules) {
  const std::size_t most = std::max({rules.pdrs.size(), rules.fars.size(), rules.qers.size(), rules.bars.size()});
  return (most <= kMostRules && rules.urrs.size() <= kMostUrrs) || reader_.fail(Cause::no_resources_available);
}

// Session Establishment (7.5.2, 7.5.3).
void Controller::establish(const Request& request) {
  reader_.begin(false);
  std::optional<Ie> id;
  std::optional<Ie> cp;
  std::uint8_t flags = 0;
  std::size_t pdrs = 0;
  std::size_t fars = 0;
  const bool read = reader_.for_each(request.message.body, 0, [&](const Ie& ie) {
    if (ie.type == pfcp::kCreatePdr) ++pdrs;
    if (ie.type == pfcp::kCreateFar) ++fars;
    if (ie.type == pfcp::kNodeId && !id) id = ie;
    if (ie.type == pfcp::kFSeid && !cp) cp = ie;
    return ie.type != pfcp::kSeReqFlags || reader_.number(ie, 1, flags);
  });
  const auto f_seid = cp ? pfcp::read_f_seid(cp->value) : std::nullopt;
  const std::uint64_t seid = f_seid ? f_seid->seid : 0;
  if (!read) return reject(request, reader_.failure(), seid);
  const auto association = association_of(request, id);
  if (!association) return;
  if (cp && !f_seid) return reject(request, {Cause::invalid_length, pfcp::kFSeid});
  const std::uint16_t missing = !f_seid     ? pfcp::kFSeid
                                : pdrs == 0 ? pfcp::kCreatePdr
                                : fars == 0 ? pfcp::kCreateFar
                                            : 0;
  if (missing != 0) return reject(request, {Cause::mandatory_ie_missing, missing}, seid);
  if (!f_seid->ipv4 && !f_seid->ipv6) {
    return reject(request, {Cause::mandatory_ie_incorrect, pfcp::kFSeid}, seid);
  }

  Rules rules;
  rules.pdrs.reserve(pdrs);
  rules.fars.reserve(fars);
  reader_.begin((flags & pfcp::kResti) != 0);
  Session* session = nullptr;
  if (reader_.for_each(request.message.body, 0, [&](const Ie& ie) { return reader_.create(ie, rules); }) &&
      check_size(rules)) {
    Refusal refusal;
    session = sessions_.create(std::move(rules), refusal);
    if (session == nullptr) {
      reader_.release();
      return reject(request, failure_of(refusal), seid);
    }
  }
  if (session == nullptr) {
    reader_.release();
    return reject(request, reader_.failure(), seid);
  }
  SessionState& state = state_of(*session);
  state = {seid, address_of(*f_seid, node_.is_ipv4()), *association, {}};
  usage_reports_.follow(*session, state, {}, request.now);

  pfcp::MessageWriter out = response(request, seid);
  node_id(out);
  out.ie(pfcp::kCause, static_cast<std::uint8_t>(Cause::accepted), 1);
  pfcp::FSeid up{session->seid, {}, {}};
  (node_.is_ipv4() ? up.ipv4 : up.ipv6) = node_;
  pfcp::write_f_seid(out, up);
  for (const RuleReader::Created& created : reader_.created()) write_created(out, created, sessions_.addresses());
  answer(request, out);
}

// Removals come first and updates last, so that an identifier can be used again in one message.
bool Controller::read_modification(const Request& request, const Session& session, Rules& rules) {
  const auto pass = [&](bool (RuleReader::*read)(const Ie&, Rules&)) {
    return reader_.for_each(request.message.body, 0, [&](const Ie& ie) { return (reader_.*read)(ie, rules); });
  };
  rules = Sessions::rules_of(session);
  return pass(&RuleReader::remove) && pass(&RuleReader::create) && pass(&RuleReader::update) && check_size(rules);
}

// Session Modification (7.5.4, 7.5.5).
void Controller::modify(const Request& request) {
  Session* const session = session_of(request);
  if (session == nullptr) return;
  SessionState& state = state_of(*session);
  const Rules& before = Sessions::rules_of(*session);
  reader_.begin(false);
  std::optional<pfcp::FSeid> cp;
  std::uint8_t flags = 0;
  std::vector<std::uint32_t> queried;
  bool read = reader_.for_each(request.message.body, 0, [&](const Ie& ie) {
    switch (ie.type) {
      case pfcp::kFSeid: {
        pfcp::FSeid f_seid;
        if (!reader_.value(ie, pfcp::read_f_seid(ie.value), f_seid)) return false;
        if (!cp) cp = f_seid;
        return true;
      }
      case pfcp::kSmReqFlags:
        return reader_.number(ie, 1, flags);
      case pfcp::kQueryUrr:
        return reader_.for_each(ie.value, ie.type, [&](const Ie& inner) {
          std::uint32_t urr = 0;
          if (inner.type != pfcp::kUrrId) return true;
          if (!reader_.number(inner, 4, urr)) return false;
          if (UsageReports::find(before, urr) == nullptr) return reader_.fail_rule(Refusal::Kind::urr, urr);
          if (std::find(queried.begin(), queried.end(), urr) == queried.end()) queried.push_back(urr);
          return true;
        });
      default:
        return true;
    }
  });
  if ((flags & pfcp::kQaurr) != 0) {
    queried.clear();
    for (const Urr& urr : before.urrs) queried.push_back(urr.id);
  }
  Rules rules;
  read = read && read_modification(request, *session, rules);
  if (!read) {
    Refusal none;
    if (mutant("gtpu-rejected-modification-applied")) (void)sessions_.replace(*session, std::move(rules), none);
    reader_.release();
    return reject(request, reader_.failure(), state.cp_seid);
  }
  std::vector<UsageReports::Final> finals;
  for (const Urr& urr : before.urrs) {
    if (UsageReports::find(rules, urr.id) != nullptr) continue;
    finals.push_back(UsageReports::final_report(*session, state, urr, request.now));
  }
  Refusal refusal;
  if (!sessions_.replace(*session, std::move(rules), refusal)) {
    reader_.release();
    return reject(request, failure_of(refusal), state.cp_seid);
  }
  if ((flags & pfcp::kDrobu) != 0) session->buffer_epoch.fetch_add(1, std::memory_order_release);
  for (const Forwarding& left : reader_.left_tunnels()) sessions_.send_end_marker(left);
  if (cp) {
    state.cp_seid = cp->seid;
    if (cp->ipv4 || cp->ipv6) state.cp_address = address_of(*cp, node_.is_ipv4());
  }
  usage_reports_.follow(*session, state, reader_.new_quotas(), request.now);

  pfcp::MessageWriter out = response(request, state.cp_seid);
  out.ie(pfcp::kCause, static_cast<std::uint8_t>(Cause::accepted), 1);
  for (const RuleReader::Created& created : reader_.created()) write_created(out, created, sessions_.addresses());
  for (const std::uint32_t urr : queried) {
    usage_reports_.write(out, pfcp::kUsageReportOfModification, *session, state, urr, kImmer, request.now);
  }
  for (const UsageReports::Final& final : finals) {
    usage_reports_.write_final(out, pfcp::kUsageReportOfModification, final, request.now);
  }
  answer(request, out);
}

// Session Deletion (7.5.6, 7.5.7): the response reports what the URRs have counted.
void Controller::remove(const Request& request) {
  Session* const session = session_of(request);
  if (session == nullptr) return;
  SessionState& state = state_of(*session);
  pfcp::MessageWriter out = response(request, state.cp_seid);
  out.ie(pfcp::kCause, static_cast<std::uint8_t>(Cause::accepted), 1);
  for (const Urr& urr : Sessions::rules_of(*session).urrs) {
    if (mutant("gtpu-no-usage-in-deletion")) break;
    const auto final = UsageReports::final_report(*session, state, urr, request.now);
    usage_reports_.write_final(out, pfcp::kUsageReportOfDeletion, final, request.now);
  }
  if (!mutant("gtpu-deleted-session-stays")) {
    state = {};
    sessions_.remove(*session);
  }
  answer(request, out);
}

}  // namespace headroom::gtpu::n4
