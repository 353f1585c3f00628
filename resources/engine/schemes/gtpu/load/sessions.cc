// SPDX-License-Identifier: Apache-2.0
#include "schemes/gtpu/load/sessions.h"

#include <algorithm>
#include <array>

#include "base/cycles.h"
#include "schemes/gtpu/user_plane/address.h"

namespace headroom::gtpu::load {
namespace {

constexpr std::size_t kPredefinedRules = 45, kDynamicRules = 5;
constexpr std::uint16_t kPort = 8805;                   // 4.2.2
constexpr std::uint32_t kRecoveryTime = 3'900'000'000;  // seconds since 1900
constexpr std::uint8_t kAccess = 0, kCore = 1;          // interfaces (8.2.2, 8.2.24)
constexpr std::uint32_t kUplinkFar = 1, kDownlinkFar = 2, kQer = 1, kUrr = 1;
constexpr std::uint32_t kDefaultPrecedence = 255, kStaticPrecedence = 200, kDynamicPrecedence = 50;
constexpr std::uint64_t kHighRate = 10'000'000;                  // kbit/s
constexpr std::uint64_t kFarThreshold = std::uint64_t{1} << 50;  // octets
constexpr std::size_t kAtOnce = 512;                             // messages of one timed part

// Calls of N4, and the one buffer for what they answer.
class ControlPlane {
 public:
  explicit ControlPlane(const UserPlaneWorkers& workers) : workers_(workers), room_(HEADROOM_USER_PLANE_MAX) {}

  void send(OctetView message) {
    headroom_n4_message record = {};
    record.octets = const_cast<std::uint8_t*>(message.data());
    record.length = record.capacity = static_cast<std::uint32_t>(message.size());
    put_peer(record);
    workers_.functions().n4(workers_.first(), &record, 0);
    take();
  }
  [[nodiscard]] std::uint64_t accepted() const noexcept { return accepted_; }
  // Uplink tunnel endpoints that were chosen are put here, by session.
  void keep_endpoints(std::vector<std::uint32_t>& teids) noexcept { teids_ = &teids; }
  // Of the first answer that refuses, or 0.
  [[nodiscard]] std::uint32_t refusal() const noexcept { return refusal_; }

 private:
  void take() {
    for (;;) {
      headroom_n4_message answer = {};
      answer.octets = room_.data();
      answer.capacity = static_cast<std::uint32_t>(room_.size());
      if (workers_.functions().take_n4(workers_.first(), &answer, 0) != 1) return;
      const pfcp::Answer read = pfcp::read_answer({room_.data(), std::min<std::size_t>(answer.length, room_.size())});
      const auto cause = read.cause;
      if (!cause) continue;
      if (teids_ != nullptr && read.seid - 1 < teids_->size()) (*teids_)[read.seid - 1] = read.teid;
      accepted_ += *cause == pfcp::kAccepted ? 1u : 0u;
      if (*cause != pfcp::kAccepted && refusal_ == 0) refusal_ = *cause;
    }
  }
  static void put_peer(headroom_n4_message& record) {
    record.peer[10] = record.peer[11] = 0xFF;
    store32(&record.peer[12], kControlPlane);
    record.port = kPort;
  }

