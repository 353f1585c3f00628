// SPDX-License-Identifier: Apache-2.0
//
// Output depends on input, configuration and injected time, and on nothing else.
#include <malloc.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>

#include "base/nth.h"
#include "check/checks.h"

namespace headroom::check {
namespace {

// Another heap layout, other garbage in fresh memory, another environment, another directory.
void disturb_process() {
  mallopt(M_PERTURB, 0x5A);
  for (std::size_t size = 16; size < 200'000; size = size * 3 / 2) {
    void* volatile block = std::malloc(size + 8);  // kept on purpose: what comes later lies elsewhere
    (void)block;
  }
  setenv("TZ", "Pacific/Auckland", 1);
  setenv("LANG", "tr_TR.UTF-8", 1);
  setenv("HOME", "/nonexistent", 1);
  setenv("HEADROOM_DISTURBED", "1", 1);
  if (chdir("/") != 0) throw LacksHere("this process cannot change to the root directory.");
}

// Until the second that time(2) tells is another one.
void sleep_over_a_second() {
  const timespec pause{1, 100'000'000};
  nanosleep(&pause, nullptr);
}

}  // namespace

// Two pairs of instances whose calls are interleaved put out what they put out alone.
Outcome check_instances_independent(const Subject& subject) {
  for_each_role(subject, [&](headroom_role role) {
    const std::vector<TypedPacket> inputs = inputs_for(subject, role, 60);
    const auto alone = [&] {
      const Instance instance(subject.adapter, role);
      std::vector<PacketOutput> outputs;
      for (std::size_t i = 0; i < inputs.size(); ++i)
        outputs.push_back(call_one(instance, input_of(inputs[i]), time_of(i)));
      return outputs;
    };
    const std::vector<PacketOutput> expected = alone();
    const Instance first(subject.adapter, role);
    const Instance second(subject.adapter, role);
    const auto compare = [&](const Instance& instance, std::size_t i, const char* which) {
      const PacketOutput output = call_one(instance, input_of(inputs[i]), time_of(i));
      if (output.status == expected[i].status && output.octets == expected[i].octets && output.type == expected[i].type)
        return;
      throw Broken(nth("packet", i) + " comes out of the " + which + " " + name_of(role) +
                   " of two otherwise than out of one alone.");
    };
    for (std::size_t i = 0; i < inputs.size() + 3; ++i) {  // the second lags behind
      note("two instances of the " + std::string(name_of(role)) + " were called in turn");
      if (i < inputs.size()) compare(first, i, "first");
      if (i >= 3) compare(second, i - 3, "second");
    }
  });
  return {};
}

Outcome check_deterministic(const Subject& subject) {
  Subject absolute = subject;
  char* path = realpath(subject.adapter.library.c_str(), nullptr);
  if (path == nullptr) throw NotJudged("the path of the library cannot be resolved.");
  absolute.adapter.library = path;
  std::free(path);
  const std::string first = text_from_child([&] {
    TranscriptOptions options;
    options.fill = 0x00;
    return transcript(absolute, options);
  });
  sleep_over_a_second();
  const std::string second = text_from_child([&] {
    disturb_process();
    TranscriptOptions options;
    options.fill = 0xFF;
    return transcript(absolute, options);
  });
  if (first == second) return {};
  throw Broken("the same calls in two processes, a second apart, have different results: " +
               first_difference(first, second) + ".");
}

Outcome check_bursts(const Subject& subject) {
  const auto with_burst = [&](std::uint32_t burst) {
    return text_from_child([&subject, burst] {
      TranscriptOptions options;
      options.burst = burst;
      return transcript(subject, options);
    });
  };
  const std::string one = with_burst(1);
  for (const std::uint32_t burst : {2u, 7u, 16u}) {
    const std::string many = with_burst(burst);
    if (many == one) continue;
    throw Broken("a burst of " + std::to_string(burst) +
                 " has other results than as many bursts of one: " + first_difference(one, many) + ".");
  }
  return {};
}

}  // namespace headroom::check
