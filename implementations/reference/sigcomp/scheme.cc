// SPDX-License-Identifier: Apache-2.0
//
// An endpoint behind the functions of the ABI: exceptions become statuses, JSON becomes calls.
#include "scheme.h"

#include <algorithm>
#include <array>
#include <exception>
#include <string>

#include "cxx/endpoint.h"
#include "cxx/settings.h"
#include "sigcomp/endpoint.h"
#include "sigcomp/options.h"
#include "sigcomp/tool.h"

namespace headroom::sigcomp {
namespace {

using nlohmann::json;

std::uint32_t compartment_in(const Settings& s, const char* key) {
  std::uint32_t compartment = 0;
  require(s.find(key) != nullptr, s.where(key) + " is missing");
  s.number(key, 0, HEADROOM_NO_SESSION - 1, compartment);
  return compartment;
}

constexpr const char* kKinds[EndpointCounters::kKinds] = {"none", "compressed", "silent", "plain",
                                                          "nack", "ignored",    "failed"};

// These return a headroom_status: HEADROOM_ERR_INTERNAL where there was no memory for state.
std::int32_t compress(Endpoint& endpoint, headroom_packet& packet, std::uint64_t) noexcept try {
  return endpoint.compress(packet);
} catch (const std::exception&) {
  packet.out_length = 0;
  return HEADROOM_ERR_INTERNAL;
}

std::int32_t decompress(Endpoint& endpoint, headroom_packet& packet, std::uint64_t now_ns) noexcept try {
  return endpoint.decompress(packet, now_ns);
} catch (const std::exception&) {
  packet.out_length = 0;
  return HEADROOM_ERR_INTERNAL;
}

bool has_more(const Endpoint& endpoint) noexcept { return endpoint.has_more(); }

bool next(Endpoint& endpoint, headroom_packet& packet, std::uint64_t now_ns) noexcept try {
  return endpoint.next(packet, now_ns);
} catch (const std::exception&) {
  packet.out_length = 0;
  packet.status = HEADROOM_ERR_INTERNAL;
  return true;
}

// {"new_stream": 7}, {"forget": 7}, {"acknowledge": {"compartment": 7, "identifier": "0123456789ab"}}.
void control(Endpoint& endpoint, const json& message) {
  const Settings s(message, "the message");
  const std::vector<std::string> known = {"new_stream", "forget", "acknowledge"};
  s.only(known);
  require(message.size() == 1, "the message must have one of the keys " + listed(known));
  const auto must = [](bool done, std::uint32_t compartment, const char* why) {
    require(done, "compartment " + std::to_string(compartment) + " " + why);
  };
  if (message.contains("new_stream")) {
    const std::uint32_t compartment = compartment_in(s, "new_stream");
    must(endpoint.restart_stream(compartment), compartment, "is not open, or has no stream");
  } else if (message.contains("forget")) {
    const std::uint32_t compartment = compartment_in(s, "forget");
    must(endpoint.forget(compartment), compartment, "is not open");
  } else {
    const Settings what(message["acknowledge"], "\"acknowledge\"");
    what.only({"compartment", "identifier"});
    const std::uint32_t compartment = compartment_in(what, "compartment");
    require(what.find("identifier") != nullptr, what.where("identifier") + " is missing");
    const auto identifier = octets_from_hex(*what.find("identifier"), what.where("identifier"));
    require(is_identifier_length(identifier.size()), what.where("identifier") + " must have 6 to 20 octets");
    must(endpoint.acknowledge(compartment, identifier), compartment,
         "is not open, or waits for no state with this identifier");
  }
}

json statistics_of(const Endpoint& endpoint) {
  const EndpointCounters& n = endpoint.counters();
  json received = json::object();
  for (std::size_t i = 0; i < n.received.size(); ++i) {
    if (n.received[i] != 0) received[kKinds[i]] = n.received[i];
  }
  json failures = json::object();
  for (std::size_t i = 0; i < n.failures.size(); ++i) {
    if (n.failures[i] != 0) failures[std::string(name_of(static_cast<Reason>(i)))] = n.failures[i];
  }
  return {{"memory_bytes", endpoint.memory_bytes()},
          {"contexts", endpoint.states().compartments()},
          {"items", endpoint.states().items()},
          {"compressed", n.compressed},
          {"uploads", n.uploads},
          {"uncompressed", n.uncompressed},
          {"received", received},
          {"failures", failures},
          {"cycles", n.cycles},
          {"work", n.work},
          {"endless", n.endless},
          {"refused",
           {{"work", endpoint.admission().refused_for_work},
            {"failures", endpoint.admission().refused_for_failures},
            {"strangers", endpoint.admission().refused_as_strangers}}},
          {"accepted", n.accepted},
          {"nacks_sent", n.nacks_sent},
          {"nacks_followed", n.nacks_followed},
          {"nacks_unknown", n.nacks_unknown}};
}

class EndpointInstance final : public headroom_instance {
 public:
  explicit EndpointInstance(const EndpointConfig& config) : endpoint_(config) {}

  std::size_t compress(headroom_packet* packets, std::size_t count, std::uint64_t now_ns,
                       headroom_detail* details) override {
    return each_message<sigcomp::compress>(&endpoint_, packets, count, now_ns, details);
  }

  std::size_t decompress(headroom_packet* packets, std::size_t count, std::uint64_t now_ns,
                         headroom_detail* details) override {
    return each_message<sigcomp::decompress, has_more>(&endpoint_, packets, count, now_ns, details);
  }

  std::size_t drain(headroom_packet* packets, std::size_t count, std::uint64_t now_ns,
                    headroom_detail* details) override {
    return headroom::drain<next>(&endpoint_, packets, count, now_ns, details);
  }

  std::size_t take_reverse(headroom_packet* packets, std::size_t count) override {
    return endpoint_.take_reverse(packets, count);
  }

  [[nodiscard]] json statistics() const override { return statistics_of(endpoint_); }
  void control(const json& message) override { sigcomp::control(endpoint_, message); }

  void open(std::uint32_t compartment, const json& settings) override {
    endpoint_.open(compartment, compartment_config(settings, endpoint_.config()));
  }

  bool close(std::uint32_t compartment) override { return endpoint_.close(compartment); }

  bool accept(std::uint32_t compartment) override try {
    return endpoint_.accept(compartment);
  } catch (const std::exception&) {
    return false;
  }

  [[nodiscard]] headroom_message_detail message_detail() const override { return endpoint_.detail(); }

 private:
  Endpoint endpoint_;
};

headroom_instance* make(std::int32_t role, const json& config) {
  require(role == HEADROOM_ENDPOINT, "the scheme sigcomp has endpoints (role 3) only");
  return new EndpointInstance(endpoint_config(config));
}

constexpr std::array<std::string_view, 3> kExtensions = {HEADROOM_SESSIONS, HEADROOM_MESSAGES, HEADROOM_TOOLS};

}  // namespace

const reference::Scheme& reference_scheme() noexcept {
  static constexpr reference::Scheme kScheme = {.name = "sigcomp",
                                                .description = scheme_description,
                                                .make = make,
                                                .extensions = kExtensions,
                                                .tool_answer = tool_answer};
  return kScheme;
}

}  // namespace headroom::sigcomp
