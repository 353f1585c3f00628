// SPDX-License-Identifier: Apache-2.0
#include "transfer/run.h"

#include <cmath>
#include <utility>
#include <vector>

#include "transfer/connection.h"

namespace headroom::transfer {
namespace {

// Mean and standard error by Welford's method.
class Mean {
 public:
  void add(double value) noexcept {
    ++count_;
    const double delta = value - mean_;
    mean_ += delta / count_;
    squares_ += delta * (value - mean_);
  }
  [[nodiscard]] double mean() const noexcept { return mean_; }
  // Of the mean, as a share of it; 0 if all values are 0. REQUIRES: two values.
  [[nodiscard]] double relative_error() const noexcept {
    return mean_ == 0 ? 0 : std::sqrt(squares_ / (count_ - 1) / count_) / mean_;
  }
  [[nodiscard]] std::uint32_t count() const noexcept { return count_; }

 private:
  std::uint32_t count_ = 0;
  double mean_ = 0, squares_ = 0;
};

void add(LinkDirectionCounts& sum, const LinkDirectionCounts& more) noexcept {
  sum.pipe.packets += more.pipe.packets;
  sum.pipe.octets += more.pipe.octets;
  sum.pipe.damaged += more.pipe.damaged;
  sum.pipe.queue_full += more.pipe.queue_full;
  sum.header_octets += more.header_octets;
  sum.uncompressed += more.uncompressed;
  sum.discarded += more.discarded;
  sum.wrong += more.wrong;
  sum.feedback += more.feedback;
  sum.feedback_octets += more.feedback_octets;
}

Json json_of(const LinkDirectionCounts& counts, const std::optional<Codec>& codec) {
  Json json = {{"packets", counts.pipe.packets},        {"octets", counts.pipe.octets},
               {"header_octets", counts.header_octets}, {"damaged", counts.pipe.damaged},
               {"queue_full", counts.pipe.queue_full},  {"uncompressed", counts.uncompressed},
               {"discarded", counts.discarded},         {"wrong", counts.wrong},
               {"feedback", counts.feedback},           {"feedback_octets", counts.feedback_octets}};
  if (codec) {
    json["compressor"] = identity(Instance(codec->compressor, HEADROOM_COMPRESSOR));
    json["decompressor"] = identity(Instance(codec->decompressor, HEADROOM_DECOMPRESSOR));
  }
  return json;
}

}  // namespace

Json run(const Job& job) {
  Mean throughput;  // octets of payload a second
  ConnectionResult sum;
  const double seconds = static_cast<double>(job.duration_ns) / 1e9;
  while (throughput.count() < job.most_batches) {
    if (throughput.count() >= job.fewest_batches && throughput.relative_error() <= job.standard_error) break;
    const ConnectionResult batch = run_connection(job, derive(job.seed, throughput.count()));
    throughput.add(static_cast<double>(batch.acknowledged) / seconds);
    sum.acknowledged += batch.acknowledged;
    sum.sender.sent += batch.sender.sent;
    sum.sender.sent_again += batch.sender.sent_again;
    sum.sender.fast_retransmits += batch.sender.fast_retransmits;
    sum.sender.timeouts += batch.sender.timeouts;
    add(sum.link, batch.link);
    add(sum.reverse_link, batch.reverse_link);
  }
  return {{"throughput", throughput.mean()},
          {"standard_error", throughput.mean() == 0 ? Json() : Json(throughput.relative_error())},
          {"batches", throughput.count()},
          {"acknowledged_octets", sum.acknowledged},
          {"sender",
           {{"segments", sum.sender.sent},
            {"sent_again", sum.sender.sent_again},
            {"fast_retransmits", sum.sender.fast_retransmits},
            {"timeouts", sum.sender.timeouts}}},
          {"link", json_of(sum.link, job.codec)},
          {"reverse_link", json_of(sum.reverse_link, job.reverse_codec)}};
}

Json run_all(const Json& document) {
  Object object(Value(document, ""));
  std::vector<Job> jobs;
  for (const Value& job : object.required("transfers").items()) jobs.push_back(read_job(job));
  if (jobs.empty()) object.required("transfers").fail("has no transfer");
  object.finish();
  Json results = Json::array();
  for (const Job& job : jobs) results.push_back(run(job));
  return {{"transfers", std::move(results)}};
}

}  // namespace headroom::transfer
