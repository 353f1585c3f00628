// SPDX-License-Identifier: Apache-2.0
#include "adapter/guarded_endpoint.h"

#include <algorithm>
#include <cstring>

#include "adapter/calling.h"
#include "base/process.h"
#include "base/sanitizer.h"

namespace headroom {
namespace {

constexpr std::size_t kFence = 64;  // octets in front of the output buffer and behind it
constexpr std::uint8_t kFenceOctet = 0xFE;
constexpr std::uint8_t kPoisonOctet = 0xA5;
constexpr std::int32_t kPoisonStatus = 0x5EADBEEF;
constexpr std::uint32_t kPoisonLength = 0xA5A5A5A5;
constexpr std::size_t kErrorCapacity = 1024;

std::string number(std::uint64_t value) { return std::to_string(value); }

bool all_are(const std::uint8_t* octets, std::size_t count, std::uint8_t value) {
  return std::all_of(octets, octets + count, [value](std::uint8_t octet) { return octet == value; });
}

// Adds to `costs`, where there are any, what the process takes in its life.
class CostWatch {
 public:
  explicit CostWatch(CallCosts* costs) : costs_(costs) {
    if (costs_ != nullptr) add(-1);
  }
  ~CostWatch() {
    if (costs_ != nullptr) add(1);
  }
  CostWatch(const CostWatch&) = delete;
  CostWatch& operator=(const CostWatch&) = delete;

 private:
  void add(std::int64_t sign) const noexcept {
    costs_->heap += sign * static_cast<std::int64_t>(heap_in_use());
    costs_->resident += sign * static_cast<std::int64_t>(resident_octets());
    costs_->processor_ns += sign * static_cast<std::int64_t>(processor_time_ns());
  }

