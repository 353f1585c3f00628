// SPDX-License-Identifier: Apache-2.0
#include "scheme.h"

#include <array>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gtpu/config.h"
#include "gtpu/forward/worker.h"
#include "gtpu/n4/controller.h"
#include "gtpu/sessions/sessions.h"

namespace headroom::gtpu {
namespace {

using nlohmann::json;

constexpr std::uint32_t kMostWorkers = 64;

json description() {
  json described = {{"scheme", "gtpu"},
                    {"roles", {"user-plane"}},
                    {"n4", true},
                    {"max_sessions", kMostSessions},
                    {"max_workers", kMostWorkers},
                    {"features",
                     {"ipv6-transport", "ipv6-users", "buffering", "duplication", "fragments", "usage-reports",
                      "error-indication-reports", "n9", "predefined-rules", "ftup"}},
                    {"stages", kStageNames}};
  if (kHasInspection) described["features"].push_back("inspection");
  return described;
}

// What the workers of one user plane share.
struct UserPlane {
  explicit UserPlane(Config read)
      : config(std::move(read)),
        sessions(config.addresses, config.max_sessions),
        controller(sessions, {config.node, config.recovery_time, config.predefined_rules}) {
#ifdef HEADROOM_INSPECTION
    if (const auto& files = config.inspection) inspection = read_inspection_rules(files->l7, files->l3, files->cache);
#endif
  }

  const Config config;
  Sessions sessions;
  n4::Controller controller;
  std::unique_ptr<const InspectionRules> inspection{};
  std::uint32_t workers = 0;
};

class WorkerInstance final : public headroom_instance {
 public:
  explicit WorkerInstance(std::shared_ptr<UserPlane> plane)
      : plane_(std::move(plane)),
        worker_(plane_->config, plane_->sessions, plane_->workers == 0,
                plane_->inspection ? plane_->inspection->add_worker() : nullptr) {
    ++plane_->workers;
  }

  headroom_instance* add_worker() override {
    require(plane_->workers < kMostWorkers,
            "a user plane has " + std::to_string(kMostWorkers) + " workers at most, and this one has them");
    return new WorkerInstance(plane_);
  }
  void forward(headroom_user_packet* packets, std::size_t count, std::uint64_t now_ns) override {
    worker_.forward(packets, count, now_ns);
  }
  std::size_t take(headroom_user_packet* packets, std::size_t count, std::uint64_t now_ns) override {
    return worker_.take(packets, count, now_ns);
  }
  void n4(const headroom_n4_message& message, std::uint64_t now_ns) override {
    plane_->controller.handle(message, now_ns);
  }
  bool take_n4(headroom_n4_message& message, std::uint64_t now_ns) override {
    return plane_->controller.take(message, now_ns);
  }
  [[nodiscard]] std::uint64_t n4_deadline() const override { return plane_->controller.deadline(); }

  [[nodiscard]] json statistics() const override {
    const WorkerCounters& n = worker_.counters();
    json reasons = json::object();
    for (std::size_t i = 0; i < kReasons.size(); ++i) reasons[kReasons[i]] = n.reasons[i];
    json statistics = {{"memory_bytes", worker_.memory_bytes()},
                       {"contexts", plane_->sessions.count()},
                       {"forwarded", n.forwarded},
                       {"octets", n.octets},
                       {"malformed", n.malformed},
                       {"unsupported", n.unsupported},
                       {"nothing", std::move(reasons)},
                       {"flows_found", n.flows_found},
                       {"flows_inserted", n.flows_inserted}};
    if (const FlowInspection* const inspection = worker_.inspection()) {
      const InspectionCounters counters = inspection->counters();
      json matched = json::object();
      for (const auto& [rule, flows] : counters.matched) matched[std::to_string(rule)] = flows;
      statistics["inspection"] = {
          {"packets", counters.packets}, {"flows", counters.flows}, {"matched", std::move(matched)}};
    }
    return statistics;
  }
  void disable_fast_path() override { worker_.disable_fast_path(); }
  void control(const json& message) override {
    const Settings settings(message, "a message");
    settings.only({"until"});
    const std::vector<std::string> stages(std::begin(kStageNames), std::end(kStageNames));
    worker_.end_behind(static_cast<Stage>(settings.choice("until", stages, stages.size() - 1)));
  }

 private:
  // headroom_reason
  static constexpr std::array<const char*, 10> kReasons = {"none", "no-session", "no-rule",  "rule",     "gate",
                                                           "rate", "quota",      "buffered", "answered", "consumed"};

  std::shared_ptr<UserPlane> plane_;
  Worker worker_;
};

headroom_instance* make(std::int32_t role, const json& config) {
  require(role == HEADROOM_USER_PLANE, "the scheme gtpu has user planes (role 4) only");
  return new WorkerInstance(std::make_shared<UserPlane>(read_config(config)));
}

}  // namespace

const reference::Scheme& reference_scheme() noexcept {
  static constexpr std::string_view kExtensions[] = {HEADROOM_USER_PLANE_EXTENSION};
  static constexpr reference::Scheme kScheme = {
      .name = "gtpu", .description = description, .make = make, .extensions = kExtensions};
  return kScheme;
}

}  // namespace headroom::gtpu
