// SPDX-License-Identifier: Apache-2.0
//
// `load` of a user plane, with the example adapter: jobs, messages, packets, trials and the simulation.
#include <gtest/gtest.h>
#include <sys/time.h>

#include <atomic>
#include <csignal>
#include <map>
#include <numeric>
#include <set>
#include <thread>

#include "schemes/gtpu/load/generator.h"
#include "schemes/gtpu/load/pfcp.h"
#include "schemes/gtpu/load/run.h"
#include "schemes/gtpu/load/spread.h"
#include "schemes/gtpu/load/trial.h"
#include "schemes/gtpu/load/virtual_time.h"
#include "schemes/gtpu/tests/user_plane_packets.h"

namespace headroom::gtpu::load {
namespace {

Json small_job() {
  return {{"user_plane",
           {{"library", HEADROOM_LIBRARIES "/example-user-plane.so"},
            {"config", {{"scheme", "gtpu"}, {"n3", {{"ipv4", "172.17.0.1"}}}}}}},
          {"traffic", {{"access_users", 2000}, {"active_users", 200}, {"flows", 400}, {"packets_of_flow", 20}}},
          {"packets", 10'000},
          {"trials", 2},
          {"seed", 1}};
}

// As it comes from outside: numbers that are not below 0 are unsigned there.
Job read(const Json& document) { return read_job(parse_json(document.dump())); }

std::string refusal(Json job) {
  try {
    (void)read(job);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::job);
    return error.where() + ": " + error.what();
  }
  return {};
}

TEST(UserPlaneLoadJob, NamesALibraryThatIsNotThereBeforeWhatItsConfigurationLacks) {
  Json job = small_job();
  job["user_plane"]["config"].erase("n3");
  EXPECT_NE(refusal(job).find("\"n3\" is missing"), std::string::npos);
  job["user_plane"]["library"] = "/nowhere.so";
  try {
    (void)run_document(job);
    FAIL() << "it ran";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::adapter);
    EXPECT_EQ(error.where(), "/user_plane/library");
  }
}

TEST(UserPlaneLoadJob, RefusesWhatCannotBe) {
  EXPECT_EQ(refusal(small_job()), "");
  const auto with = [](const char* pointer, const Json& value) {
    Json job = small_job();
    job.at_pointer(pointer) = value;
    return refusal(job);
  };
  EXPECT_NE(with("/traffic/active_users", 2001), "");
  EXPECT_NE(with("/traffic/uplink_share", 1.5), "");
  EXPECT_NE(with("/traffic/lengths", Json::array()), "");
  EXPECT_NE(with("/traffic/lengths", {{1, 83}}), "");
  EXPECT_NE(with("/traffic/lengths", {{0, 100}}), "");
  EXPECT_NE(with("/traffic/hosts", Json::array()), "");
  EXPECT_NE(with("/traffic/weather", "fine"), "");
  EXPECT_NE(with("/rules", "some"), "");
  EXPECT_NE(with("/rules", "dpi"), "") << "it names no inspection";
  EXPECT_NE(with("/cpus", {0, 1}), "") << "there is one thread";
  const auto sessions = [&](int count) {
    return with("/user_plane/config/session_range", {{"count", count},
                                                     {"teid", 1},
                                                     {"user", "10.32.0.0"},
                                                     {"access", "172.16.0.1"},
                                                     {"access_teid", 1},
                                                     {"qfi", 9}});
  };
  EXPECT_EQ(sessions(2000), "");
  EXPECT_NE(sessions(1999), "") << "more users than sessions";
  EXPECT_NE(with("/distribution", "pigeon"), "");
  EXPECT_NE(with("/workers", 0), "");
  EXPECT_NE(with("/user_plane/config/n3/ipv4", "nowhere"), "");
  EXPECT_NE(with("/dance", true), "");
}

// A key that would have no effect is a mistake of the job's author.
TEST(UserPlaneLoadJob, RefusesKeysWithoutEffect) {
  Json job = small_job();
  job["rx_cores"] = 2;
  EXPECT_EQ(refusal(job).find("/rx_cores: is for the distribution"), 0u) << refusal(job);
  job["distribution"] = "rx-cores";
  EXPECT_EQ(refusal(job), "");
  job["cpus"] = {0, 1, 2};
  EXPECT_EQ(refusal(job), "");
  job["cpus"] = {0, 1, 1};
  EXPECT_EQ(refusal(job).find("/cpus/2: stands there twice"), 0u) << refusal(job);
  for (const char* key : {"virtual_threads", "loads"}) {
    Json simulated = small_job();
    simulated[key] = {1};
    EXPECT_EQ(refusal(simulated).find(std::string("/") + key + ": is for designs"), 0u) << refusal(simulated);
    simulated["clock"] = "real";
    EXPECT_NE(refusal(simulated), "");
    simulated["clock"] = "virtual";
    EXPECT_EQ(refusal(simulated), "");
  }
}

// A reader of its own: elements as nested lists of type and value.
Json elements(OctetView octets) {
  static const std::set<std::uint32_t> groups = {
      pfcp::kCreatePdr, pfcp::kPdi, pfcp::kCreateFar, pfcp::kForwardingParameters, pfcp::kCreateUrr, pfcp::kCreateQer};
  Json all = Json::array();
  for (std::size_t at = 0; at + 4 <= octets.size();) {
    const std::uint32_t type = load16(&octets[at]), length = load16(&octets[at + 2]);
    const OctetView value = octets.subspan(at + 4, length);
    all.push_back({type, groups.contains(type) ? elements(value) : Json(Octets(value.begin(), value.end()))});
    at += 4 + length;
  }
  return all;
}

TEST(UserPlaneLoadMessages, EstablishASessionWithADefaultPairOfRules) {
  const Job job = read(small_job());
  SessionMessages messages(job, false);
  const OctetView message = messages.establishment(3);
  EXPECT_EQ(message[0], 0x21);
  EXPECT_EQ(message[1], 50);
  EXPECT_EQ(load16(&message[2]), message.size() - 4);
  const Json all = elements(message.subspan(16));
  std::map<int, int> counts;
  for (const Json& element : all) ++counts[element[0].get<int>()];
  EXPECT_EQ(counts, (std::map<int, int>{{1, 2}, {3, 2}, {57, 1}, {60, 1}}));
  const Json& pdi = all[2][1][2];
  EXPECT_EQ(pdi[0], 2);
  EXPECT_EQ(pdi[1][1], Json({21, {1, 1, 0, 0, 4, 172, 17, 0, 1}})) << "F-TEID: V4, TEID, address";
  EXPECT_EQ(pdi[1][2], Json({93, {2, 10, 32, 0, 3}})) << "UE IP address: V4";
}

TEST(UserPlaneLoadMessages, HaveFiftyRulesBesideTheDefault) {
  Json with_rules = small_job();
  with_rules["rules"] = "rules";
  const Job job = read(with_rules);
  EXPECT_EQ(job.user_plane.config["predefined_rules"].size(), 45u);
  SessionMessages messages(job, false);
  const Json all = elements(messages.establishment(0).subspan(16));
  int rules = 0, activated = 0, filters = 0;
  for (const Json& element : all) {
    if (element[0] != 1) continue;
    ++rules;
    for (const Json& part : element[1]) {
      activated += part[0] == 106 ? 1 : 0;
      if (part[0] != 2) continue;
      for (const Json& field : part[1]) filters += field[0] == 23 ? 1 : 0;
    }
  }
  EXPECT_EQ(rules, 2 + 2 + 10);
  EXPECT_EQ(activated, 2 * 45);
  EXPECT_EQ(filters, 2 * 5);
}

TEST(UserPlaneLoadMessages, ThatLetTheUserPlaneChooseNameNoEndpoint) {
  const Job job = read(small_job());
  SessionMessages messages(job, true);
  const Json all = elements(messages.establishment(3).subspan(16));
  EXPECT_EQ(all[2][1][2][1][1], Json({21, {0x0D, 1}})) << "F-TEID: CHOOSE with an identifier";
}

TEST(UserPlaneLoadMessages, AnAnswerTellsItsCauseAndTheEndpoint) {
  const Octets octets = {0x21, 51, 0,  34, 0,  0, 0, 0, 0, 0, 0,  7, 0, 0, 1, 0, 0, 19, 0,   1,  1, 0,
                         8,    0,  19, 0,  56, 0, 2, 0, 1, 0, 21, 0, 9, 1, 0, 0, 1, 44, 172, 17, 0, 1};
  const pfcp::Answer answer = pfcp::read_answer(octets);
  EXPECT_EQ(answer.cause, 1);
  EXPECT_EQ(answer.seid, 7u);
  EXPECT_EQ(answer.teid, 300u);
  for (std::size_t length = 0; length < 21; ++length)
    EXPECT_EQ(pfcp::read_answer(OctetView(octets).first(length)).cause, std::nullopt) << length;
}

TEST(UserPlaneLoadTraffic, ActiveUsersDiffer) {
  const Job job = read(small_job());
  std::set<std::uint32_t> sessions;
  for (std::uint32_t i = 0; i < job.traffic.active_users; ++i) sessions.insert(session_of(job.traffic, job.seed, i));
  EXPECT_EQ(sessions.size(), job.traffic.active_users);
  EXPECT_LT(*sessions.rbegin(), job.traffic.access_users);
}

TEST(UserPlaneLoadTraffic, HasTheSharesOfTheJob) {
  Json document = small_job();
  document["traffic"]["packets_of_flow"] = 200;
  const Job job = read(document);
  Generator generator(job, session_range(job), 0, 1);
  Segment segment;
  std::uint64_t uplink = 0, octets = 0, tcp = 0, first = 0, all = 0;
  for (int i = 0; i < 50; ++i) {
    generator.fill(segment, kSegment);
    uplink += segment.uplink().size();
    octets += segment.octets_n3();
    for (const headroom_user_packet& packet : segment.uplink()) {
      const std::uint8_t* const inner = packet.octets + kEncapsulation;
      EXPECT_EQ(load16(inner + 2), packet.length - kEncapsulation);
      EXPECT_EQ(load32(inner + 12) - 0x0A200000, load32(packet.octets + 32) - 0x01000001) << "its tunnel is its user's";
      tcp += inner[9] == 6 ? 1u : 0u;
      first += inner[9] == 6 && std::equal(inner + 40, inner + 44, "GET ") ? 1u : 0u;
    }
    all += kSegment;
  }
  EXPECT_NEAR(static_cast<double>(uplink) / static_cast<double>(all), 0.5, 0.02);
  EXPECT_NEAR(static_cast<double>(tcp) / static_cast<double>(uplink), 0.85, 0.05);
  EXPECT_NEAR(static_cast<double>(octets) / static_cast<double>(all), 690, 690 * 0.05);
  EXPECT_NEAR(static_cast<double>(first) / static_cast<double>(all), 0.85 / 200, 0.002) << "a request of each flow";
}

TEST(UserPlaneLoadTraffic, BothDirectionsOfAUserReachOneWorker) {
  const Job job = read(small_job());
  constexpr std::uint32_t kWorkers = 4;
  std::uint32_t users = 0;
  for (std::uint32_t worker = 0; worker < kWorkers; ++worker) {
    Generator generator(job, session_range(job), worker, kWorkers);
    users += generator.users();
    Segment segment;
    generator.fill(segment, kSegment);
    for (auto* const records : {&segment.uplink(), &segment.downlink()}) {
      for (const headroom_user_packet& packet : *records) EXPECT_EQ(worker_of(user_of(packet), kWorkers), worker);
    }
  }
  EXPECT_EQ(users, job.traffic.active_users);
}

TEST(UserPlaneLoad, RulesNeedN4) {
  Json document = small_job();
  document["rules"] = "rules";
  EXPECT_THROW((void)run(read(document)), Error);
}

TEST(UserPlaneLoad, ForwardsAllPacketsOfTheExample) {
  Json document = small_job();
  document["baseline"] = document["user_plane"];
  document["baseline"]["library"] = HEADROOM_LIBRARIES "/null.so";
  for (const char* distribution : {"queues", "rx-cores"}) {
    for (const int workers : {1, 3}) {
      document["distribution"] = distribution;
      document["workers"] = workers;
      const Json result = run(read(document));
      ASSERT_EQ(result["trials"].size(), 2u);
      for (const Json& trial : result["trials"]) {
        EXPECT_EQ(trial["outcomes"]["packets"], 10'000 * workers);
        EXPECT_EQ(trial["outcomes"]["sent"], 10'000 * workers) << trial.dump();
        EXPECT_EQ(trial["outcomes"]["wrong"], 0);
        EXPECT_GT(trial["ns"], 0);
        EXPECT_GT(trial["baseline_ns"], 0);
        EXPECT_GT(trial["uplink_ns"], 0);
        EXPECT_GT(trial["gbps_l1"], trial["gbps_l3"]);
        EXPECT_EQ(trial["workers"].size(), static_cast<std::size_t>(workers));
        EXPECT_EQ(trial["rx_cores"].is_null(), std::string(distribution) == "queues");
      }
      EXPECT_EQ(result["stages"], nullptr) << "the example lists none";
    }
  }
}

TEST(UserPlaneLoad, TellsTheTimeOfOtherThreads) {
  const Json alone = run(read(small_job()));
  EXPECT_LT(alone["other_threads_cpu_ns"].get<double>(), 5e6);
  EXPECT_GT(alone["cpu_ns"].get<double>(), 0);
  std::atomic<bool> stop = false;
  std::thread other([&stop] {
    while (!stop) {
    }
  });
  Json document = small_job();
  document["packets"] = 1'000'000;
  const Json result = run(read(document));
  stop = true;
  other.join();
  EXPECT_GT(result["other_threads_cpu_ns"].get<double>(), 5e6);
}

TEST(UserPlaneLoad, TellsTheTimeOfHandlersOfSignals) {
  if (!on_threads(1)) GTEST_SKIP() << "there is no core for a thread of its own";
  const auto before = std::signal(SIGALRM, [](int) {
    for (const std::uint64_t until = monotonic_ns() + 1'000'000; monotonic_ns() < until;) {
    }
  });
  const itimerval often{{0, 2000}, {0, 2000}}, never{};
  setitimer(ITIMER_REAL, &often, nullptr);
  Json document = small_job();
  document["packets"] = 1'000'000;
  const Json result = run(read(document));
  setitimer(ITIMER_REAL, &never, nullptr);
  (void)std::signal(SIGALRM, before);
  EXPECT_GT(result["other_threads_cpu_ns"].get<double>(), 5e6);
}

// It says of each packet that it is to be sent, and leaves it as it is.
TEST(UserPlaneLoad, CountsPacketsThatGoOnAsTheyCame) {
  Json document = small_job();
  document["user_plane"]["library"] = HEADROOM_LIBRARIES "/null.so";
  for (const char* distribution : {"queues", "rx-cores"}) {
    document["distribution"] = distribution;
    const Json result = run(read(document));
    for (const Json& trial : result["trials"]) {
      EXPECT_EQ(trial["outcomes"]["sent"], 10'000);
      EXPECT_EQ(trial["outcomes"]["wrong"], 10'000) << distribution;
    }
  }
}

TEST(UserPlaneLoad, ProcessorTimeIsThatOfTheSideAndItsShareOfReports) {
  TrialMeasurement trial;
  trial.workers.resize(2);
  for (WorkerMeasurement& worker : trial.workers) {
    worker.add(true, 100, 1000);
    worker.add(false, 300, 1000);
    worker.uplink_cpu_ns = 2000;
    worker.downlink_cpu_ns = 3000;
  }
  trial.reports_cpu_ns = 4000;
  EXPECT_EQ(trial.cpu_ns(true), 20 + 5);
  EXPECT_EQ(trial.cpu_ns(false), 10 + 5);
  EXPECT_EQ(TrialMeasurement{}.cpu_ns(true), 0);
}

TEST(UserPlaneLoad, TheSameSeedGivesTheSamePackets) {
  const Job job = read(small_job());
  Generator first(job, session_range(job), 0, 1), second(job, session_range(job), 0, 1);
  Segment a, b;
  first.fill(a, 100);
  second.fill(b, 100);
  ASSERT_EQ(a.uplink().size(), b.uplink().size());
  for (std::size_t i = 0; i < a.uplink().size(); ++i) {
    const headroom_user_packet &one = a.uplink()[i], &other = b.uplink()[i];
    EXPECT_TRUE(std::equal(one.octets, one.octets + one.length, other.octets, other.octets + other.length));
  }
}

Json simulated(Distribution distribution, std::uint32_t threads, double load) {
  Job job = read(small_job());
  job.distribution = distribution;
  job.virtual_threads = {threads};
  job.loads = {load};
  job.traffic.active_users = 2000;
  queueing::ServiceTimes times(kKinds);
  times.keep(kUplinkTime, 60 * kTimeScale);
  times.keep(kDownlinkTime, 60 * kTimeScale);
  times.keep(kRxTime, 15 * kTimeScale);
  return simulate(job, times);
}

TEST(UserPlaneLoadSimulation, OneWorkerIsAQueueWithConstantServiceTime) {
  const Json one = simulated(Distribution::queues, 1, 0.5)[0];
  EXPECT_NEAR(one["capacity_mpps"].get<double>(), 1e3 / 60, 0.1);
  const Json& at = one["loads"][0];
  EXPECT_NEAR(at["worker_loads"][0].get<double>(), 0.5, 0.02);
  EXPECT_EQ(at["lost_share"], 0);
  // M/D/1 at half load: half of the packets wait, for less than a service time in the median.
  EXPECT_NEAR(at["latency_ns"]["p50"].get<double>(), 60, 30);
}

TEST(UserPlaneLoadSimulation, LossBeginsAtTheFullestWorker) {
  const Json many = simulated(Distribution::queues, 48, 0.9)[0];
  const Json& at = many["loads"][0];
  EXPECT_GT(at["fullest_to_mean"], 1.05);
  EXPECT_GT(at["lost_share"], 0);
  EXPECT_EQ(simulated(Distribution::queues, 48, 0.5)[0]["loads"][0]["lost_share"], 0);
}

// A worker takes 60 ns and a receiving core 15 ns: of five threads, one receives for four.
TEST(UserPlaneLoadSimulation, BothDesignsHaveTheSameThreadsAndTimes) {
  for (const std::uint32_t rx_cores : {1u, 2u}) {
    const Json designs = simulated(Distribution::rx_cores, 5 * rx_cores, 0.5);
    ASSERT_EQ(designs.size(), 2u);
    EXPECT_EQ(designs[0]["distribution"], "queues");
    EXPECT_EQ(designs[0]["workers"], 5 * rx_cores);
    EXPECT_EQ(designs[0]["rx_cores"], 0);
    EXPECT_NEAR(designs[0]["capacity_mpps"].get<double>(), 5e3 * rx_cores / 60, 0.1);
    EXPECT_EQ(designs[1]["distribution"], "rx-cores");
    EXPECT_EQ(designs[1]["workers"], 4 * rx_cores);
    EXPECT_EQ(designs[1]["rx_cores"], rx_cores);
    EXPECT_NEAR(designs[1]["capacity_mpps"].get<double>(), 1e3 * rx_cores / 15, 0.1);
    EXPECT_NEAR(designs[1]["loads"][0]["rx_loads"][0].get<double>(), 0.5, 0.05);
  }
  EXPECT_EQ(simulated(Distribution::rx_cores, 1, 0.5).size(), 1u) << "one thread cannot be divided";
}

}  // namespace
}  // namespace headroom::gtpu::load
