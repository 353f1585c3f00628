// SPDX-License-Identifier: Apache-2.0
#include "sigcomp/options.h"

#include <algorithm>
#include <optional>

#include "cxx/endpoint.h"
#include "cxx/settings.h"
#include "sigcomp/guard/options.h"

namespace headroom::sigcomp {
namespace {

using nlohmann::json;

constexpr std::uint32_t kMostCompartments = 1U << 20;
const std::vector<std::string> kAlgorithms = {"lzss", "deflate"};
const std::vector<std::string> kMechanisms = {"stateless-basic", "stateful-basic", "stateless-static",
                                              "stateful-static", "dynamic",        "shared"};
const std::vector<std::string> kSearches = {"hash", "linear"};
const std::vector<std::string> kAcknowledgements = {"number", "identifier", "transport", "others"};
const std::vector<std::string> kSharedStates = {"newest", "first-turn-once"};
const std::vector<std::string> kOptions = {"algorithm",
                                           "mechanism",
                                           "search",
                                           "offset_bits",
                                           "length_bits",
                                           "dictionary_priority",
                                           "shared_length",
                                           "shared_state",
                                           "checkpoint_every",
                                           "user_dictionary",
                                           "acknowledgement",
                                           "announce",
                                           "tell_parameters",
                                           "most_compressed",
                                           "whole_memory",
                                           "linear_buffer",
                                           "room_first",
                                           "memory",
                                           "sip",
                                           "guard"};

template <typename Value>
void word(const Settings& s, const char* key, const std::vector<std::string>& words,
          std::optional<Value> (*named)(std::string_view) noexcept, Value& target) {
  if (s.find(key) != nullptr) target = named(words[s.choice(key, words, 0)]).value();
}

Parameters parameters_of(const Offer& offer) {
  return {offer.cycles_per_bit, offer.decompression_memory_size, offer.state_memory_size};
}

bool is_least(const Offer& offer) {
  return offer.decompression_memory_size >= kLeastForSip.decompression_memory_size &&
         offer.state_memory_size >= kLeastForSip.state_memory_size &&
         offer.cycles_per_bit >= kLeastForSip.cycles_per_bit && offer.version >= kVersionWithNack;
}

void read_options(const json& options, CompressorConfig& c, ExplicitSettings& explicit_settings) {
  const Settings s(options, "\"options\"");
  s.only(kOptions);
  word(s, "algorithm", kAlgorithms, algorithm_named, c.algorithm);
  word(s, "mechanism", kMechanisms, mechanism_named, c.mechanism);
  explicit_settings.mechanism = explicit_settings.mechanism || s.find("mechanism") != nullptr;
  word(s, "search", kSearches, search_named, c.search);
  word(s, "acknowledgement", kAcknowledgements, acknowledgement_named, c.acknowledgement);
  word(s, "shared_state", kSharedStates, shared_state_named, c.shared_state);
  s.number("offset_bits", 0, 14, c.offset_bits);
  require(c.offset_bits == 0 || c.offset_bits >= 12,
          s.where("offset_bits") + " must be 12, 13 or 14, or 0 for as many as the peer's memory asks for");
  s.number("length_bits", 4, 8, c.length_bits);
  require(c.length_bits % 2 == 0, s.where("length_bits") + " must be 4, 6 or 8");
  s.number("dictionary_priority", 0, 5, c.dictionary_priority);
  s.number("shared_length", 8, 2040, c.shared_length);
  s.number("checkpoint_every", 0, 1'000'000, c.checkpoint_every);
  s.boolean("announce", c.announce);
  s.number("most_compressed", 64, 65535, c.most_compressed);
  s.boolean("whole_memory", c.whole_memory);
  s.boolean("linear_buffer", c.linear_buffer);
  s.boolean("room_first", c.room_first);
  s.number("memory", 0, 65535, c.memory);
  if (const nlohmann::json* user = s.find("user_dictionary")) {
    c.user_dictionary = octets_from_hex(*user, s.where("user_dictionary"));
  }
  s.boolean("sip", explicit_settings.sip);
  if (s.find("tell_parameters") != nullptr) s.boolean("tell_parameters", explicit_settings.tell_parameters.emplace());
}

// Chooses the options that are not set explicitly by what the two sides offer.
void settle(const Offer& own, const Offer& peer, bool has_dictionary, const ExplicitSettings& explicit_settings,
            CompressorConfig& c) {
  if (explicit_settings.sip) {
    require(is_least(own) && has_dictionary,
            "with \"sip\" an endpoint offers at least a decompression_memory_size of 8192, a state_memory_size of "
            "2048, cycles_per_bit 16, version 2 and the dictionary \"sip-sdp\" (RFC 5049 4)");
    require(is_least(peer), "with \"sip\" the peer must offer at least the minima of RFC 5049 4; \"peer\" offers less");
  }
  c.peer = parameters_of(peer);
  // The best that the least state memory allows, or none.
  if (!explicit_settings.mechanism) {
    c.mechanism = peer.state_memory_size == 0 ? Mechanism::kStatelessStatic : Mechanism::kStatefulStatic;
  }
  // Worth telling where it is other than what the peer counts on anyway.
  const Parameters offered = parameters_of(own);
  c.own = explicit_settings.tell_parameters.value_or(offered != kLeastForSip) ? std::optional(offered) : std::nullopt;
}

}  // namespace

std::vector<std::uint8_t> octets_from_hex(const json& text, const std::string& what) {
  const auto refuse = [&] { require(false, what + " must be octets in hexadecimal, such as \"f80201\""); };
  if (!text.is_string()) refuse();
  const auto& digits = text.get_ref<const std::string&>();
  const auto value = [&](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    refuse();
    return 0;
  };
  if (digits.size() % 2 != 0) refuse();
  std::vector<std::uint8_t> octets;
  octets.reserve(digits.size() / 2);
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    octets.push_back(static_cast<std::uint8_t>(value(digits[i]) << 4 | value(digits[i + 1])));
  }
  return octets;
}

