// SPDX-License-Identifier: Apache-2.0
//
// `load` with an endpoint: calls through a P-CSCF.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <thread>

#include "base/hex.h"
#include "base/random.h"
#include "schemes/sigcomp/calls/organisations.h"
#include "schemes/sigcomp/calls/plan.h"
#include "schemes/sigcomp/calls/precompute.h"
#include "schemes/sigcomp/calls/recording.h"
#include "schemes/sigcomp/calls/run.h"
#include "schemes/sigcomp/calls/texts.h"

namespace headroom::sigcomp::calls {
namespace {

const std::string kSpeaker = HEADROOM_LIBRARIES "/faulty/speaker.so";

std::string hex_of(const std::string& text) {
  return to_hex({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

Json message(const std::string& from, const std::string& text, double pause_ms = 0) {
  Json one = {{"from", from}, {"hex", hex_of(text)}};
  if (pause_ms != 0) one["pause_ms"] = pause_ms;
  return one;
}

// A call of five messages that lasts 190 s: from the caller at 0, the core at 5 s, the caller again, 185 s later the
// caller and the core.
Json call_job() {
  Json bye = message("user", "BYE sip:bob@1.2.3.44 for a84b4c");
  bye["after_holding"] = true;
  return {{"endpoint", {{"library", kSpeaker}, {"config", {{"scheme", "sigcomp"}}}}},
          {"call",
           {message("user", "INVITE sip:bob@1.2.3.44 for a84b4c"), message("core", "200 OK for a84b4c", 5000),
            message("user", "ACK for a84b4c"), bye, message("core", "200 OK to BYE for a84b4c")}},
          {"identities", {{{"text", "bob"}, {"per", "user"}}, {{"text", "a84b4c"}, {"per", "call"}, {"kind", "hex"}}}},
          {"holding_s", 185},
          {"simultaneous", 190},
          {"arrivals", "constant"},
          {"duration_s", 100}};
}

Json with_fault(Json job, const std::string& fault, std::size_t compartments = 0) {
  job["endpoint"]["config"]["options"] = {{"fault", fault}, {"compartments", compartments}};
  job["user"] = {{"library", kSpeaker}, {"config", {{"scheme", "sigcomp"}}}};
  return job;
}

// As a job is read: from its text.
Job job_of(const Json& document) { return read_job(parse_json(document.dump())); }
Json load(const Json& document) {
  Job job = job_of(document);
  const OwnRecording recording(job);
  return run(job);
}

// The file of a recording, of the calls of a job.
class RecordingFile {
 public:
  explicit RecordingFile(const Json& document) : job_(document) {
    Json job = document;
    job["output"] = path_.string();
    result_ = precompute(read_precompute_job(parse_json(job.dump())));
    job_["recording"] = {{"file", path_.string()}, {"digests", result_["digests"]}};
  }
  ~RecordingFile() { std::filesystem::remove(path_); }
  RecordingFile(const RecordingFile&) = delete;
  RecordingFile& operator=(const RecordingFile&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  [[nodiscard]] const Json& result() const noexcept { return result_; }
  // The job of a load with the recording.
  [[nodiscard]] const Json& job() const noexcept { return job_; }

 private:
  const std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / ("headroom-calls-test-" + std::to_string(getpid()));
  Json result_, job_;
};

std::string error_of(const std::function<void()>& action, std::string* where = nullptr) {
  try {
    action();
  } catch (const Error& error) {
    if (where != nullptr) *where = error.where();
    return error.what();
  }
  return "";
}

// ---- identities

TEST(Identities, KeepTheirShape) {
  const std::string shaped = another({"Ab-12", Identity::Kind::shape, 0, false}, 1);
  ASSERT_EQ(shaped.size(), 5u);
  EXPECT_TRUE(std::isupper(shaped[0]) && std::islower(shaped[1]) && shaped[2] == '-' && std::isdigit(shaped[3]));
  EXPECT_EQ(another({"z9hG4bKnashds7", Identity::Kind::shape, 7, false}, 2).substr(0, 7), "z9hG4bK");
  for (const char c : another({"dcd98b71", Identity::Kind::hex, 0, false}, 3))
    EXPECT_NE(std::string("0123456789abcdef").find(c), std::string::npos);
  const std::string address = another({"192.168.5.61", Identity::Kind::ipv4, 0, false}, 4);
  EXPECT_EQ(address.size(), 12u);
  EXPECT_EQ(std::count(address.begin(), address.end(), '.'), 3);
}

TEST(Identities, AreOthersForOthers) {
  std::set<std::string> seen;
  const Identity bob{"robert", Identity::Kind::shape, 0, false};
  for (std::uint64_t key = 0; key < 1000; ++key) seen.insert(another(bob, key));
  EXPECT_GT(seen.size(), 990u);
  EXPECT_FALSE(seen.contains("robert"));
}

TEST(Identities, StandInTheMessagesOfAUserAlike) {
  Texts texts(job_of(call_job()));
  const auto text = [&](std::uint32_t user, std::uint32_t call, std::size_t step) {
    texts.use(user, call);
    const OctetView octets = texts.call(step);
    return std::string(octets.begin(), octets.end());
  };
  const std::string invite = text(1, 7, 0), bye = text(1, 7, 3);
  EXPECT_EQ(invite.substr(7), bye.substr(4)) << "the same identities in all messages of a call";
  EXPECT_EQ(text(1, 7, 0), invite);
  EXPECT_EQ(text(1, 8, 0).substr(0, 14), invite.substr(0, 14)) << "the user's are the same in the next call";
  EXPECT_NE(text(1, 8, 0), invite);
  EXPECT_NE(text(2, 7, 0).substr(0, 14), invite.substr(0, 14));
}

TEST(Identities, AreWholeWordsAndTheLongestFirst) {
  Json job = call_job();
  job["call"][0]["hex"] = hex_of("bob bobby xbob 10.1.1.23 10.1.1.2 bob");
  job["identities"] = {{{"text", "bob"}, {"per", "user"}},
                       {{"text", "10.1.1.2"}, {"per", "user"}, {"kind", "ipv4"}},
                       {{"text", "10.1.1.23"}, {"per", "user"}, {"kind", "ipv4"}}};
  Texts texts(job_of(job));
  texts.use(3, 3);
  const OctetView octets = texts.call(0);
  const std::string text(octets.begin(), octets.end());
  EXPECT_EQ(text.substr(3, 12), " bobby xbob ");
  EXPECT_EQ(text.substr(0, 3), text.substr(34, 3));
  EXPECT_NE(text.substr(0, 3), "bob");
  EXPECT_EQ(text.find("10.1.1.2"), std::string::npos);
}

// ---- when calls come

TEST(CallPlan, FollowsLittlesTheorem) {
  const Job job = job_of(call_job());
  EXPECT_EQ(job.mean_lifetime_ns(), 190'000'000'000u);
  EXPECT_DOUBLE_EQ(job.calls_per_s(), 1.0);
  const Plan plan = make_plan(job);
  EXPECT_NEAR(static_cast<double>(plan.calls.size()), 190 + 100, 1);
  EXPECT_EQ(plan.origin_ns, 190'000'000'000u);
}

TEST(CallPlan, IsStationaryWithPoissonArrivalsAndExponentialHolding) {
  Json document = call_job();
  document["arrivals"] = "poisson";
  document["holding"] = "exponential";
  document["simultaneous"] = 10'000;
  document["duration_s"] = 50;
  const Job job = job_of(document);
  const Plan plan = make_plan(job);
  std::uint64_t at_start = 0, at_end = 0;
  const std::uint64_t end = plan.origin_ns + job.duration_ns;
  for (const Call& call : plan.calls) {
    const std::uint64_t over = call.arrival_ns + 5'000'000'000 + call.holding_ns;
    ASSERT_GT(over, plan.origin_ns);
    at_start += call.arrival_ns <= plan.origin_ns ? 1 : 0;
    at_end += call.arrival_ns <= end && over > end ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(at_start), 10'000, 500) << "five standard deviations";
  EXPECT_NEAR(static_cast<double>(at_end), 10'000, 500);
}

TEST(CallPlan, GivesAUserOneCallAtATime) {
  Json document = call_job();
  document["users"] = 250;
  document["duration_s"] = 600;
  const Plan plan = make_plan(job_of(document));
  std::vector<std::uint64_t> idle_from(250, 0);
  for (const Call& call : plan.calls) {
    EXPECT_GE(call.arrival_ns, idle_from[call.user]);
    idle_from[call.user] = call.arrival_ns + 190'000'000'000;
  }
  document["users"] = 190;
  EXPECT_NE(error_of([&] { (void)make_plan(job_of(document)); }).find("190 users do not suffice"), std::string::npos);
}

// ---- the simulated queue, against a table made by hand

// A user's calls follow each other as they arrived: what was compressed for the second rests on the first one's state.
TEST(CallSchedule, NoCallOfAUserOvertakesAnother) {
  Json document = call_job();
  document["users"] = 400;
  document["holding_s"] = 1;
  const Job job = job_of(document);
  constexpr std::uint64_t kSecond = 1'000'000'000;
  Plan plan;
  plan.users = 2;
  plan.calls = {{0, kSecond, 0}, {kSecond / 10, kSecond, 0}, {kSecond / 5, kSecond, 1}, {kSecond / 4, kSecond, 0}};
  Schedule schedule(job, plan);
  std::vector<std::uint32_t> began;
  std::uint64_t now = 0;
  std::map<std::uint32_t, std::uint32_t> in_call;  // by user
  while (const auto event = schedule.take(~std::uint64_t{0})) {
    ASSERT_GE(event->due_ns, now) << "time does not go back";
    now = event->due_ns;
    const std::uint32_t user = plan.calls[event->call].user;
    if (event->step == 0) {
      EXPECT_EQ(in_call.count(user), 0u) << "two calls of a user at once";
      in_call[user] = event->call;
      began.push_back(event->call);
    }
    EXPECT_EQ(in_call[user], event->call);
    // A call's last message takes 30 ms, in which the next one of the user arrives, or might be tried again.
    if (schedule.done(*event, now + kSecond / 33)) in_call.erase(user);
  }
  EXPECT_EQ(began, (std::vector<std::uint32_t>{0, 2, 1, 3}));
  EXPECT_EQ(schedule.postponed(), 2u);
  EXPECT_EQ(schedule.ended(), 4u);
}

// ---- a common queue, or one for each worker

// Calls of two messages that are long compared with what a message takes, so that messages come nearly at random.
Job two_messages(std::uint32_t workers, const Comparison& comparison) {
  Json document = call_job();
  document["call"] = {message("user", "INVITE"), message("user", "BYE")};
  document["call"][1]["after_holding"] = true;
  document["arrivals"] = "poisson";
  document["simultaneous"] = 2000;
  document["workers"] = workers;
  document["organisation"] = "pool";
  document["shards"] = kMostShards;  // hardly ever waits one worker for another
  Job job = job_of(document);
  job.comparison = comparison;
  return job;
}

double waits(const Json& organised) { return organised["times"]["in_buffer_ns"]["mean"].get<double>(); }

// What queueing theory says of exponential service times S at a load r: r/(1-r) S for M/M/1, r^2/(1-r^2) S for M/M/2.
TEST(Organisations, WaitAsQueueingTheorySays) {
  constexpr std::uint32_t kService = 10'000;
  const Job job = two_messages(2, {0.8, 10, 12'000});
  queueing::ServiceTimes times(job.call.size());
  for (std::uint64_t n = 0; n < 20'000; ++n)
    times.keep(n % 2, std::max<std::uint64_t>(1, exponential(draw_at(1, n), kService)));
  const Json found = compare(job, times);
  const double service = found["service_ns_per_call"].get<double>() / 2;
  EXPECT_NEAR(service, kService, 0.02 * kService);
  EXPECT_NEAR(waits(found["pinned"]) / service, 4.0, 0.4);
  EXPECT_NEAR(waits(found["pool"]) / service, 0.64 / 0.36, 0.2);
}

// With the same arrivals and the same messages, a common queue never keeps them waiting for longer.
TEST(Organisations, ACommonQueueWaitsLess) {
  for (const std::uint32_t workers : {2u, 4u, 8u}) {
    const Job job = two_messages(workers, {0.8, 5, 4'000});
    queueing::ServiceTimes times(job.call.size());
    times.keep(0, 9'000), times.keep(0, 12'000), times.keep(1, 7'000);
    const Json found = compare(job, times);
    for (std::size_t trial = 0; trial < 5; ++trial) {
      const Json &pinned = found["pinned"]["trials"][trial], &pool = found["pool"]["trials"][trial];
      EXPECT_LT(1.5 * pool["in_buffer_ns"].get<double>(), pinned["in_buffer_ns"].get<double>()) << workers;
    }
  }
}

TEST(Organisations, OneWorkerIsOneWorker) {
  Job job = two_messages(1, {0.9, 1, 2'000});
  job.shards = 1;
  queueing::ServiceTimes times(job.call.size());
  times.keep(0, 9'000), times.keep(1, 7'000);
  const Json found = compare(job, times);
  EXPECT_EQ(found["pinned"], found["pool"]);
  EXPECT_NEAR(found["pool"]["trials"][0]["loads"][0].get<double>(), 0.9, 0.05);
}

TEST(Organisations, SayWhatCannotBeCompared) {
  const Job job = two_messages(2, {0.8, 1, 100});
  queueing::ServiceTimes times(job.call.size());
  times.keep(0, 9'000);
  std::string where;
  EXPECT_NE(error_of([&] { (void)compare(job, times); }, &where).find("message 2 of a call never arrived"),
            std::string::npos);
  EXPECT_EQ(where, "/comparison");
  queueing::ServiceTimes none(job.call.size());
  none.keep(0, 0), none.keep(1, 0);
  EXPECT_NE(error_of([&] { (void)compare(job, none); }).find("has not seen any time"), std::string::npos);
}

// Addresses of users that call one after the other say nothing of each other.
TEST(Organisations, UsersAreDealtAsByTheirAddresses) {
  std::uint32_t of_first = 0, same_as_before = 0;
  for (std::uint32_t user = 0; user < 10'000; ++user) {
    of_first += dealt_to(user, 2) == 0 ? 1u : 0u;
    same_as_before += dealt_to(user, 2) == dealt_to(user + 1, 2) ? 1u : 0u;
    EXPECT_LT(dealt_to(user, 7), 7u);
    EXPECT_EQ(dealt_to(user, 1), 0u);
  }
  EXPECT_NEAR(of_first, 5000, 250) << "five standard deviations";
  EXPECT_NEAR(same_as_before, 5000, 250);
}

// ---- whole runs

void expect_whole(const Json& result, std::uint64_t calls) {
  EXPECT_EQ(result["outcomes"]["failures"], 0) << result["outcomes"];
  EXPECT_EQ(result["calls"]["began"], calls);
  EXPECT_EQ(result["messages"]["unserved"], 0);
  EXPECT_EQ(result["calls"]["postponed"], 0);
  const Json& times = result["times"];
  const std::uint64_t served =
      result["messages"]["from_users"].get<std::uint64_t>() + result["messages"]["from_core"].get<std::uint64_t>();
  for (const char* name : {"in_system_ns", "in_buffer_ns", "processing_ns", "waiting_for_lock_ns"})
    EXPECT_EQ(times[name]["count"], served) << name;
  EXPECT_NEAR(times["in_system_ns"]["mean"].get<double>(),
              times["in_buffer_ns"]["mean"].get<double>() + times["processing_ns"]["mean"].get<double>(), 1.0);
  EXPECT_GE(times["processing_ns"]["mean"].get<double>(), times["decompressing_ns"]["p50"].get<double>() / 100);
}

TEST(LoadCalls, ByAVirtualClock) {
  for (const char* organisation : {"pinned", "pool"}) {
    Json job = call_job();
    job["organisation"] = organisation;
    job["workers"] = 3;
    job["warmup_s"] = 10;
    job["consecutive"] = 175;
    const Json result = load(job);
    expect_whole(result, 100);
    EXPECT_EQ(result["clock"], "virtual");
    EXPECT_EQ(result["workers"].size(), 3u);
    EXPECT_NEAR(result["calls"]["in_progress_at_start"].get<double>(), 190, 1);
    EXPECT_NEAR(result["calls"]["in_progress_at_end"].get<double>(), 190, 1);
    EXPECT_EQ(result["samples"].size(), 100u);
    EXPECT_EQ(result["consecutive_in_system_ns"].size(), 175u);
    // One call a second brings one of each of its messages.
    EXPECT_NEAR(result["messages"]["from_users"].get<double>(), 300, 3);
    EXPECT_NEAR(result["messages"]["from_core"].get<double>(), 200, 3);
    EXPECT_NEAR(result["memory"]["compartments_at_start"].get<double>(), 190, 2) << "a call's is closed after it";
    EXPECT_NEAR(result["memory"]["compartments_at_end"].get<double>(), 190, 2);
  }
}

TEST(LoadCalls, TellTheTimeOfOtherThreads) {
  EXPECT_LT(load(call_job())["other_threads_cpu_ns"].get<double>(), 5e6);
  std::atomic<bool> stop = false;
  std::thread other([&stop] {
    while (!stop) {
    }
  });
  Json job = call_job();
  job["simultaneous"] = 20'000;
  const Json result = load(job);
  job.update({{"clock", "real"}, {"simultaneous", 2000}, {"duration_s", 0.5}});
  const Json real = load(job);
  stop = true;
  other.join();
  EXPECT_GT(result["other_threads_cpu_ns"].get<double>(), 5e6);
  EXPECT_GT(real["other_threads_cpu_ns"].get<double>(), 20e6);
  EXPECT_LT(load(job)["other_threads_cpu_ns"].get<double>(), 20e6);
}

TEST(LoadCalls, CompareOrganisationsBesideTheRun) {
  Json document = call_job();
  document["duration_s"] = 200;
  document["workers"] = 3;
  document["comparison"] = {{"load", 0.7}, {"trials", 2}, {"calls", 3000}};
  const Json result = load(document), &compared = result["comparison"];
  expect_whole(result, 200);
  EXPECT_EQ(compared["pinned"]["shards"], 3);
  EXPECT_EQ(compared["pool"]["shards"], kShardsOfPool);
  EXPECT_NEAR(compared["calls_per_s"].get<double>() * compared["service_ns_per_call"].get<double>() * 1e-9, 3 * 0.7,
              0.01);
  for (const char* organisation : {"pinned", "pool"}) {
    const Json& trials = compared[organisation]["trials"];
    ASSERT_EQ(trials.size(), 2u);
    EXPECT_EQ(trials[0]["loads"].size(), 3u);
    EXPECT_EQ(compared[organisation]["times"]["in_system_ns"]["count"],
              trials[0]["messages"].get<int>() + trials[1]["messages"].get<int>());
    EXPECT_EQ(trials[0]["calls"], compared["pool"]["trials"][0]["calls"]) << "the same arrivals";
    EXPECT_NE(trials[0]["in_system_ns"], trials[1]["in_system_ns"]) << "others in another trial";
  }
  document.erase("comparison");
  EXPECT_TRUE(load(document)["comparison"].is_null());
}

TEST(LoadCalls, FromAnEmptySystem) {
  Json job = call_job();
  job["start"] = "empty";
  job["duration_s"] = 300;
  const Json result = load(job);
  EXPECT_EQ(result["calls"]["in_progress_at_start"], 0);
  EXPECT_NEAR(result["samples"][99]["calls"].get<double>(), 100, 1) << "they fill it one by one";
  EXPECT_NEAR(result["samples"][299]["calls"].get<double>(), 190, 1);
  EXPECT_EQ(result["outcomes"]["failures"], 0);
}

TEST(LoadCalls, KeepRegistrations) {
  Json job = call_job();
  job["users"] = 300;
  Json first = message("user", "REGISTER bob"), challenge = message("core", "401 for bob");
  first["carried"] = "stranger";
  challenge["carried"] = "plain";
  job["registration"] = {first, challenge, message("user", "REGISTER bob again"), message("core", "200 OK")};
  const Json result = load(job);
  expect_whole(result, 100);
  EXPECT_EQ(result["memory"]["compartments_at_start"], 300);
  EXPECT_EQ(result["memory"]["compartments_at_end"], 300);
}

TEST(LoadCalls, ByTheClockOnTheWall) {
  for (const char* organisation : {"pinned", "pool"}) {
    Json job = call_job();
    job["clock"] = "real";
    job["organisation"] = organisation;
    job["workers"] = 2;
    job["simultaneous"] = 19'000;
    job["duration_s"] = 0.5;
    job["sample_s"] = 0.1;
    const Json result = load(job);
    EXPECT_EQ(result["outcomes"]["failures"], 0) << result["outcomes"];
    EXPECT_EQ(result["messages"]["unserved"], 0);
    EXPECT_NEAR(result["calls"]["began"].get<double>(), 50, 1);
    EXPECT_GT(result["messages"]["from_users"], 100);
    EXPECT_GT(result["workers"][0]["cpu_ns"], 0);
    EXPECT_EQ(result["times"]["in_system_ns"]["count"], result["times"]["handed_over_late_ns"]["count"]);
  }
}

// ---- what goes wrong

TEST(LoadCalls, CountWhatTheEndpointDoesWrong) {
  // In the precomputation one compartment is open at a time.
  const auto outcomes = [](const char* fault) { return load(with_fault(call_job(), fault, 2))["outcomes"]; };
  EXPECT_GT(outcomes("wrong")["wrong"], 0);
  EXPECT_GT(outcomes("different")["different"], 0);
  EXPECT_GT(outcomes("refuses")["refused"], 0);
  EXPECT_EQ(outcomes("none")["failures"], 0);
}

TEST(LoadCalls, EndWhereThePrecomputationDoes) {
  std::string where;
  EXPECT_NE(error_of([] { (void)load(with_fault(call_job(), "wrong")); }, &where).find("otherwise than it was"),
            std::string::npos);
  EXPECT_EQ(where, "/call/0");
  EXPECT_NE(error_of([] { (void)load(with_fault(call_job(), "dies")); }).find("died of the signal Killed"),
            std::string::npos);
  EXPECT_NE(error_of([] { (void)load(with_fault(call_job(), "full")); }).find("there is no room here"),
            std::string::npos);
}

// ---- the recording

TEST(Recordings, HoldEveryMessageOfEveryCall) {
  const RecordingFile recording(call_job());
  EXPECT_EQ(recording.result()["octets"], std::filesystem::file_size(recording.path()));
  const Job job = job_of(recording.job());
  const Plan plan = make_plan(job);
  EXPECT_EQ(recording.result()["messages"], 5 * plan.calls.size());
  const Recording read(job, plan);
  Texts texts(job);
  texts.use(plan.calls[7].user, 7);
  const Part answer = read.call(7, 1);
  EXPECT_TRUE(std::ranges::equal(answer.input, texts.call(1)));
  EXPECT_GT(answer.output_length, 0u);
  const Part invite = read.call(7, 0);
  EXPECT_EQ(invite.output_length, texts.call(0).size());
  EXPECT_EQ(invite.output_hash, hash_of(texts.call(0)));

  const Json with_file = run(job), without = load(call_job());
  for (const char* key : {"calls", "messages", "outcomes"}) EXPECT_EQ(with_file[key], without[key]) << key;
}

// An adapter that hosts nothing but the users can write to the file, too.
TEST(Recordings, AreRefusedWhereAnyMessageIsAnother) {
  const RecordingFile recording(call_job());
  const Job job = job_of(recording.job());
  const Plan plan = make_plan(job);
  const auto error_with = [&](std::streamoff offset, std::uint8_t flipped) {
    std::fstream file(recording.path(), std::ios::in | std::ios::out | std::ios::binary);
    const auto flip = [&] {
      char octet = 0;
      file.seekg(offset).read(&octet, 1);
      octet = static_cast<char>(octet ^ flipped);
      file.seekp(offset).write(&octet, 1).flush();
    };
    flip();
    const std::string sentence = error_of([&] { const Recording changed(job, plan); });
    flip();
    return sentence;
  };
  constexpr std::streamoff kFirst = 24, kEntry = 24;  // the header's length, and that of an entry
  EXPECT_EQ(error_with(0, 0), "");
  EXPECT_NE(error_with(0, 1).find("not that of these calls"), std::string::npos) << "the magic number";
  EXPECT_NE(error_with(8, 1).find("not that of these calls"), std::string::npos) << "the number of messages";
  EXPECT_NE(error_with(kFirst + 7, 0x80).find("octets that it does not have"), std::string::npos) << "an offset";
  EXPECT_NE(error_with(kFirst + 19, 0x7F).find("octets that it does not have"), std::string::npos) << "a length";
  EXPECT_NE(error_with(kFirst + 8, 1).find("other messages"), std::string::npos) << "what an INVITE becomes";
  EXPECT_NE(error_with(kFirst + 20, 1).find("other messages"), std::string::npos) << "its length";
  EXPECT_NE(error_with(kFirst + kEntry + 23, 1).find("too long"), std::string::npos) << "of a compressed message";
  EXPECT_NE(error_with(kFirst + kEntry + 8, 1).find("than were kept"), std::string::npos) << "an answer, compressed";
  std::uint64_t offset = 0;
  std::ifstream file(recording.path(), std::ios::binary);
  file.seekg(kFirst + kEntry).read(reinterpret_cast<char*>(&offset), sizeof offset);
  EXPECT_GE(offset, kFirst + 5 * plan.calls.size() * kEntry);
  EXPECT_NE(error_with(static_cast<std::streamoff>(offset), 1).find("other messages"), std::string::npos)
      << "an answer";
  const auto size = std::filesystem::file_size(recording.path());
  for (const auto longer : {size + 1, size + (std::size_t{2} << 20)}) {
    std::filesystem::resize_file(recording.path(), longer);
    EXPECT_NE(error_with(static_cast<std::streamoff>(longer) - 1, 1).find("more than its messages"), std::string::npos);
  }
  std::filesystem::resize_file(recording.path(), size);
  Json other = recording.job();
  other["seed"] = 2;
  EXPECT_NE(error_of([&] {
              const Job another = job_of(other);
              const Recording wrong(another, make_plan(another));
            }).find("other messages"),
            std::string::npos);
  std::filesystem::resize_file(recording.path(), 100);
  EXPECT_NE(error_with(0, 0).find("too short"), std::string::npos);
  std::filesystem::resize_file(recording.path(), 0);
  EXPECT_NE(error_with(0, 0).find("too short"), std::string::npos);
}

TEST(Recordings, SayWhereTheyCannotBe) {
  Json document = call_job();
  document["output"] = "/dev/full";
  EXPECT_NE(error_of([&] { (void)precompute(read_precompute_job(parse_json(document.dump()))); }).find("cannot be"),
            std::string::npos);
  Job job = job_of(call_job());
  job.recording = "/nowhere/recording";
  std::string where;
  EXPECT_NE(error_of([&] { const Recording none(job, make_plan(job)); }, &where).find("opened"), std::string::npos);
  EXPECT_EQ(where, "/recording/file");
  job.recording = "/dev/null";
  EXPECT_NE(error_of([&] { const Recording none(job, make_plan(job)); }).find("is no file"), std::string::npos);
}

// ---- wrong jobs

TEST(LoadCalls, SayWhatIsWrongWithAJob) {
  const auto error = [](const std::function<void(Json&)>& change) {
    Json job = call_job();
    change(job);
    std::string where;
    const std::string sentence = error_of([&] { (void)job_of(job); }, &where);
    return where + ": " + sentence;
  };
  const auto expect = [&](const std::function<void(Json&)>& change, const std::string& where, const std::string& part) {
    const std::string said = error(change);
    EXPECT_EQ(said.substr(0, said.find(':')), where) << said;
    EXPECT_NE(said.find(part), std::string::npos) << said;
  };
  expect([](Json& job) { job["call"] = Json::array(); }, "/call", "1 to 64 messages");
  expect([](Json& job) { job["call"][1]["carried"] = "stranger"; }, "/call/1/carried", "under a compartment");
  expect([](Json& job) { job["call"][0]["pause_ms"] = 5; }, "/call", "no pause");
  expect([](Json& job) { job["call"][1]["after_holding"] = true; }, "/call", "held once");
  expect([](Json& job) { job["shards"] = 3; }, "/shards", "of a pool");
  expect([](Json& job) { job["users"] = 3; }, "", "fewer \"users\"");
  expect([](Json& job) { job["registration"] = Json::array({message("user", "REGISTER")}); }, "/registration",
         "\"users\"");
  expect([](Json& job) { job["simultaneous"] = 4'000'000, job["duration_s"] = 1e6; }, "/duration_s", "calls");
  expect([](Json& job) { job["clock"] = "sand"; }, "/clock", "virtual");
  const Json comparison = {{"load", 0.8}, {"trials", 1}, {"calls", 100}};
  expect([&](Json& job) { job.update({{"clock", "real"}, {"comparison", comparison}}); }, "/comparison", "virtual");
  expect([&](Json& job) { job.update({{"users", 400}, {"comparison", comparison}}); }, "/comparison", "no \"users\"");
  expect([](Json& job) { job["comparison"] = {{"load", 1.5}, {"calls", 100}}; }, "/comparison/load", "0.99");
  expect([](Json& job) { job.update({{"clock", "real"}, {"consecutive", 2}}); }, "/consecutive", "virtual clock");
}

}  // namespace
}  // namespace headroom::sigcomp::calls
