// SPDX-License-Identifier: Apache-2.0
//
// The calling conventions of the extensions that endpoints have besides those of calls.h, and the keys of a
// configuration that mean the same to every SigComp endpoint (implementations/README.md).
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cxx/calls.h"
#include "cxx/settings.h"
#include "headroom_messages.h"
#include "headroom_sessions.h"
#include "headroom_tools.h"

namespace headroom {

// The function `compress` or `decompress`. std::int32_t one(headroom_instance&, headroom_packet&, std::uint64_t now_ns)
// processes one message and returns its status; `one` itself checks the compartment and the length. For streams, bool
// waits(const headroom_instance&) returns true if further messages wait for `drain`.
template <auto one, auto waits = nullptr, typename Self = headroom_instance>
std::size_t each_message(Self* self, headroom_packet* packets, std::size_t count, std::uint64_t now_ns,
                         headroom_detail* details) {
  for (std::size_t i = 0; i < count; ++i) {
    if (details != nullptr) details[i] = kUnknown;
    packets[i].out_length = 0;
    packets[i].status = one(*self, packets[i], now_ns);
    if constexpr (waits != nullptr) {
      if (!waits(*self)) continue;
      packets[i].more = 1;
      return i + 1;
    }
  }
  return count;
}

// The function `drain`. bool next(headroom_instance&, headroom_packet&, std::uint64_t now_ns) fills a record, except
// its details, or returns false if nothing is left.
template <auto next, typename Self = headroom_instance>
std::size_t drain(Self* self, headroom_packet* packets, std::size_t count, std::uint64_t now_ns,
                  headroom_detail* details) {
  std::size_t drained = 0;
  while (drained < count && next(*self, packets[drained], now_ns)) {
    if (details != nullptr) details[drained] = kUnknown;
    ++drained;
  }
  return drained;
}

// The function `open` of sessions. void open(headroom_instance&, std::uint32_t compartment, const json& settings) opens
// a compartment, or throws an exception with a sentence; `settings` is an object.
template <auto open>
std::int32_t open_session(headroom_instance* self, std::uint32_t compartment, const char* settings, char* error,
                          std::size_t capacity) noexcept try {
  const nlohmann::json parsed = settings == nullptr ? nlohmann::json::object() : nlohmann::json::parse(settings);
  require(parsed.is_object(), "the settings of a compartment must be an object");
  require(compartment != HEADROOM_NO_SESSION, "4294967295 is no compartment's number");
  open(*self, compartment, parsed);
  return 1;
} catch (const nlohmann::json::exception& e) {
  put_error(std::string("the settings of the compartment are not valid JSON: ") + e.what(), error, capacity);
  return 0;
} catch (const std::bad_alloc&) {
  put_error("there is not enough memory for another compartment", error, capacity);
  return 0;
} catch (const std::exception& e) {
  put_error(e.what(), error, capacity);
  return 0;
}

// `ask` of tools. json answer(const json& request) throws a sentence about what is wrong with the request.
template <auto answer>
std::size_t ask(const char* request, char* room, std::size_t capacity) noexcept {
  return put_json(room, capacity, [request]() -> nlohmann::json {
    try {
      const nlohmann::json parsed = nlohmann::json::parse(request == nullptr ? "" : request);
      require(parsed.is_object(), "the request must be an object");
      return answer(parsed);
    } catch (const nlohmann::json::exception& e) {
      return {{"error", std::string("the request is not valid JSON: ") + e.what()}};
    } catch (const std::exception& e) {
      return {{"error", e.what()}};
    }
  });
}

// Copies the known detail of a message to the caller's structure, up to the size that the caller's header has.
inline void put_detail(const headroom_message_detail& known, headroom_message_detail* detail) noexcept {
  const std::uint32_t size = detail->struct_size;
  std::memcpy(detail, &known, std::min<std::size_t>(size, sizeof known));
  detail->struct_size = size;
}

// Offer holds the parameters of an endpoint or its peer: RFC 3320 3.3.1 and 3.3.2. The defaults are SIP's minima (RFC
// 5049 chapter 4).
struct Offer {
  std::uint32_t decompression_memory_size = 8192;  // octets
  std::uint32_t state_memory_size = 2048;          // octets a compartment
  std::uint16_t cycles_per_bit = 16;
  std::uint8_t version = 2;  // SigComp_version: 1, or 2 with NACK (RFC 4077)
  friend bool operator==(const Offer&, const Offer&) = default;
};

// Reads the keys that are there into `offer`. Throws ConfigError.
inline void read_offer(const Settings& s, Offer& offer) {
  const auto power_of_two = [&](const char* key, std::uint32_t low, std::uint32_t high, bool or_zero, auto& target) {
    std::uint32_t value = target;
    s.number(key, 0, 0xffffffff, value);
    require((std::has_single_bit(value) && value >= low && value <= high) || (or_zero && value == 0),
            s.where(key) + " is " + std::to_string(value) + ", but must be a power of two from " + std::to_string(low) +
                " to " + std::to_string(high) + (or_zero ? ", or 0" : "") + " (RFC 3320 3.3.1)");
    target = static_cast<std::remove_reference_t<decltype(target)>>(value);
  };
  power_of_two("decompression_memory_size", 2048, 131072, false, offer.decompression_memory_size);
  power_of_two("state_memory_size", 2048, 131072, true, offer.state_memory_size);
  power_of_two("cycles_per_bit", 16, 128, false, offer.cycles_per_bit);
  s.number("version", 1, 2, offer.version);
}

struct EndpointConfiguration {
  std::string scheme;
  bool stream = false;  // "transport" is "tcp"
  Offer own;
  Offer peer;                         // what the peer is known to offer before it says so itself
  std::uint32_t compartments = 1024;  // most at once
  std::vector<std::string> dictionaries;
  std::uint64_t seed = 0;
};

// Reads them all; `options` are the adapter's to read. `scheme` is what `describe` has about it: what it declares is
// what is accepted. Throws ConfigError.
[[nodiscard]] inline EndpointConfiguration read_endpoint_configuration(const nlohmann::json& json,
                                                                       const nlohmann::json& scheme) {
  const Settings s(json, "the configuration");
  EndpointConfiguration c;
  c.scheme = scheme.at("scheme");
  (void)s.choice("scheme", {c.scheme}, 0);
  const std::vector<std::string> transports = scheme.at("transports");
  c.stream = transports[s.choice("transport", transports, 0)] == "tcp";
  c.own.version = std::min<std::uint8_t>(c.own.version, scheme.value("version", std::uint8_t{2}));
  read_offer(s, c.own);
  const auto within = [&](const char* key, const char* limit, std::uint32_t value) {
    const std::uint32_t most = scheme.value(limit, ~std::uint32_t{0});
    require(value <= most, s.where(key) + " is " + std::to_string(value) + ", but this implementation goes up to " +
                               std::to_string(most));
  };
  within("decompression_memory_size", "max_decompression_memory_size", c.own.decompression_memory_size);
  within("state_memory_size", "max_state_memory_size", c.own.state_memory_size);
  within("cycles_per_bit", "max_cycles_per_bit", c.own.cycles_per_bit);
  within("version", "version", c.own.version);
  const auto from = [&](const char* key, const char* limit, std::uint32_t value) {
    const std::uint32_t least = scheme.value(limit, 0U);
    require(value >= least, s.where(key) + " is " + std::to_string(value) + ", but this implementation begins at " +
                                std::to_string(least));
  };
  from("state_memory_size", "min_state_memory_size", c.own.state_memory_size);
  from("version", "min_version", c.own.version);
  s.number("compartments", 1, scheme.value("max_compartments", 1U), c.compartments);
  c.dictionaries = s.some("dictionaries", scheme.value("dictionaries", std::vector<std::string>{}));
  const std::vector<std::string> features = scheme.value("features", std::vector<std::string>{});
  const bool knows_peer = std::ranges::find(features, "peer") != features.end();
  if (!knows_peer) c.peer = c.own;
  if (const nlohmann::json* peer = s.find("peer")) read_offer(Settings(*peer, "\"peer\""), c.peer);
  require(knows_peer || c.peer == c.own,
          "this implementation takes its peer to offer what it offers itself: \"peer\" must be the same, or left out");
  s.number("seed", 0, ~std::uint64_t{0}, c.seed);
  return c;
}

}  // namespace headroom