std::string hex_of(Octets octets) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * octets.size());
  for (const std::uint8_t octet : octets) {
    text += kDigits[octet >> 4];
    text += kDigits[octet & 15U];
  }
  return text;
}

json scheme_description() {
  return {{"scheme", "sigcomp"},
          {"roles", {"endpoint"}},
          {"transports", {"udp", "tcp"}},
          {"version", kVersionWithNack},
          {"max_decompression_memory_size", kMostParameter},
          {"max_state_memory_size", kMostParameter},
          {"max_cycles_per_bit", kMostCyclesPerBit},
          {"max_compartments", kMostCompartments},
          {"dictionaries", {"sip-sdp", "presence"}},
          {"features", {"compression", "cycles", "feedback", "announcements", "nack", "peer", "guard"}},
          {"choices",
           {{"algorithm", kAlgorithms},
            {"mechanism", kMechanisms},
            {"search", kSearches},
            {"acknowledgement", kAcknowledgements},
            {"shared_state", kSharedStates}}},
          {"options", kOptions},
          {"tools", {"assemble", "disassemble", "trace"}},
          {"names", json::object()}};
}

EndpointConfig endpoint_config(const json& json) {
  const EndpointConfiguration common = read_endpoint_configuration(json, scheme_description());
  const Settings s(json, "the configuration");
  EndpointConfig c;
  c.decompressor = {common.own.cycles_per_bit, common.own.decompression_memory_size, common.own.version};
  c.transport = common.stream ? Transport::kStream : Transport::kMessages;
  c.most_compartments = common.compartments;
  c.sip_sdp = std::ranges::find(common.dictionaries, "sip-sdp") != common.dictionaries.end();
  c.presence = std::ranges::find(common.dictionaries, "presence") != common.dictionaries.end();
  c.compartment.state_memory_size = common.own.state_memory_size;
  c.compartment.compressor.transport = c.transport;
  const nlohmann::json empty = nlohmann::json::object();
  const nlohmann::json* found = s.find("options");
  const nlohmann::json& options = found == nullptr ? empty : *found;
  read_options(options, c.compartment.compressor, c.explicit_settings);
  settle(common.own, common.peer, c.sip_sdp, c.explicit_settings, c.compartment.compressor);
  if (const nlohmann::json* guard = Settings(options, "\"options\"").find("guard")) {
    read_guard(*guard, c.decompressor, c.guard);
  }
  return c;
}

CompartmentConfig compartment_config(const json& json, const EndpointConfig& endpoint) {
  const Settings s(json, "the settings of the compartment");
  s.only({"state_memory_size", "peer", "options"});
  CompartmentConfig c = endpoint.compartment;
  Offer own{endpoint.decompressor.decompression_memory_size, c.state_memory_size, endpoint.decompressor.cycles_per_bit,
            endpoint.decompressor.version};
  if (const nlohmann::json* size = s.find("state_memory_size")) {
    const nlohmann::json only = {{"state_memory_size", *size}};
    read_offer(Settings(only, "the settings of the compartment"), own);
    c.state_memory_size = own.state_memory_size;
  }
  const Parameters known = c.compressor.peer;
  Offer peer{known.decompression_memory_size, known.state_memory_size, known.cycles_per_bit, kVersionWithNack};
  if (const nlohmann::json* told = s.find("peer")) read_offer(Settings(*told, "\"peer\""), peer);
  ExplicitSettings explicit_settings = endpoint.explicit_settings;
  if (const nlohmann::json* options = s.find("options")) {
    require(!options->is_object() || !options->contains("guard"),
            "\"guard\" belongs to the endpoint, not to a compartment");
    read_options(*options, c.compressor, explicit_settings);
  }
  settle(own, peer, endpoint.sip_sdp, explicit_settings, c.compressor);
  return c;
}

}  // namespace headroom::sigcomp