  CallCosts* costs_;
};

}  // namespace

const char* name_of_kind(std::uint8_t kind) noexcept {
  constexpr const char* kNames[] = {"none", "sigcomp", "silent", "plain", "nack", "ignored", "failed"};
  return kind < std::size(kNames) ? kNames[kind] : "";
}

GuardedEndpoint::GuardedEndpoint(Instance& instance) : instance_(instance), guarded_(instance) {
  const headroom_api& api = instance.api();
  const std::pair<const char*, bool> needed[] = {{"open_compartment", api.open_compartment != nullptr},
                                                 {"close_compartment", api.close_compartment != nullptr},
                                                 {"accept", api.accept != nullptr},
                                                 {"message_detail", api.message_detail != nullptr}};
  std::string missing;
  for (const auto& [name, present] : needed) {
    if (!present) missing += (missing.empty() ? "" : ", ") + std::string(name);
  }
  if (!missing.empty()) {
    throw Error(ErrorKind::adapter,
                "the adapter " + instance.path() + " offers an endpoint and lacks: " + missing + ".");
  }
}

void GuardedEndpoint::broken(const char* function, const std::string& sentence) const {
  throw PromiseBroken(instance_, function, sentence);
}

template <typename Call>
auto GuardedEndpoint::calling(const char* function, Call&& call) const -> decltype(call()) {
  const CostWatch watch(watches_costs_ ? &costs_ : nullptr);
  return call_across(call, [&](const std::string& what) { return PromiseBroken(instance_, function, what + "."); });
}

void GuardedEndpoint::time_calls(const Cycles& cycles) {
  cycles_ = &cycles;
  cost_of_reading_ = static_cast<std::uint64_t>(cycles.cost_of_reading());
}

MessageOutput GuardedEndpoint::compress(OctetView message, std::uint32_t compartment, std::uint64_t now_ns) {
  return process(true, message, compartment, 0, now_ns);
}

MessageOutput GuardedEndpoint::decompress(OctetView octets, std::uint32_t compartment, std::uint32_t source,
                                          std::uint64_t now_ns) {
  return process(false, octets, compartment, source, now_ns);
}

MessageOutput GuardedEndpoint::process(bool compressing, OctetView in, std::uint32_t compartment, std::uint32_t source,
                                       std::uint64_t now_ns) {
  const char* const function = compressing ? "compress" : "decompress";
  const std::size_t room =
      compressing ? 2 * in.size() + HEADROOM_MESSAGE_EXPANSION : std::max<std::size_t>(in.size(), HEADROOM_MESSAGE_MAX);
  arena_.assign(kFence + room + kFence, kFenceOctet);
  input_.reserve(in.size() + 1);  // so that data() is no null pointer
  input_.assign(in.begin(), in.end());
  headroom_packet packet{};
  packet.in = input_.data();
  packet.in_length = static_cast<std::uint32_t>(in.size());
  packet.out = arena_.data() + kFence;
  packet.out_capacity = static_cast<std::uint32_t>(room);
  std::memset(packet.out, kPoisonOctet, room);
  packet.channel = compartment;
  packet.source = source;
  packet.out_length = kPoisonLength;
  packet.status = kPoisonStatus;
  const headroom_packet before = packet;

  const auto call = compressing ? instance_.api().compress : instance_.api().decompress;
  const std::uint64_t began = cycles_ != nullptr ? cycles_->now() : 0;
  calling(function, [&] { call(instance_.self(), &packet, 1, now_ns, nullptr); });
  const std::uint64_t took = cycles_ != nullptr ? cycles_->now() - began : 0;

  check_outcome(before, packet, function);
  if (!all_are(arena_.data(), kFence, kFenceOctet) || !all_are(packet.out + room, kFence, kFenceOctet)) {
    broken(function, "it wrote outside the output buffer of " + number(room) + " octets.");
  }
  if (!std::equal(in.begin(), in.end(), input_.begin(), input_.end())) broken(function, "it changed its input.");
  if (compressing && (packet.status == HEADROOM_MORE || packet.status == HEADROOM_ERR_DECOMPRESSION)) {
    broken(function, std::string("it gave the status ") + name_of_status(packet.status) + ", which is for decompress.");
  }
  if (compressing && packet.status == HEADROOM_OK && packet.out_length == 0) {
    broken(function, "it claims success with no octet of output.");
  }
  MessageOutput output;
  output.status = packet.status;
  output.octets.assign(packet.out, packet.out + packet.out_length);
  // The buffers are ours again (headroom.h, "Buffers"): `accept` and message_detail find nothing in them.
  std::fill(input_.begin(), input_.end(), kPoisonOctet);
  std::fill(arena_.begin(), arena_.end(), kPoisonOctet);
  output.cycles = took - std::min(took, cost_of_reading_);
  if (compressing && !asks_about_compressed_) return output;
  output.detail = detail();
  check_detail(output);
  return output;
}

void GuardedEndpoint::check_outcome(const headroom_packet& before, const headroom_packet& after,
                                    const char* function) const {
  if (after.in != before.in || after.out != before.out || after.in_length != before.in_length ||
      after.out_capacity != before.out_capacity || after.channel != before.channel || after.source != before.source) {
    broken(function, "it changed fields of headroom_packet that are the caller's to fill.");
  }
  if (after.status == kPoisonStatus) broken(function, "it left a message without a status.");
  if (*name_of_status(after.status) == '\0' || after.status == HEADROOM_SEGMENTS) {
    broken(function, "it gave the status " + std::to_string(after.status) + ", which is none of an endpoint.");
  }
  if (after.status == HEADROOM_OK ? after.out_length > after.out_capacity : after.out_length != 0) {
    broken(function, "it gave out_length " + number(after.out_length) + " with the status " +
                         name_of_status(after.status) + " and room for " + number(after.out_capacity) + " octets.");
  }
}

headroom_message_detail GuardedEndpoint::detail() {
  // Behind the structure as it is here there must be nothing that the adapter writes.
  struct {
    headroom_message_detail detail;
    std::uint8_t fence[kFence];
  } room;
  std::memset(&room, kFenceOctet, sizeof room);
  room.detail.struct_size = sizeof room.detail;
  calling("message_detail", [&] { instance_.api().message_detail(instance_.self(), &room.detail); });
  if (room.detail.struct_size != sizeof room.detail || !all_are(room.fence, kFence, kFenceOctet)) {
    broken("message_detail", "it changed struct_size, or wrote beyond what that says.");
  }
  return room.detail;
}

void GuardedEndpoint::check_detail(const MessageOutput& output) const {
  const headroom_message_detail& d = output.detail;
  const auto check = [&](bool holds, const std::string& what) {
    if (!holds) broken("message_detail", what);
  };
  check(*name_of_kind(d.kind) != '\0', "its kind is " + number(d.kind) + ", which the ABI does not know.");
  check(d.referred_length <= sizeof d.referred && d.details_length <= sizeof d.details &&
            d.returned_length <= sizeof d.returned_feedback && d.requested_length <= sizeof d.requested_feedback,
        "one of its lengths is beyond the array that it is about.");
  if (d.kind == HEADROOM_MESSAGE_NONE) return;
  const bool failed = output.status == HEADROOM_ERR_DECOMPRESSION;
  check(failed == (d.kind == HEADROOM_MESSAGE_FAILED),
        std::string("its kind is ") + name_of_kind(d.kind) + " with the status " + name_of_status(output.status) + ".");
  const bool for_the_application = d.kind == HEADROOM_MESSAGE_SIGCOMP || d.kind == HEADROOM_MESSAGE_PLAIN;
  check(output.status != HEADROOM_OK || for_the_application,
        std::string("its kind is ") + name_of_kind(d.kind) + " with the status OK.");
  check(output.status != HEADROOM_NOTHING || !for_the_application,
        std::string("its kind is ") + name_of_kind(d.kind) + " with the status NOTHING.");
}

bool GuardedEndpoint::accept(std::uint32_t compartment) {
  const std::int32_t result = calling("accept", [&] { return instance_.api().accept(instance_.self(), compartment); });
  if (result != 0 && result != 1) {
    broken("accept", "it returned " + std::to_string(result) + "; 0 and 1 are the values that mean something.");
  }
  return result == 1;
}

std::optional<std::string> GuardedEndpoint::open(std::uint32_t compartment, const Json& settings) {
  std::string sentence(kErrorCapacity, '\0');
  const std::string text = settings.dump(-1, ' ', false, Json::error_handler_t::replace);
  const std::int32_t result = calling("open_compartment", [&] {
    return instance_.api().open_compartment(instance_.self(), compartment, text.c_str(), sentence.data(),
                                            sentence.size());
  });
  if (result == 1) return std::nullopt;
  sentence.resize(strnlen(sentence.data(), sentence.size()));
  if (sentence.empty()) broken("open_compartment", "it refused a compartment without a sentence.");
  return sentence;
}

bool GuardedEndpoint::close(std::uint32_t compartment) {
  return calling("close_compartment",
                 [&] { return instance_.api().close_compartment(instance_.self(), compartment); }) == 1;
}

std::optional<FeedbackElement> GuardedEndpoint::take_feedback() {
  if (instance_.api().take_feedback == nullptr) return std::nullopt;
  Octets buffer(kFence + HEADROOM_FEEDBACK_MAX + kFence, kFenceOctet);
  headroom_feedback feedback = {buffer.data() + kFence, HEADROOM_FEEDBACK_MAX, kPoisonLength, 0, 0};
  const headroom_feedback before = feedback;
  const std::int32_t result =
      calling("take_feedback", [&] { return instance_.api().take_feedback(instance_.self(), &feedback); });
  if (!all_are(buffer.data(), kFence, kFenceOctet) ||
      !all_are(buffer.data() + kFence + HEADROOM_FEEDBACK_MAX, kFence, kFenceOctet)) {
    broken("take_feedback", "it wrote outside the buffer for feedback.");
  }
  if (result == 0) return std::nullopt;
  if (result != 1 || feedback.data != before.data || feedback.capacity != before.capacity || feedback.length == 0 ||
      feedback.length > feedback.capacity) {
    broken("take_feedback", "it returned " + std::to_string(result) + " and feedback of " + number(feedback.length) +
                                " octets, or changed what is the caller's to fill.");
  }
  return FeedbackElement{Octets(feedback.data, feedback.data + feedback.length), feedback.channel};
}

}  // namespace headroom
