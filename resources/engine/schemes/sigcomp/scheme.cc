// SPDX-License-Identifier: Apache-2.0
#include "schemes/scheme.h"

#include <array>
#include <optional>

#include "base/no_processes.h"
#include "schemes/sigcomp/calls/precompute.h"
#include "schemes/sigcomp/calls/run.h"
#include "schemes/sigcomp/message_mark.h"
#include "schemes/sigcomp/messages/run.h"
#include "schemes/sigcomp/messages/tool.h"

namespace headroom::sigcomp {
namespace {

std::vector<BadConfiguration> bad_configurations(const Json& good) {
  std::vector<BadConfiguration> bad;
  const auto add = [&](const char* what, const char* key, const Json& value) {
    bad.push_back({what, good});
    bad.back().config[key] = value;
  };
  add("a transport that there is not", "transport", "pigeon");
  add("a memory size that is no power of two", "decompression_memory_size", 5000);
  add("a state memory size that is a text", "state_memory_size", "much");
  add("a cycles_per_bit of 8", "cycles_per_bit", 8);
  add("a SigComp_version of 0", "version", 0);
  add("a dictionary that describe does not list", "dictionaries", {"no-such-dictionary"});
  return bad;
}

// The beginning of a message with 32 octets of bytecode.
constexpr std::array<std::uint8_t, 9> kBeginning = {0xF8, 0x02, 0x01, 0x0E, 0x86, 0xF8, 0x01, 0x00, 0x40};
// Any UDVM fails at it: bytecode whose first instruction is DECOMPRESSION-FAILURE (RFC 3320, 9.4.1).
constexpr std::array<std::uint8_t, 4> kFailing = {0xF8, 0x00, 0x11, 0x00};
// Bytecode that outputs the octets after it, with a returned feedback item of two octets (RFC 3320, figure 3, T-bit):
// INPUT-BYTES, OUTPUT, JUMP, END-MESSAGE.
constexpr std::array<std::uint8_t, 17> kReturning = {0xFC, 0x81, 0x2A, 0x00, 0xA1, 0x1C, 0x01, 0x86, 0x09,
                                                     0x22, 0x86, 0x01, 0x16, 0xF9, 0x23, 'o',  'k'};

constexpr std::array kCommands = std::to_array<Command>({
    {"messages", "Messages both ways between two endpoints, or given ones to one of them",
     [](const Json& job) { return messages::run(messages::read_job(job)); }},
    {"precompute", "Goes through calls, and records the messages for a P-CSCF's `load`",
     [](const Json& job) { return calls::precompute(calls::read_precompute_job(job)); }},
    {"udvm", "Asks an adapter's assembler, disassembler or tracer", messages::run_tool},
    {"call", "Makes calls between two ports: a sequence of messages over UDP, again and again"},
});

constexpr const char* kName = "sigcomp";

// A job with an endpoint of this scheme is about calls.
bool is_about_calls(const Json& job) {
  const Json* scheme = job.find_pointer("/endpoint/config/scheme");
  return scheme != nullptr && *scheme == kName;
}

Json run_calls(const Json& document) {
  calls::Job job = calls::read_job(document);
  std::optional<calls::OwnRecording> own;
  if (job.recording.empty()) own.emplace(job);
  start_no_processes();
  handle_no_signals();
  return calls::run(job);
}

constexpr SchemeLoad kLoad = {.recognises = is_about_calls, .run = run_calls};

}  // namespace

const Scheme& scheme() noexcept {
  static constexpr Scheme kScheme = {.name = kName,
                                     .message_mark = kMessageMark,
                                     .trials = {.bad_configurations = bad_configurations,
                                                .beginning_of_message = kBeginning,
                                                .failing_message = kFailing,
                                                .returning_message = kReturning},
                                     .commands = kCommands,
                                     .load = kLoad};
  return kScheme;
}

}  // namespace headroom::sigcomp
