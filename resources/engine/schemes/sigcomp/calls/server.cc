// SPDX-License-Identifier: Apache-2.0
#include "schemes/sigcomp/calls/server.h"

#include "base/cycles.h"

namespace headroom::sigcomp::calls {

Server::Server(const Job& job, const Plan& plan)
    : locks_(job.real_time && job.organisation == Organisation::pool), open_(plan.users, 0) {
  for (std::uint32_t n = 0; n < job.shards; ++n) shards_.push_back(std::make_unique<Shard>(job));
}

Server::Served Server::serve(const Task& task, std::uint64_t now_ns, Clock clock, WorkerState& state) {
  const auto read = [clock] { return clock == Clock::thread ? thread_cpu_ns() : monotonic_ns(); };
  Shard& shard = *shards_[shard_of(task.user)];
  const std::uint64_t before_lock = locks_ ? read() : 0;
  std::unique_lock lock(shard.mutex, std::defer_lock);
  if (locks_) lock.lock();
  const std::uint64_t start = read();
  const bool needs_compartment = task.carried == Carried::compartment;
  if (needs_compartment && open_[task.user] == 0) {
    shard.endpoint.open(task.user);
    ++shard.compartments;
    open_[task.user] = 1;
  }
  const MessageResult result =
      task.from_user
          ? shard.endpoint.decompress(task.part.input, task.user + 1,
                                      needs_compartment ? task.user : HEADROOM_NO_SESSION, now_ns, state.room)
          : shard.endpoint.compress(task.part.input, task.user, now_ns, state.room);
  if (task.closes && open_[task.user] != 0) {
    shard.endpoint.close(task.user);
    --shard.compartments;
    open_[task.user] = 0;
  }
  const std::uint64_t end = read();
  if (result.status == HEADROOM_ERR_DECOMPRESSION && !shard.endpoint.take_reverse().empty()) ++state.outcomes.nacks;
  if (locks_) lock.unlock();
  look_at(task, result, state);
  return {locks_ ? start - before_lock : 0, end - start};
}

void Server::look_at(const Task& task, const MessageResult& result, WorkerState& state) const {
  Outcomes& outcomes = state.outcomes;
  if (result.status != HEADROOM_OK) {
    ++(task.from_user ? outcomes.decompress : outcomes.compress)[result.status];
    return;
  }
  if (task.from_user && task.carried == Carried::compartment && !result.accepted) ++outcomes.refused;
  if (result.octets.size() != task.part.output_length || hash_of(result.octets) != task.part.output_hash)
    ++(task.from_user ? outcomes.wrong : outcomes.different);
}

std::uint64_t Server::compartments() const noexcept {
  std::uint64_t all = 0;
  for (const auto& shard : shards_) all += shard->compartments;
  return all;
}

std::uint64_t Server::memory_bytes() const {
  std::uint64_t all = 0;
  for (const auto& shard : shards_) {
    const Json said = shard->endpoint.instance().statistics();
    if (said.contains("memory_bytes") && said["memory_bytes"].is_number_unsigned())
      all += said["memory_bytes"].get<std::uint64_t>();
  }
  return all;
}

Json Server::statistics() const {
  Json all = Json::array();
  for (const auto& shard : shards_) all.push_back(shard->endpoint.instance().statistics());
  return all;
}

}  // namespace headroom::sigcomp::calls
