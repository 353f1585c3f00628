// SPDX-License-Identifier: Apache-2.0
//
// The job of `messages` (README.md), read and checked as a whole before anything runs.
#ifndef HEADROOM_SCHEMES_SIGCOMP_MESSAGES_JOB_H
#define HEADROOM_SCHEMES_SIGCOMP_MESSAGES_JOB_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "adapter/instance.h"
#include "base/json_reader.h"
#include "headroom.h"
#include "link/impairment.h"

namespace headroom::sigcomp::messages {

inline constexpr std::size_t kMostSteps = 1'000'000;
inline constexpr std::uint32_t kMostRepeats = 1'000'000;
inline constexpr std::size_t kLongestMessage = 1'000'000;  // octets; no endpoint compresses so much

enum class Side : std::uint8_t { a = 0, b = 1 };
[[nodiscard]] constexpr const char* name_of(Side side) noexcept { return side == Side::a ? "a" : "b"; }
[[nodiscard]] constexpr Side other(Side side) noexcept { return side == Side::a ? Side::b : Side::a; }

// The time at which the application names the compartment of a received message.
enum class Acceptance : std::uint8_t {
  known,  // before it is decompressed
  after,  // after it has seen the output
  never,
};

// The expected outcome of a literal message; absent fields are not compared.
struct Expectation {
  std::optional<std::string> kind;
  bool has_output = false;
  std::optional<Octets> output;  // with has_output; no value: no output is expected
  std::optional<std::uint64_t> cycles;
  std::optional<std::uint8_t> reason, opcode;
  std::optional<std::uint16_t> pc;
  std::optional<Octets> details;
  std::optional<bool> nack;  // True if the message is to be answered with a NACK
};

struct Step {
  enum class Kind : std::uint8_t {
    send,     // an application message, compressed by `side` and sent to the other
    literal,  // octets for the decompressor of `side`, without a link
    control,
    open,
    close,
  };
  Kind kind = Kind::send;
  Side side = Side::a;
  std::uint32_t compartment = HEADROOM_NO_SESSION;
  Acceptance acceptance = Acceptance::known;
  std::uint32_t source = 0;
  std::optional<std::uint64_t> time_ns;
  Octets octets;
  std::vector<Expectation> expected;  // of a literal: one for each resulting message
  Json document;                      // the message for `control`, the settings of `open`
  std::string where;
};

struct Compartment {
  std::uint32_t number = 0;
  Json settings[2];  // by side
  std::string where;
};

enum class Records : std::uint8_t { none, failures, all };

struct Job {
  std::optional<AdapterJob> endpoints[2];
  bool stream = false;
  std::vector<Compartment> compartments;
  std::vector<Step> steps;
  Impairment link[2];            // by sending side
  std::size_t piece_octets = 0;  // octets of a stream's pieces; 0: each message in one piece
  bool send_nacks = true;
  std::uint64_t seed = 0;
  std::optional<std::string> capture;
  Records records = Records::all;
  bool record_octets = true;
  bool arrivals_only = false;  // the detail of compressed messages is not requested
  std::uint32_t repeats = 0;   // further runs that only measure time; with any, calls are timed
  bool trials = false;         // each of these times is reported
  bool costs = false;          // the cost of each endpoint's calls in memory and time is reported
};

// Reads a job. Throws Error(job).
[[nodiscard]] Job read_job(const Json& document);

}  // namespace headroom::sigcomp::messages

#endif  // HEADROOM_SCHEMES_SIGCOMP_MESSAGES_JOB_H
