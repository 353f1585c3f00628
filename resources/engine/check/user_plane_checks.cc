// SPDX-License-Identifier: Apache-2.0
//
// What a user plane promises: room around packets, workers that share sessions, N4 beside them.
#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>

#include "base/hex.h"
#include "base/nth.h"
#include "base/random.h"
#include "check/user_plane.h"

namespace headroom::check {
namespace {

constexpr std::size_t kHostilePackets = 20'000, kHostileMessages = 5'000;
constexpr std::size_t kRounds = 40;  // of packets, beside each other
constexpr std::uint64_t kStepNs = 1'000'000;
constexpr std::uint16_t kPort = 8805;

using Transcript = std::vector<std::string>;

void require(bool holds, const std::string& sentence) {
  if (!holds) throw Broken(sentence);
}

using Packets = std::vector<UserPlaneTrial::Packet>;

UserPacket packet_of(const Packets& packets, std::size_t index) {
  const UserPlaneTrial::Packet& packet = packets[index % packets.size()];
  return {packet.octets, static_cast<headroom_side>(packet.side)};
}

std::string text_of(const ForwardOutcome& outcome) {
  return std::string(name_of_status(outcome.status)) + " " + name_of_reason(outcome.reason) + " " +
         name_of_side(outcome.side) + " " + to_hex(outcome.octets);
}

void add_taken(CheckedUserPlane& plane, std::size_t worker, std::uint64_t now_ns, Transcript& taken) {
  for (const TakenPacket& packet : plane.take(worker, now_ns))
    taken.push_back(std::string("taken ") + name_of_side(packet.side) + " " + to_hex(packet.octets));
}

void add_n4(CheckedUserPlane& plane, std::uint64_t now_ns, Transcript& taken) {
  for (const N4Datagram& message : plane.take_n4(now_ns)) taken.push_back("n4 " + to_hex(message.octets));
}

// All that a fresh user plane puts out for the subject's messages and packets: outcomes, then what was taken.
Transcript transcript_of(const Subject& subject, std::size_t burst) {
  CheckedUserPlane plane(subject.adapter, 1);
  Transcript outcomes, taken;
  const Packets all = establish(plane, subject);
  std::vector<UserPacket> packets;
  for (std::size_t begin = 0; begin < all.size(); begin += burst) {
    packets.clear();
    for (std::size_t i = begin; i < std::min(begin + burst, all.size()); ++i) packets.push_back(packet_of(all, i));
    for (const ForwardOutcome& outcome : plane.forward(0, packets, kStepNs)) outcomes.push_back(text_of(outcome));
    add_taken(plane, 0, kStepNs, taken);
    add_n4(plane, kStepNs, taken);
  }
  outcomes.insert(outcomes.end(), taken.begin(), taken.end());
  return outcomes;
}

void require_same(const Transcript& a, const Transcript& b, const std::string& what) {
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    require(a[i] == b[i], what + ": " + nth("line", i) + " is '" + a[i] + "' and then '" + b[i] + "'.");
  require(a.size() == b.size(),
          what + ": one has " + std::to_string(a.size()) + " lines, the other " + std::to_string(b.size()) + ".");
}

// Forwards each packet once by `worker`; returns how many are to be sent.
std::size_t forward_all(CheckedUserPlane& plane, const Packets& packets, std::size_t worker, std::uint64_t now_ns) {
  std::size_t sent = 0;
  for (std::size_t i = 0; i < packets.size(); ++i) {
    const UserPacket packet = packet_of(packets, i);
    const ForwardOutcome outcome = plane.forward(worker, {&packet, 1}, now_ns)[0];
    sent += outcome.status == HEADROOM_OK ? 1 : 0;
    if (outcome.more) (void)plane.take(worker, now_ns);
  }
  return sent;
}

// --------------------------------------------------------------------------------------------------- checks

Outcome check_user_plane_configuration(const Subject& subject) {
  const Json& good = subject.adapter.config;
  std::vector<Refused> bad = {
      {HEADROOM_USER_PLANE, "{\"scheme\": ", "a configuration that is not JSON"},
      {HEADROOM_USER_PLANE, "[]", "a configuration that is no object"},
      {HEADROOM_USER_PLANE, "{}", "a configuration without a scheme"},
      {HEADROOM_COMPRESSOR, good.dump(), "the role of a compressor"},
      {HEADROOM_ENDPOINT, good.dump(), "the role of an endpoint"},
  };
  add_known(bad, subject, HEADROOM_USER_PLANE);
  const std::shared_ptr<const Library> library = Library::open(subject.adapter.library, "/library");
  for (const Refused& refused : bad) check_refusal(library->api(), refused);
  AdapterJob newer = subject.adapter;
  newer.config["a_key_that_a_later_version_may_have"] = 1;
  note("a user plane was made with an unknown key, which is to be ignored");
  const UserPlaneWorkers workers(newer, 1);
  const std::string word = workers.has_n4() ? "a function n4, and describe says that there is none."
                                            : "no function n4, and describe says that there is one.";
  require(subject.scheme.value("n4", false) == workers.has_n4(), "the adapter has " + word);
  return {};
}

Outcome check_forward(const Subject& subject) {
  note("packets of sessions were forwarded");
  CheckedUserPlane plane(subject.adapter, 1);
  const Packets packets = establish(plane, subject);
  std::size_t sent[4] = {};
  for (std::size_t i = 0; i < packets.size(); ++i) {
    const UserPacket packet = packet_of(packets, i);
    const ForwardOutcome outcome = plane.forward(0, {&packet, 1}, kStepNs)[0];
    if (outcome.status == HEADROOM_OK) ++sent[packet.side];
    if (outcome.more) (void)plane.take(0, kStepNs);
  }
  require(sent[HEADROOM_N3] != 0, "no packet of a session passes from N3.");
  require(sent[HEADROOM_N6] != 0, "no packet of a session passes from N6.");
  return {};
}

// A check that rests on calls whose outcomes another one judges.
template <auto check>
Outcome resting_on_calls(const Subject& subject) {
  try {
    return check(subject);
  } catch (const PromiseBroken&) {
    throw NotJudged("not judged, because a call breaks a promise; see the check \"forward\".");
  }
}

Outcome check_workers(const Subject& subject) {
  // Destroyed in each order: the promise is any.
  std::vector<std::size_t> order = {0, 1, 2};
  do {
    note("three workers were made, used and destroyed in some order");
    CheckedUserPlane plane(subject.adapter, 3);
    const Packets packets = establish(plane, subject);
    for (std::size_t worker = 0; worker < 3; ++worker) {
      require(forward_all(plane, packets, worker, kStepNs) != 0,
              "worker " + std::to_string(worker) + " forwards no packet of the sessions that all workers share.");
    }
    plane.workers().destroy_in(order);
  } while (std::next_permutation(order.begin(), order.end()));
  return {};
}

Outcome check_user_plane_bursts(const Subject& subject) {
  note("packets were forwarded in bursts of several lengths");
  const std::shared_ptr<const Library> kept = Library::open(subject.adapter.library, "/library");  // with its variables
  const Transcript one = transcript_of(subject, 1);
  for (const std::size_t burst : {2u, 7u, 32u, 200u})
    require_same(one, transcript_of(subject, burst),
                 "a burst of " + std::to_string(burst) + " has other results than as many bursts of one");
  return {};
}

Outcome check_user_plane_deterministic(const Subject& subject) {
  note("the same calls were made for two user planes");
  const Transcript first = transcript_of(subject, 32);
  CheckedUserPlane between(subject.adapter, 2);  // shares nothing with the others
  (void)forward_all(between, establish(between, subject), 1, kStepNs);
  require_same(first, transcript_of(subject, 32), "the same calls of two user planes have different results");
  return {};
}

// Hostile octets.
class Forger {
 public:
  explicit Forger(std::uint64_t seed) : random_(seed) {}

