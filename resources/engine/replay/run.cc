// SPDX-License-Identifier: Apache-2.0
#include "replay/run.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>

#include "base/identity.h"
#include "base/process.h"
#include "replay/context.h"
#include "replay/direction.h"

namespace headroom::replay {
namespace {

// Endpoint A holds the forward compressor and the reverse decompressor, endpoint B the other two.
class Run {
 public:
  explicit Run(const Job& job) : job_(job), context_(job) {
    for (const bool reverse : {false, true}) {
      if (!reverse || job.reverse) directions_[reverse] = std::make_unique<Direction>(job, reverse, context_);
    }
    if (job.reverse) sim::Hop::join(directions_[0]->hop(), directions_[1]->hop());
  }

  Json execute() {
    Json broken = nullptr;
    const ProcessorTimes before = processor_times();
    try {
      context_.simulation.run();
      for (const auto& direction : directions_) {
        if (direction) direction->settle();
      }
    } catch (const PromiseBroken& promise) {
      broken = json_of(promise);
    }
    const ProcessorTimes now = processor_times();
    const std::uint64_t all = now.process - before.process, ours = now.thread - before.thread;
    Json written = context_.captures.close();
    Json json = result(std::move(broken));
    if (job_.timing) json.update({{"cpu_ns", ours}, {"other_threads_cpu_ns", all - std::min(all, ours)}});
    if (!written.empty()) json["outputs"] = std::move(written);
    return json;
  }

 private:
  [[nodiscard]] Json json_of(const PromiseBroken& promise) const {
    const bool reverse = !directions_[0]->failure();  // then it is the other's
    const Direction::Failure failure = directions_[reverse]->failure().value();
    return {{"side", (failure.in_carrier ? "carrier-" : "") + std::string(headroom::name_of(promise.role()))},
            {"direction", reverse ? "reverse" : "forward"},
            {"function", promise.function()},
            {"packet", failure.packet == sim::kNever ? Json(nullptr) : Json(failure.packet)},
            {"message", promise.sentence()}};
  }

  [[nodiscard]] Json result(Json broken) {
    Json json = {{"engine", engine_identity()}, {"seed", job_.seed}, {"burst", job_.burst}};
    const bool ask_adapters = broken.is_null();  // one that broke a promise is not asked anything more
    const Direction& forward = *directions_[0];
    json["compressor"] = forward.compressor() != nullptr ? identity(*forward.compressor()) : Json(nullptr);
    json["decompressor"] = forward.decompressor() != nullptr ? identity(*forward.decompressor()) : Json(nullptr);
    json["promise_broken"] = std::move(broken);
    std::uint64_t unclaimed_feedback = 0, missed_control = 0;
    Json records = Json::array();
    for (const bool reverse : {false, true}) {
      if (!directions_[reverse]) continue;
      const Direction& direction = *directions_[reverse];
      json[reverse ? "reverse" : "forward"] = direction.result(ask_adapters);
      unclaimed_feedback += direction.unclaimed_feedback();
      missed_control += direction.missed_control();
      direction.append_records(records);
    }
    json["link_sha256"] = context_.digest.finish();
    json["feedback_unclaimed"] = unclaimed_feedback;
    json["control_missed"] = missed_control;
    if (job_.records != Records::none) json["records"] = std::move(records);
    return json;
  }

  const Job& job_;
  RunContext context_;
  std::array<std::unique_ptr<Direction>, 2> directions_;
};

}  // namespace

Json run(const Job& job) { return Run(job).execute(); }

}  // namespace headroom::replay
