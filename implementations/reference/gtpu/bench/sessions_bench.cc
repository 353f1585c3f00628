// SPDX-License-Identifier: Apache-2.0
//
// Seconds to establish 600,000 sessions over N4.
//
//   Establish/0   an uplink and a downlink PDR
//   Establish/1   PDRs that activate 45 predefined rules each, a QER and a URR as well
#include <benchmark/benchmark.h>

#include <string>

#include "gtpu/n4/controller.h"
#include "gtpu/test/pfcp_messages.h"

namespace {

using namespace headroom::gtpu;
using namespace headroom::gtpu::test;

constexpr std::uint32_t kSessions = 600'000, kPredefined = 45;
constexpr std::uint32_t kUser = 0x0A000000, kTeid = 0x7F000000;  // of the first session

n4::Config n4_config() {
  n4::Config config;
  config.node = Address::of_ipv4(0xC0000204);
  for (std::uint32_t i = 0; i < kPredefined; ++i) {
    config.predefined.push_back(
        {"static-" + std::to_string(i), i, *parse_flow_description("permit out ip from any to assigned"), false});
  }
  return config;
}

Bytes establishment(bool rich) {
  Bytes of_pdr;
  Bytes rules;
  if (rich) {
    for (const PredefinedRule& rule : n4_config().predefined) {
      of_pdr = of_pdr + ie(pfcp::kActivatePredefinedRules, text(rule.name));
    }
    const Bytes qer = ie(pfcp::kQerId, be(1, 4));
    const Bytes urr = ie(pfcp::kUrrId, be(1, 4));
    of_pdr = of_pdr + qer + urr;
    rules =
        ie(pfcp::kCreateQer, qer + ie(pfcp::kGateStatus, {0}) + ie(pfcp::kMbr, be(1'000'000, 5) + be(1'000'000, 5))) +
        ie(pfcp::kCreateUrr, urr + ie(pfcp::kMeasurementMethod, {2}) + ie(pfcp::kReportingTriggers, {2, 0}) +
                                 ie(pfcp::kVolumeThreshold, Bytes{1} + be(1'000'000'000, 8)));
  }
  return message(pfcp::kSessionEstablishmentRequest, 0, 0, kNode + kCpSeid + both_ways(kUser, kTeid, of_pdr) + rules);
}

class ControlPlane {
 public:
  explicit ControlPlane(n4::Controller& controller) : controller_(controller) {}

  // Sends a request with the next sequence number. True if its response says that it was accepted.
  bool accepted(Bytes& request) {
    const std::size_t at = (request[0] & 1) != 0 ? 12 : 4;
    write32(&request[at], ++sequence_ << 8);
    headroom_n4_message m{};
    m.octets = request.data();
    m.length = static_cast<std::uint32_t>(request.size());
    controller_.handle(m, 0);
    m.octets = room_.data();
    m.capacity = HEADROOM_USER_PLANE_MAX;
    if (!controller_.take(m, 0)) return false;
    pfcp::IeReader in(pfcp::read_message({m.octets, m.length}).body);
    while (const auto element = in.next()) {
      if (element->type == pfcp::kCause) return element->value[0] == static_cast<std::uint8_t>(pfcp::Cause::accepted);
    }
    return false;
  }

 private:
  n4::Controller& controller_;
  std::uint32_t sequence_ = 0;
  Bytes room_ = Bytes(HEADROOM_USER_PLANE_MAX);
};

void establish(benchmark::State& state) {
  Bytes request = establishment(state.range(0) != 0);
  std::vector<std::size_t> users;
  std::size_t tunnel_at = 0;
  for (std::size_t i = 0; i + 4 <= request.size(); ++i) {
    if (read32(&request[i]) == kUser) users.push_back(i);
    if (read32(&request[i]) == kTeid) tunnel_at = i;
  }
  for (auto _ : state) {
    state.PauseTiming();
    {
      Sessions sessions(config().addresses, kSessions);
      n4::Controller controller(sessions, n4_config());
      ControlPlane cp(controller);
      Bytes setup = message(pfcp::kAssociationSetupRequest, {}, 0, kNode + ie(pfcp::kRecoveryTimeStamp, be(1, 4)));
      bool good = cp.accepted(setup);
      state.ResumeTiming();
      for (std::uint32_t i = 0; i < kSessions; ++i) {
        for (const std::size_t at : users) write32(&request[at], kUser + i);
        write32(&request[tunnel_at], kTeid + i);
        good = cp.accepted(request) && good;
      }
      state.PauseTiming();
      if (!good || sessions.count() != kSessions) state.SkipWithError("a session was rejected");
    }
    state.ResumeTiming();
  }
  state.counters["sessions"] = benchmark::Counter(kSessions, benchmark::Counter::kIsIterationInvariantRate);
}

}  // namespace

BENCHMARK(establish)->Name("Establish")->Arg(0)->Arg(1)->Unit(benchmark::kSecond)->Iterations(1)->Repetitions(3);
BENCHMARK_MAIN();