  [[nodiscard]] std::size_t below(std::size_t limit) { return static_cast<std::size_t>(random_.next() % limit); }

  // `original` with some octets of its first `head` changed, cut short, or lengthened; or random octets.
  [[nodiscard]] Octets forge(OctetView original, std::size_t head) {
    Octets octets(original.begin(), original.end());
    const std::size_t kind = below(8);
    if (kind == 0) {
      octets.resize(below(200));
      for (std::uint8_t& octet : octets) octet = static_cast<std::uint8_t>(random_.next());
    } else if (kind == 1) {
      octets.resize(below(octets.size() + 1));
    } else if (kind == 2) {
      octets.resize(octets.size() + below(100));
    } else {
      for (std::size_t n = below(5) + 1; n > 0 && !octets.empty(); --n) {
        static constexpr std::uint8_t kEdges[] = {0, 1, 0x7F, 0x80, 0xFF};
        std::uint8_t& octet = octets[below(std::min(octets.size(), head))];
        octet = kind < 5 ? static_cast<std::uint8_t>(random_.next()) : kEdges[below(std::size(kEdges))];
      }
    }
    return octets;
  }

 private:
  Xoshiro256 random_;
};

// Forwards the packets of sessions. What they show, the check "forward" tells.
std::size_t honest_packets(CheckedUserPlane& plane, const Packets& packets, std::uint64_t now_ns) {
  try {
    return forward_all(plane, packets, 0, now_ns);
  } catch (const PromiseBroken&) {
    throw NotJudged("not judged, because a call breaks a promise; see the check \"forward\".");
  }
}

Outcome check_hostile_user_packets(const Subject& subject) {
  CheckedUserPlane plane(subject.adapter, 1);
  const Packets packets = establish(plane, subject);
  Forger forger(1);
  std::uint64_t now_ns = kStepNs;
  const std::size_t before = honest_packets(plane, packets, now_ns);
  for (std::size_t i = 0; i < kHostilePackets; ++i) {
    const UserPacket honest = packet_of(packets, i);
    const Octets octets = forger.forge(honest.octets, 80);
    const auto side = i % 16 == 0 ? static_cast<headroom_side>(HEADROOM_N3 + forger.below(3)) : honest.side;
    note(nth("packet", i) + " of hostile ones, " + std::to_string(octets.size()) + " octets, was given to forward");
    const UserPacket packet = {octets, side};
    now_ns += kStepNs;
    if (plane.forward(0, {&packet, 1}, now_ns)[0].more || i % 256 == 0) (void)plane.take(0, now_ns);
    if (i % 256 == 0) (void)plane.take_n4(now_ns);
  }
  now_ns += 10'000'000'000;  // what a rate limits has recovered
  require(forward_all(plane, packets, 0, now_ns) >= before,
          "fewer packets of sessions are forwarded behind hostile packets than before them.");
  return {};
}

Outcome check_hostile_n4(const Subject& subject) {
  CheckedUserPlane plane(subject.adapter, 1);
  if (!plane.workers().has_n4()) throw NotJudged("the user plane has no N4.");
  const Packets packets = establish(plane, subject);
  Forger forger(2);
  for (std::size_t i = 0; i < kHostileMessages; ++i) {
    N4Datagram message = n4_message(subject, i % subject.user_plane_trial.n4.size());
    message.octets = forger.forge(message.octets, 400);
    note(nth("N4 message", i) + " of hostile ones, " + std::to_string(message.octets.size()) +
         " octets, was given to n4");
    plane.n4(message, kStepNs + i);
    (void)plane.take_n4(kStepNs + i);
    (void)plane.take(0, kStepNs + i);
    const UserPacket packet = packet_of(packets, i);
    (void)plane.forward(0, {&packet, 1}, kStepNs + i);
  }
  return {};
}

// Two workers on two threads beside a third with N4. ThreadSanitizer (preset tsan) sees each race; without it the check
// sees what a race spoils.
Outcome check_beside(const Subject& subject) {
  CheckedUserPlane alone(subject.adapter, 2), plane(subject.adapter, 2);
  const Packets packets = establish(alone, subject);  // the same calls, so the same tunnel endpoints
  const std::size_t messages = subject.user_plane_trial.n4.size(), early = messages / 2;
  const auto give = [&](std::size_t index) {
    plane.n4(n4_message(subject, index), 0);
    (void)plane.take_n4(0);
  };
  for (std::size_t i = 0; i < early; ++i) give(i);
  note("two workers forwarded packets on two threads, beside a thread with n4");
  std::atomic<std::size_t> running = 2;
  std::exception_ptr thrown[3];
  const auto guarded = [&](std::size_t index, auto&& work) {
    return [&thrown, index, work] {
      try {
        work();
      } catch (...) {
        thrown[index] = std::current_exception();
      }
    };
  };
  const auto forwarding = [&](std::size_t worker) {
    for (std::size_t round = 0; round < kRounds; ++round) (void)forward_all(plane, packets, worker, kStepNs * round);
    --running;
  };
  std::thread first(guarded(0, [&] { forwarding(0); })), second(guarded(1, [&] { forwarding(1); }));
  guarded(2, [&] {
    for (std::size_t i = early; i < messages; ++i) give(i);
    // What was given before is given again until the workers are done.
    for (std::size_t i = 0; running != 0 && messages != 0 && i < 1'000'000; ++i) give(i % messages);
  })();
  first.join();
  second.join();
  for (const std::exception_ptr& each : thrown) {
    if (each) std::rethrow_exception(each);
  }
  // The user plane that nothing ran beside is the measure.
  for (const std::size_t worker : {0u, 1u}) {
    const std::uint64_t now_ns = kStepNs * kRounds;
    require(forward_all(plane, packets, worker, now_ns) == forward_all(alone, packets, worker, now_ns),
            "worker " + std::to_string(worker) +
                " forwards another number of packets when threads have run beside each other than without.");
  }
  return {};
}

}  // namespace

N4Datagram n4_message(const Subject& subject, std::size_t index) {
  N4Datagram datagram;
  datagram.octets = subject.user_plane_trial.n4[index];
  datagram.peer[10] = datagram.peer[11] = 0xFF;
  store32(&datagram.peer[12], subject.user_plane_trial.peer);
  datagram.port = kPort;
  return datagram;
}

std::vector<UserPlaneTrial::Packet> establish(CheckedUserPlane& plane, const Subject& subject) {
  if (!subject.user_plane_trial.n4.empty() && !plane.workers().has_n4())
    throw NotJudged("no session can be established, because there is no function n4; see the check \"create\".");
  std::vector<Octets> answers;
  for (std::size_t i = 0; i < subject.user_plane_trial.n4.size(); ++i) {
    plane.n4(n4_message(subject, i), 0);
    for (N4Datagram& answer : plane.take_n4(0)) answers.push_back(std::move(answer.octets));
    (void)plane.take(0, 0);
  }
  Packets packets = subject.user_plane_trial.packets;
  known_scheme(subject).trials.adapt_packets(packets, answers);
  return packets;
}

const std::vector<Check>& user_plane_checks() {
  static const std::vector<Check> checks = {
      {"create",
       "create makes a user plane, ignores keys that it does not know, and refuses a bad configuration with a sentence",
       check_user_plane_configuration},
      {"statistics", "statistics returns the document that it should", check_statistics},
      {"control", "control refuses what it does not understand with a sentence", check_control},
      {"forward", "packets of sessions pass in both directions, inside their room, with outcomes that the ABI allows",
       check_forward},
      {"workers", "all workers know all sessions, and are destroyed in any order", resting_on_calls<check_workers>},
      {"bursts", "a burst of n is n bursts of one", resting_on_calls<check_user_plane_bursts>},
      {"deterministic", "the same calls give the same octets, and user planes share nothing",
       resting_on_calls<check_user_plane_deterministic>},
      {"beside", "workers run beside each other and beside N4", resting_on_calls<check_beside>},
      {"no_clock", "no clock is read and no random number drawn", check_no_clock},
      {"no_system_calls", "no system call is made once a flow's first packets have passed", check_no_system_calls},
      {"no_allocation", "nothing is allocated and no lock taken once a flow's first packets have passed",
       check_no_allocation},
      {"quiet", "nothing is printed", check_quiet},
      {"threads", "no thread is started", check_threads},
      {"files", "no file is left open", check_files},
      {"memory_flat", "memory does not grow with packets", check_memory_flat},
      {"destroy_frees", "destroy gives everything back", check_destroy_frees},
      {"hostile_packets", "random, damaged and truncated packets do no harm", check_hostile_user_packets},
      {"hostile_n4", "random, damaged and truncated N4 messages do no harm", check_hostile_n4},
  };
  return checks;
}

}  // namespace headroom::check
