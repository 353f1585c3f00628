// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "base/process.h"
#include "schemes/sigcomp/ports/call.h"
#include "traffic/source.h"

namespace headroom::sigcomp::ports {
namespace {

constexpr double kMostCallsPerS = 1e6;
constexpr double kLongestPauseMs = 3'600'000;

std::vector<Message> read_messages(const Value& value, std::uint32_t mtu) {
  std::vector<Message> messages;
  for (const Value& item : value.items()) {
    Object object(item);
    Message message;
    message.from_caller = object.required("from").choice({"called", "caller"}) == 1;
    const Value hex = object.required("hex");
    message.payload = hex.hex();
    if (message.payload.size() + kUdpIpv4Header > mtu) {
      hex.fail("is " + std::to_string(message.payload.size()) + " octets, and no more than " +
               std::to_string(mtu - kUdpIpv4Header) + " fit into a datagram of this MTU.");
    }
    if (const auto pause = object.optional("pause_ms"))
      message.pause_ns = static_cast<std::uint64_t>(pause->number(0, kLongestPauseMs) * 1e6);
    object.finish();
    messages.push_back(std::move(message));
  }
  if (messages.empty() || messages.size() > kMostMessages)
    value.fail("a call has 1 to " + std::to_string(kMostMessages) + " messages.");
  if (!messages.front().from_caller) value.fail("the first message is the caller's.");
  return messages;
}

}  // namespace

CallJob read_call_job(const Json& document) {
  Object object(Value(document, ""));
  CallJob job;
  job.ends.wire = io::read_wire_job(object);
  const Value ports = object.required("ports");
  const std::vector<Value> both = ports.items();
  if (both.size() != job.ends.ports.size()) ports.fail("are two: that of the callers and that of the called parties.");
  for (std::size_t i = 0; i < both.size(); ++i) job.ends.ports[i] = io::read_port(both[i]);
  job.ends.mtu = static_cast<std::uint32_t>(object.integer("mtu", io::kSmallestMtu, io::kLargestMtu, job.ends.mtu));
  job.messages = read_messages(object.required("messages"), job.ends.mtu);
  job.calls_per_s = object.required("calls_per_s").number(0.01, kMostCallsPerS);
  if (const auto value = object.optional("warmup_s")) job.warmup_s = value->number(0, 3600);
  if (const auto value = object.optional("drain_s")) job.drain_s = value->number(0, 3600);
  job.callers = static_cast<std::uint32_t>(object.integer("callers", 1, kMostCallers, job.callers));
  job.ends.core = static_cast<unsigned>(object.integer("core", 0, 4095, current_core()));
  if (!job.ends.wire.duration_s) object.fail("a duration_s is needed: for how long calls begin after the warm-up.");
  job.duration_s = *job.ends.wire.duration_s;
  job.ends.wire.duration_s.reset();  // the run ends when the work is done, not when a clock says so
  object.finish();
  if (job.calls() == 0) object.fail("calls_per_s and duration_s make no call at all: ask for more, or for longer.");
  if (job.calls() * job.messages.size() > kMostSourcePackets ||
      job.calls() > std::uint64_t{job.callers} * kPortsOfCaller) {
    object.fail("calls_per_s and duration_s make " + std::to_string(job.calls()) + " calls of " +
                std::to_string(job.messages.size()) + " messages: at most " + std::to_string(kMostSourcePackets) +
                " messages are remembered, and each caller has " + std::to_string(kPortsOfCaller) +
                " ports: call for a shorter time.");
  }
  return job;
}

}  // namespace headroom::sigcomp::ports