  const UserPlaneWorkers& workers_;
  Octets room_;
  std::uint64_t accepted_ = 0;
  std::uint32_t refusal_ = 0;
  std::vector<std::uint32_t>* teids_ = nullptr;
};

void require_accepted(const ControlPlane& control, std::uint64_t expected, const UserPlaneWorkers& workers) {
  if (control.accepted() == expected) return;
  throw Error(ErrorKind::adapter,
              "the adapter " + workers.instance().path() + " has accepted " + std::to_string(control.accepted()) +
                  " of " + std::to_string(expected) + " N4 requests" +
                  (control.refusal() == 0 ? std::string(", and answered some not at all.")
                                          : "; the cause of the first refusal is " + std::to_string(control.refusal()) +
                                                " (TS 29.244, 8.2.1)."));
}

}  // namespace

Json SessionRange::json() const {
  Address user_address{}, access_address{};
  for (const auto& [address, value] : {std::pair{&user_address, user}, std::pair{&access_address, access}}) {
    (*address)[10] = (*address)[11] = 0xFF;
    store32(&(*address)[12], value);
  }
  return {{"count", count},
          {"teid", teid},
          {"user", text_of(user_address)},
          {"access", text_of(access_address)},
          {"access_teid", access_teid},
          {"qfi", qfi}};
}

SessionRange session_range(const Job& job) {
  SessionRange range;
  range.count = job.traffic.access_users;
  const Json& config = job.user_plane.config;
  if (!config.is_object() || !config.contains("session_range")) return range;
  Object object(Value(config["session_range"], job.user_plane.where + "/config/session_range"));
  range.count = static_cast<std::uint32_t>(object.required("count").integer(1, 1u << 24));
  range.teid = static_cast<std::uint32_t>(object.required("teid").integer(1, 0xFFFF'FFFF));
  range.user = read_ipv4_address(object.required("user"));
  range.access = read_ipv4_address(object.required("access"));
  range.access_teid = static_cast<std::uint32_t>(object.required("access_teid").integer(1, 0xFFFF'FFFF));
  range.qfi = static_cast<std::uint8_t>(object.required("qfi").integer(0, 63));
  return range;
}

AdapterJob with_sessions(const AdapterJob& adapter, const Job& job) {
  AdapterJob configured = adapter;
  const auto library = Library::open(adapter.library, adapter.where + "/library");
  const Description description = describe(library->api());
  for (const Json& entry : description.document["schemes"]) {
    if (entry["scheme"] == adapter.scheme && !entry.value("n4", false) && !adapter.config.contains("session_range"))
      configured.config["session_range"] = session_range(job).json();
  }
  return configured;
}

std::string predefined_name(std::size_t index) { return "static-" + std::to_string(index + 1); }

std::string flow_description(std::size_t index) {
  return "permit out 17 from 198.18." + std::to_string(index) + ".0/24 " + std::to_string(kRulePort) + " to assigned";
}

SessionMessages::SessionMessages(const Job& job, bool choose) : job_(job), choose_(choose), range_(session_range(job)) {
  for (std::size_t i = 0; i < kPredefinedRules; ++i) names_.push_back(predefined_name(i));
  for (std::size_t i = 0; i < kDynamicRules; ++i) flows_.push_back(flow_description(kPredefinedRules + i));
}

OctetView SessionMessages::association() {
  w_.begin(pfcp::kAssociationSetupRequest, 0, std::nullopt);
  const std::size_t node = w_.open(pfcp::kNodeId);
  w_.put8(0);  // an IPv4 address
  w_.put32(kControlPlane);
  w_.close(node);
  w_.element32(pfcp::kRecoveryTimeStamp, kRecoveryTime);
  return w_.end();
}

OctetView SessionMessages::establishment(std::uint32_t session) {
  w_.begin(pfcp::kSessionEstablishmentRequest, (session + 1) & 0xFF'FFFF, 0);
  const std::size_t node = w_.open(pfcp::kNodeId);
  w_.put8(0);
  w_.put32(kControlPlane);
  w_.close(node);
  const std::size_t seid = w_.open(pfcp::kFSeid);
  w_.put8(0x02);  // V4
  w_.put64(std::uint64_t{session} + 1);
  w_.put32(kControlPlane);
  w_.close(seid);
  pdr_ = 0;
  for (const bool uplink : {true, false}) put_pdr(session, uplink, kDefaultPrecedence, nullptr, {});
  if (job_.rules != Rules::basic) {
    for (const bool uplink : {true, false}) put_pdr(session, uplink, kStaticPrecedence, nullptr, names_);
    for (std::size_t i = 0; i < flows_.size(); ++i) {
      for (const bool uplink : {true, false})
        put_pdr(session, uplink, kDynamicPrecedence + static_cast<std::uint32_t>(i), &flows_[i], {});
    }
  }
  for (const bool uplink : {true, false}) put_far(session, uplink);
  if (job_.rules != Rules::basic) put_billing();
  return w_.end();
}

void SessionMessages::put_pdi(std::uint32_t session, bool uplink, const std::string* flow) {
  const std::size_t pdi = w_.open(pfcp::kPdi);
  w_.element8(pfcp::kSourceInterface, uplink ? kAccess : kCore);
  if (uplink) {
    const std::size_t teid = w_.open(pfcp::kFTeid);
    if (choose_) {
      w_.put8(0x0D);  // CHID, CH, V4
      w_.put8(1);     // so that all PDRs have one
    } else {
      w_.put8(0x01);  // V4
      w_.put32(range_.teid + session);
      w_.put32(job_.n3);
    }
    w_.close(teid);
  }
  const std::size_t user = w_.open(pfcp::kUeIpAddress);
  w_.put8(uplink ? 0x02 : 0x06);  // V4, and S/D where it is the destination
  w_.put32(range_.user + session);
  w_.close(user);
  if (flow != nullptr) {
    const std::size_t filter = w_.open(pfcp::kSdfFilter);
    w_.put8(0x01);  // FD
    w_.put8(0);
    w_.put16(static_cast<std::uint32_t>(flow->size()));
    w_.put_text(*flow);
    w_.close(filter);
  }
  w_.close(pdi);
}

void SessionMessages::put_pdr(std::uint32_t session, bool uplink, std::uint32_t precedence, const std::string* flow,
                              std::span<const std::string> names) {
  const std::size_t pdr = w_.open(pfcp::kCreatePdr);
  w_.element16(pfcp::kPdrId, ++pdr_);
  w_.element32(pfcp::kPrecedence, precedence);
  put_pdi(session, uplink, flow);
  if (uplink) w_.element8(pfcp::kOuterHeaderRemoval, 0);  // GTP-U/UDP/IPv4
  w_.element32(pfcp::kFarId, uplink ? kUplinkFar : kDownlinkFar);
  if (job_.rules != Rules::basic) {
    w_.element32(pfcp::kUrrId, kUrr);
    w_.element32(pfcp::kQerId, kQer);
  }
  for (const std::string& name : names) {
    const std::size_t rule = w_.open(pfcp::kActivatePredefinedRules);
    w_.put_text(name);
    w_.close(rule);
  }
  w_.close(pdr);
}

void SessionMessages::put_far(std::uint32_t session, bool uplink) {
  const std::size_t far = w_.open(pfcp::kCreateFar);
  w_.element32(pfcp::kFarId, uplink ? kUplinkFar : kDownlinkFar);
  w_.element8(pfcp::kApplyAction, 0x02);  // FORW
  const std::size_t parameters = w_.open(pfcp::kForwardingParameters);
  w_.element8(pfcp::kDestinationInterface, uplink ? kCore : kAccess);
  if (!uplink) {
    const std::size_t creation = w_.open(pfcp::kOuterHeaderCreation);
    w_.put16(0x0100);  // GTP-U/UDP/IPv4
    w_.put32(range_.access_teid + session);
    w_.put32(range_.access + session);
    w_.close(creation);
  }
  w_.close(parameters);
  w_.close(far);
}

void SessionMessages::put_billing() {
  const std::size_t urr = w_.open(pfcp::kCreateUrr);
  w_.element32(pfcp::kUrrId, kUrr);
  w_.element8(pfcp::kMeasurementMethod, 0x02);     // VOLUM
  w_.element16(pfcp::kReportingTriggers, 0x0200);  // VOLTH
  const std::size_t threshold = w_.open(pfcp::kVolumeThreshold);
  w_.put8(0x01);  // TOVOL
  w_.put64(kFarThreshold);
  w_.close(threshold);
  w_.close(urr);
  const std::size_t qer = w_.open(pfcp::kCreateQer);
  w_.element32(pfcp::kQerId, kQer);
  w_.element8(pfcp::kGateStatus, 0);  // both open
  const std::size_t mbr = w_.open(pfcp::kMbr);
  for (int direction = 0; direction < 2; ++direction) {
    w_.put8(static_cast<std::uint32_t>(kHighRate >> 32));
    w_.put32(static_cast<std::uint32_t>(kHighRate));
  }
  w_.close(mbr);
  w_.element8(pfcp::kQfi, range_.qfi);
  w_.close(qer);
}

bool chooses_endpoints(const Json& described) {
  if (!described.contains("features")) return false;
  const Json& features = described["features"];
  return std::find(features.begin(), features.end(), "ftup") != features.end();
}

SetUp establish(const UserPlaneWorkers& workers, const Job& job) {
  if (!workers.has_n4()) return {};
  const bool choose = chooses_endpoints(workers.description());
  SessionMessages messages(job, choose);
  ControlPlane control(workers);
  control.send(messages.association());
  require_accepted(control, 1, workers);
  SetUp set_up;
  set_up.sessions = messages.sessions();
  if (choose) {
    set_up.teids.resize(messages.sessions());
    control.keep_endpoints(set_up.teids);
  }
  std::vector<Octets> built(kAtOnce);
  for (std::uint32_t first = 0; first < messages.sessions(); first += kAtOnce) {
    const std::uint32_t count = std::min<std::uint32_t>(kAtOnce, messages.sessions() - first);
    for (std::uint32_t i = 0; i < count; ++i) {
      const OctetView message = messages.establishment(first + i);
      built[i].assign(message.begin(), message.end());
    }
    const std::uint64_t start = monotonic_ns();
    for (std::uint32_t i = 0; i < count; ++i) control.send(built[i]);
    set_up.ns += monotonic_ns() - start;
  }
  require_accepted(control, set_up.sessions + 1, workers);
  return set_up;
}

}  // namespace headroom::gtpu::load
