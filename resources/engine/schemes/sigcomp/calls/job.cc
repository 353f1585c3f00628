// SPDX-License-Identifier: Apache-2.0
#include "schemes/sigcomp/calls/job.h"

#include <cmath>

namespace headroom::sigcomp::calls {
namespace {

constexpr double kLongestS = 1e6;
constexpr std::size_t kMostIdentities = 256;

std::uint64_t seconds(const Value& value, double smallest) {
  return static_cast<std::uint64_t>(std::llround(value.number(smallest, kLongestS) * 1e9));
}

Message read_message(const Value& value) {
  Object object(value);
  Message message;
  message.from_user = object.required("from").choice({"core", "user"}) == 1;
  const Value hex = object.required("hex");
  message.text = hex.hex();
  if (message.text.empty() || message.text.size() > kLongestMessage) {
    hex.fail("a message has 1 to " + std::to_string(kLongestMessage) + " octets.");
  }
  if (const auto v = object.optional("carried")) {
    message.carried = static_cast<Carried>(v->choice({"compartment", "stranger", "plain"}));
    if (message.carried == Carried::stranger && !message.from_user) {
      v->fail("what the P-CSCF sends is compressed under a compartment, or not at all.");
    }
  }
  if (const auto v = object.optional("pause_ms"))
    message.pause_ns = static_cast<std::uint64_t>(std::llround(v->number(0, kLongestS * 1e3) * 1e6));
  message.after_holding = object.boolean("after_holding", false);
  object.finish();
  return message;
}

std::vector<Message> read_messages(const Value& value) {
  std::vector<Message> messages;
  for (const Value& item : value.items()) messages.push_back(read_message(item));
  if (messages.empty() || messages.size() > kMostMessages)
    value.fail("there are 1 to " + std::to_string(kMostMessages) + " messages.");
  return messages;
}

void read_identities(const Value& value, std::vector<Identity>& identities) {
  for (const Value& item : value.items()) {
    Object object(item);
    const Value text = object.required("text");
    Identity identity;
    identity.text = text.text();
    if (identity.text.size() < 2) text.fail("an identity has two characters at least.");
    if (const auto v = object.optional("kind"))
      identity.kind = static_cast<Identity::Kind>(v->choice({"shape", "hex", "ipv4"}));
    identity.keep = object.integer("keep", 0, identity.text.size(), 0);
    identity.per_call = object.required("per").choice({"user", "call"}) == 1;
    object.finish();
    identities.push_back(std::move(identity));
  }
  if (identities.size() > kMostIdentities)
    value.fail("there are " + std::to_string(kMostIdentities) + " identities at most.");
}

void read_workers(Object& object, Job& job) {
  if (const auto v = object.optional("organisation"))
    job.organisation = static_cast<Organisation>(v->choice({"pool", "pinned"}));
  job.workers = static_cast<std::uint32_t>(object.integer("workers", 1, kMostWorkers, 1));
  const auto shards = object.optional("shards");
  const bool pool = job.organisation == Organisation::pool;
  if (shards && !pool)
    shards->fail("are of a pool: a worker that compartments are pinned to has an instance of its own.");
  job.shards = shards ? static_cast<std::uint32_t>(shards->integer(1, kMostShards))
               : pool ? kShardsOfPool
                      : job.workers;
  if (const auto v = object.optional("cores")) {
    for (const Value& core : v->items()) job.cores.push_back(static_cast<unsigned>(core.integer(0, 65'535)));
  }
  if (const auto v = object.optional("clock")) job.real_time = v->choice({"virtual", "real"}) == 1;
}

void read_comparison(const Value& value, Job& job) {
  if (job.real_time) value.fail("is simulated from the times that messages took: the \"clock\" has to be virtual.");
  if (job.keeps_compartments()) value.fail("has a user for each call: no \"users\" with it.");
  Object object(value);
  Comparison comparison;
  comparison.load = object.required("load").number(0.01, 0.99);
  comparison.trials = static_cast<std::uint32_t>(object.integer("trials", 1, kMostTrials, 10));
  comparison.calls = static_cast<std::uint32_t>(object.required("calls").integer(10, kMostSimultaneous));
  object.finish();
  job.comparison = comparison;
}

void check_call(const Job& job, const Value& call) {
  std::size_t holdings = 0;
  for (const Message& message : job.call) holdings += message.after_holding ? 1 : 0;
  if (holdings > 1) call.fail("a call is held once: one message is sent \"after_holding\".");
  const Message& first = job.call.front();
  if (first.after_holding || first.pause_ns != 0)
    call.fail("the first message is what the call begins with: no pause.");
  for (const Message& message : job.registration) {
    if (message.after_holding) call.fail("nothing of a registration is sent \"after_holding\".");
  }
  if (job.mean_lifetime_ns() == 0)
    call.fail(
        "a call takes no time at all: give its messages pauses, or \"holding_s\" and a message \"after_holding\".");
}

// Reads which calls there are, and when.
Job read_calls(Object& object) {
  Job job;
  job.endpoint = read_adapter_job(object.required("endpoint"));
  const auto user = object.optional("user");
  job.user = user ? read_adapter_job(*user) : job.endpoint;
  if (const auto v = object.optional("compartment"); v && !v->is_null()) job.compartment = v->json();
  const Value call = object.required("call");
  job.call = read_messages(call);
  const auto registration = object.optional("registration");
  if (registration) job.registration = read_messages(*registration);
  if (const auto v = object.optional("identities")) read_identities(*v, job.identities);
  job.simultaneous = static_cast<std::uint32_t>(object.required("simultaneous").integer(1, kMostSimultaneous));
  job.users = static_cast<std::uint32_t>(object.integer("users", 0, 2 * std::uint64_t{kMostSimultaneous}, 0));
  if (registration && job.users == 0)
    registration->fail("a registration is kept by users: say how many \"users\" there are.");
  if (const auto v = object.optional("holding_s")) job.holding_ns = seconds(*v, 0);
  if (const auto v = object.optional("holding")) job.exponential_holding = v->choice({"constant", "exponential"}) == 1;
  if (const auto v = object.optional("arrivals")) job.poisson = v->choice({"constant", "poisson"}) == 1;
  if (const auto v = object.optional("start")) job.start_empty = v->choice({"steady", "empty"}) == 1;
  const Value duration = object.required("duration_s");
  job.duration_ns = seconds(duration, 0.001);
  if (const auto v = object.optional("warmup_s")) job.warmup_ns = seconds(*v, 0);
  job.seed = object.integer("seed", 0, ~std::uint64_t{0}, 0);
  check_call(job, call);
  const double lasts_s = static_cast<double>(job.warmup_ns + job.duration_ns) / 1e9;
  if (job.calls_per_s() * lasts_s + job.simultaneous > static_cast<double>(kMostCalls)) {
    duration.fail("makes more than " + std::to_string(kMostCalls) + " calls; ask for fewer, or for a shorter time.");
  }
  if (job.keeps_compartments() && job.users < job.simultaneous)
    object.fail("there are fewer \"users\" than \"simultaneous\" calls, and each of them makes one call at a time.");
  return job;
}

}  // namespace

std::uint64_t Job::mean_lifetime_ns() const noexcept {
  std::uint64_t all = 0;
  for (const Message& message : call) all += message.after_holding ? holding_ns : message.pause_ns;
  return all;
}

double Job::calls_per_s() const noexcept {
  return static_cast<double>(simultaneous) / (static_cast<double>(mean_lifetime_ns()) / 1e9);
}

Job read_job(const Json& document) {
  Object object(Value(document, ""));
  Job job = read_calls(object);
  if (const auto v = object.optional("recording")) {
    Object recording(*v);
    job.recording = recording.required("file").text();
    const Value digests = recording.required("digests");
    for (const Value& digest : digests.items()) job.digests.push_back(digest.text());
    if (job.digests.empty()) digests.fail("there is one of each process of `precompute`.");
    recording.finish();
  }
  const auto sample = object.optional("sample_s");
  job.sample_ns = sample ? seconds(*sample, 0.001) : 1'000'000'000;
  if (job.duration_ns / job.sample_ns > 1'000'000)
    object.required("duration_s").fail("makes more than a million samples of \"sample_s\".");
  read_workers(object, job);
  if (const auto v = object.optional("consecutive")) {
    job.consecutive = static_cast<std::uint32_t>(v->integer(0, kMostConsecutive));
    if (job.consecutive != 0 && job.real_time)
      v->fail("needs the virtual clock: several workers have no order of messages.");
  }
  if (const auto v = object.optional("comparison")) read_comparison(*v, job);
  object.finish();
  return job;
}

PrecomputeJob read_precompute_job(const Json& document) {
  Object object(Value(document, ""));
  PrecomputeJob job;
  job.calls = read_calls(object);
  job.output = object.required("output").text();
  object.finish();
  return job;
}

}  // namespace headroom::sigcomp::calls
