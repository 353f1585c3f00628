// SPDX-License-Identifier: Apache-2.0
//
// Session Report Requests and their responses (3GPP TS 29.244, clauses 7.5.8 and 7.5.9).
#include <algorithm>
#include <utility>

#include "gtpu/n4/controller.h"
#include "gtpu/wire/pfcp_values.h"
#include "mutants.h"

namespace headroom::gtpu::n4 {

using pfcp::Ie;

namespace {

constexpr std::uint8_t kDownlinkData = 0x01, kUsage = 0x02, kErrorIndication = 0x04;  // Report Type (8.2.21)
constexpr std::uint8_t kHasQfi = 0x02;                                                // QFII (8.2.27)

}  // namespace

template <typename Write>
std::uint32_t Controller::report(const Session& session, std::uint8_t type, std::uint64_t now, Write&& write) {
  const SessionState& state = state_of(session);
  const std::uint32_t sequence = pending_.next_sequence();
  pfcp::MessageWriter out(buffer_, {pfcp::kSessionReportRequest, state.cp_seid, sequence});
  out.ie(pfcp::kReportType, type, 1);
  write(out);
  const pfcp::Octets octets = out.finish();
  Datagram datagram{{state.cp_address.octets, kPort}, {octets.begin(), octets.end()}};
  outbox_.push_back(datagram);
  pending_.add(sequence, session.seid, std::move(datagram), now);
  return sequence;
}

void Controller::handle_event(const Event& event, std::uint64_t now) {
  Session* const session = sessions_.find(event.session);
  if (session == nullptr) return;
  SessionState& state = state_of(*session);
  switch (event.kind) {
    case Event::Kind::usage:
      return report_usage(*session, state, event.id, event.reached, now);
    case Event::Kind::error_indication:  // 5.10
      // One at a time: anybody can send Error Indications, and each would be a request.
      if (pending_.waits(state.error_report) || mutant("gtpu-error-indication-not-reported")) return;
      state.error_report = report(*session, kErrorIndication, now, [&](pfcp::MessageWriter& out) {
        pfcp::FTeid remote;
        remote.teid = event.teid;
        (event.peer.is_ipv4() ? remote.has_ipv4 : remote.has_ipv6) = true;
        (event.peer.is_ipv4() ? remote.ipv4 : remote.ipv6) = event.peer;
        const std::size_t group = out.open(pfcp::kErrorIndicationReport);
        pfcp::write_f_teid(out, remote);
        out.close(group);
      });
      return;
    case Event::Kind::downlink_data:  // 5.2.3
      report(*session, kDownlinkData, now, [&](pfcp::MessageWriter& out) {
        const std::size_t group = out.open(pfcp::kDownlinkDataReport);
        out.ie(pfcp::kPdrId, event.id, 2);
        if (event.qfi != 0) {
          const std::size_t information = out.open(pfcp::kDownlinkDataServiceInformation);
          out.number(kHasQfi, 1).number(event.qfi, 1);
          out.close(information);
        }
        out.close(group);
      });
      return;
  }
}

void Controller::handle_timer(const UsageReports::Timer& timer, std::uint64_t now) {
  Session* const session = sessions_.find(timer.seid);
  if (session == nullptr) return;
  SessionState& state = state_of(*session);
  UrrState* const urr = UsageReports::find(state, timer.urr);
  if (urr == nullptr || urr->timer_at != timer.at) return;  // an earlier timer has taken its place
  urr->timer_at = kNever;
  report_usage(*session, state, timer.urr, 0, now);
}

// Reports a URR if one of its triggers asks for it, together with those that are linked to it (LIUSA).
void Controller::report_usage(const Session& session, SessionState& state, std::uint32_t id, std::uint32_t reached,
                              std::uint64_t now) {
  UrrState* const known = UsageReports::find(state, id);
  const Rules& rules = Sessions::rules_of(session);
  const Urr* const urr = UsageReports::find(rules, id);
  if (known == nullptr || urr == nullptr) return;
  const std::uint32_t triggers = usage_reports_.triggers(session, *known, *urr, reached, now);
  if (triggers != 0) {
    report(session, kUsage, now, [&](pfcp::MessageWriter& out) {
      usage_reports_.write(out, pfcp::kUsageReportOfReport, session, state, id, triggers, now);
      for (const Urr& other : rules.urrs) {
        const bool linked = std::find(other.linked.begin(), other.linked.end(), id) != other.linked.end();
        if (other.id == id || !linked || (other.triggers & pfcp::kLiusa) == 0) continue;
        usage_reports_.write(out, pfcp::kUsageReportOfReport, session, state, other.id, kLiusaReport, now);
      }
    });
  }
  usage_reports_.set_timer(session, *known, *urr, now);
}

void Controller::handle_report_response(const Request& request) {
  const auto seid = pending_.answered(request.message.header.sequence);
  Session* const session = seid ? sessions_.find(*seid) : nullptr;
  if (session == nullptr) return;
  reader_.begin(false);
  std::uint8_t flags = 0;
  bool updates = false;
  const bool read = reader_.for_each(request.message.body, 0, [&](const Ie& ie) {
    updates = updates || ie.type == pfcp::kUpdateBarOfReport;
    return ie.type != pfcp::kSrRspFlags || reader_.number(ie, 1, flags);
  });
  if (!read) return;
  if ((flags & pfcp::kDrobu) != 0) session->buffer_epoch.fetch_add(1, std::memory_order_release);
  if (!updates) return;
  Rules rules = Sessions::rules_of(*session);
  Refusal refusal;
  const bool good = reader_.for_each(request.message.body, 0, [&](const Ie& ie) {
    return ie.type != pfcp::kUpdateBarOfReport || reader_.update(ie, rules);
  });
  if (good) (void)sessions_.replace(*session, std::move(rules), refusal);  // a response cannot be rejected
}

}  // namespace headroom::gtpu::n4
