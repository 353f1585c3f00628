// SPDX-License-Identifier: Apache-2.0
#include "sigcomp/glue.h"

#include <algorithm>
#include <exception>
#include <string>

#include "cxx/settings.h"

namespace headroom::sigcomp {
namespace {

using nlohmann::json;

std::uint32_t compartment_in(const Settings& s, const char* key) {
  std::uint32_t compartment = 0;
  require(s.find(key) != nullptr, s.where(key) + " is missing");
  s.number(key, 0, HEADROOM_NO_SESSION - 1, compartment);
  return compartment;
}

constexpr const char* kKinds[EndpointCounters::kKinds] = {"none", "sigcomp", "silent", "plain",
                                                          "nack", "ignored", "failed"};

}  // namespace

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

bool accept(Endpoint& endpoint, std::uint32_t compartment) noexcept try {
  return endpoint.accept(compartment);
} catch (const std::exception&) {
  return false;
}

void open(Endpoint& endpoint, std::uint32_t compartment, const json& settings) {
  endpoint.open(compartment, compartment_config(settings, endpoint.config()));
}

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

}  // namespace headroom::sigcomp
