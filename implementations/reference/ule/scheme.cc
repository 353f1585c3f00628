// SPDX-License-Identifier: Apache-2.0
#include "scheme.h"

#include <arpa/inet.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cxx/calls.h"
#include "ule/encapsulator.h"
#include "ule/instances.h"
#include "ule/receiver.h"
#include "ule/wire/gse.h"

namespace headroom::ule {
namespace {

using nlohmann::json;

constexpr unsigned kMostPaddingWords = 5;                        // RFC 4326, 5
constexpr std::uint64_t kLatestTimeNs = std::uint64_t{1} << 63;  // in the year 2262: `now_ns` can be added to it

json description() {
  return {{"scheme", "ule"},
          {"roles", {"compressor", "decompressor"}},
          {"packs", true},
          {"max_channels", kMostChannels},
          {"feedback", json::array()},
          {"features", json::array()},
          {"types",
           {{"IPv4", wire::kTypeIpv4},
            {"IPv6", wire::kTypeIpv6},
            {"Ethernet frame", kTypeFrame},
            {"TS packet", kTypeTsPacket}}},
          {"encapsulation", kEncapsulationNames},
          {"packing", {"packing", "padding"}},
          {"address", {"present", "absent"}},
          {"bridged", {false, true}},
          {"options", {"crc", "npa", "mac", "isi"}},
          {"names", {{"packet_types", kPacketTypeNames}, {"events", {"none"}}}}};
}

// "02:00:00:00:00:01"; nothing if it is no address.
std::optional<wire::Npa> parse_npa(const json& value) {
  const std::string text = value.is_string() ? value.get<std::string>() : "";
  wire::Npa target{};
  constexpr std::string_view kDigits = "0123456789abcdef";
  constexpr std::size_t kEach = 3;  // two digits and a colon, which the last octet is without
  bool is_address = text.size() == kEach * target.size() - 1;
  for (std::size_t i = 0; is_address && i < text.size(); ++i) {
    const char letter = text[i];
    const std::size_t digit =
        kDigits.find(letter >= 'A' && letter <= 'F' ? static_cast<char>(letter - 'A' + 'a') : letter);
    if (i % kEach == kEach - 1) {
      is_address = letter == ':';
    } else if (digit == std::string_view::npos) {
      is_address = false;
    } else {
      std::uint8_t& octet = target[i / kEach];
      octet = static_cast<std::uint8_t>(static_cast<unsigned>(octet) << 4U | static_cast<unsigned>(digit));
    }
  }
  return is_address ? std::optional(target) : std::nullopt;
}

// `target` stays as it is where the key is missing.
void read_address(const Settings& settings, const char* key, wire::Npa& target) {
  const json* const value = settings.find(key);
  if (value == nullptr) return;
  const std::optional<wire::Npa> npa = parse_npa(*value);
  require(npa.has_value(), settings.where(key) + " must be an address such as \"02:00:00:00:00:01\"");
  target = *npa;
  // "The value 0x00:00:00:00:00:00 MUST NOT be used" (RFC 4326, 4.5), and unicast packets are for one receiver.
  require(target != wire::Npa{} && (target[0] & 1U) == 0,
          settings.where(key) + " must be a unicast address, and not 00:00:00:00:00:00");
}

// ["01:00:5e:00:00:09"]
void read_groups(const Settings& settings, Config& config) {
  const json* const value = settings.find("groups");
  if (value == nullptr) return;
  const std::string sentence =
      settings.where("groups") + " must be a list of multicast addresses such as \"01:00:5e:00:00:09\"";
  require(value->is_array(), sentence);
  config.groups.emplace();
  for (const json& one : *value) {
    const std::optional<wire::Npa> npa = parse_npa(one);
    require(npa && ((*npa)[0] & 1U) != 0, sentence);
    config.groups->push_back(*npa);
  }
}

// ["192.168.1.0/24"]. A prefix of 31 or 32 bits has no broadcast address (RFC 3021).
void read_subnets(const Settings& settings, Config& config) {
  const json* const value = settings.find("subnets");
  if (value == nullptr) return;
  const std::string sentence =
      settings.where("subnets") + " must be a list of IPv4 subnetworks such as \"192.168.1.0/24\"";
  require(value->is_array(), sentence);
  for (const json& one : *value) {
    const std::string text = one.is_string() ? one.get<std::string>() : "";
    const std::size_t slash = text.find('/');
    in_addr address{};
    require(slash != std::string::npos && inet_pton(AF_INET, text.substr(0, slash).c_str(), &address) == 1, sentence);
    const std::string digits = text.substr(slash + 1);
    const bool is_number =
        !digits.empty() && digits.size() <= 2 && digits.find_first_not_of("0123456789") == std::string::npos;
    require(is_number && std::stoul(digits) <= 32, sentence);
    const unsigned bits = static_cast<unsigned>(std::stoul(digits));
    if (bits < 31) config.broadcasts.push_back(ntohl(address.s_addr) | 0xFFFFFFFFU >> bits);
  }
}

wire::CrcKernel read_kernel(const Settings& options) {
  std::vector<std::string> names;
  std::vector<wire::CrcKernel> kernels;
  for (std::size_t i = 0; i < wire::kCrcKernelNames.size(); ++i) {
    const auto kernel = static_cast<wire::CrcKernel>(i);
    if (!wire::is_offered(kernel)) continue;
    names.emplace_back(wire::kCrcKernelNames[i]);
    kernels.push_back(kernel);
  }
  const std::size_t chosen = options.choice("crc", names, kernels.size());
  return chosen == kernels.size() ? wire::best_kernel() : kernels[chosen];
}

// 7: that input stream; "any": all of them.
void read_stream(const Settings& options, Config& config) {
  const json* const value = options.find("isi");
  if (value == nullptr) return;
  require(config.encapsulation == Encapsulation::gse && config.channels == 1,
          options.where("isi") + " is of \"encapsulation\": \"gse\" with one channel");
  config.streams = *value == "any" ? Streams::all : Streams::one;
  if (config.streams == Streams::all) return;
  std::uint32_t stream = 0;
  options.number("isi", 0, kMostStreams - 1, stream);
  config.stream = static_cast<std::uint8_t>(stream);
}

Config config_of(const json& configuration, std::uint32_t largest_frame) {
  json common = configuration;
  if (common.is_object()) common.erase("options");  // which are read here
  const Settings settings(configuration, "the configuration");
  Config config;
  config.channels = read_configuration(common, {{"schemes", {description()}}}).channels;
  const std::uint32_t highest = wire::kNullPid - config.channels;
  settings.number("frame_octets", kSmallestFrame, largest_frame, config.frame_octets);
  settings.number("first_pid", kFirstPid, highest, config.first_pid);
  require(config.first_pid <= highest, "there are not " + std::to_string(config.channels) + " PIDs from " +
                                           std::to_string(config.first_pid) + " on");
  config.encapsulation = static_cast<Encapsulation>(
      settings.choice("encapsulation", {kEncapsulationNames.begin(), kEncapsulationNames.end()}, 0));
  config.packing = settings.choice("packing", {"packing", "padding"}, 0) == 0;
  settings.number("threshold_us", 0, kLargestThresholdUs, config.threshold_us);
  config.address = settings.choice("address", {"present", "absent"}, 0) == 0;
  settings.boolean("bridged", config.bridged);
  settings.boolean("time_stamp", config.time_stamp);
  settings.number("padding_words", 0, kMostPaddingWords, config.padding_words);
  settings.number("concat", 1, kMostConcatenated, config.concat);
  settings.number("concat_threshold_us", 0, kLargestThresholdUs, config.concat_threshold_us);
  settings.number("universal_time_ns", 0, kLatestTimeNs, config.universal_time_ns);
  read_groups(settings, config);
  read_subnets(settings, config);
  const bool is_plain = !config.bridged && !config.time_stamp && config.padding_words == 0 && config.concat == 1;
  require(config.encapsulation == Encapsulation::ule || is_plain,
          "\"bridged\", \"time_stamp\", \"padding_words\" and \"concat\" are of ULE: leave them out with another "
          "\"encapsulation\"");
  require(!config.is_mpe() || config.address,
          "a section of MPE always has an address: leave out \"address\": \"absent\"");
  const json none = json::object();
  const json* const given = settings.find("options");
  const Settings options(given != nullptr ? *given : none, "\"options\"");
  options.only({"crc", "isi", "mac", "npa"});
  const json* const npa = options.find("npa");
  config.any_address = npa != nullptr && *npa == "any";
  if (!config.any_address) read_address(options, "npa", config.npa);
  read_address(options, "mac", config.mac);
  read_stream(options, config);
  config.crc = read_kernel(options);
  return config;
}

class EncapsulatorInstance final : public EncapsulatingInstance<Encapsulator> {
 public:
  using EncapsulatingInstance::EncapsulatingInstance;

  [[nodiscard]] json statistics() const override {
    const EncapsulatorCounters& n = encapsulator_.counters();
    return {{"memory_bytes", encapsulator_.memory_bytes()},
            {"contexts", encapsulator_.channels_in_use()},
            {"sndus", n.sndus},
            {"sndu_octets", n.octets},
            {"concatenated", n.concatenated},
            {"test_sndus", n.test_sndus},
            {"ts_packets", n.ts_packets},
            {"packed", n.packed},
            {"fill_octets", n.fill},
            {"thresholds", n.thresholds},
            {"refused", n.refused}};
  }
  // {"send": "test SNDU", "channel": 0, "octets": 100}
  void control(const json& message) override {
    const Settings settings(message, "the message");
    settings.only({"send", "channel", "octets"});
    require(
        settings.find("send") != nullptr && *settings.find("send") == "test SNDU",
        "the message that an encapsulator understands is {\"send\": \"test SNDU\", \"channel\": 0, \"octets\": 100}");
    std::uint32_t channel = 0;
    std::uint32_t octets = 100;
    settings.number("channel", 0, channels_ - 1, channel);
    settings.number("octets", 1, wire::kLargestLength, octets);
    require(encapsulator_.send_test(channel, octets),
            "no SNDU can be sent with a content of " + std::to_string(octets) +
                " octets: give fewer, and leave out an \"encapsulation\" without Test SNDUs");
  }
};

class ReceiverInstance final : public ReceivingInstance<Receiver> {
 public:
  using ReceivingInstance::ReceivingInstance;

  [[nodiscard]] json statistics() const override {
    const ReceiverCounters& n = receiver_.counters();
    return {{"memory_bytes", receiver_.memory_bytes()},
            {"contexts", receiver_.channels_in_use()},
            {"ts_packets", n.ts_packets},
            {"sndus", n.sndus},
            {"delivered", n.delivered},
            {"payload_pointer_errors", n.payload_pointer_errors},
            {"length_errors", n.length_errors},
            {"crc_errors", n.crc_errors},
            {"type_errors", n.type_errors},
            {"delimiting_errors", n.delimiting_errors},
            {"padding_errors", n.padding_errors},
            {"transmission_errors", n.transmission_errors},
            {"continuity_errors", n.continuity_errors},
            {"duplicates", n.duplicates},
            {"sync_errors", n.sync_errors},
            {"other_pids", n.other_pids},
            {"unmatched_addresses", n.unmatched_addresses},
            {"test_sndus", n.test_sndus},
            {"bridged_length_errors", n.bridged_length_errors},
            {"ts_concat_size_mismatches", n.ts_concat_size_mismatches},
            {"pdu_concat_size_mismatches", n.pdu_concat_size_mismatches}};
  }
};

headroom_instance* make(std::int32_t role, const json& configuration) {
  require(role != HEADROOM_ENDPOINT, "the scheme ule has compressors and decompressors (roles 1 and 2)");
  const bool is_receiver = role == HEADROOM_DECOMPRESSOR;
  const Config config = config_of(configuration, is_receiver ? wire::kLargestBbFrame : kLargestFrame);
  require(is_receiver || config.streams == Streams::usual,
          "\"options\": \"isi\" is of a receiver: an encapsulator sends channel 0 as the only input stream");
  require(is_receiver || !config.any_address,
          "\"options\": \"npa\" may be \"any\" for a receiver alone: an encapsulator needs an address");
  if (config.encapsulation == Encapsulation::gse) return make_gse(role, config);
  if (role == HEADROOM_COMPRESSOR) return new EncapsulatorInstance(config);
  return new ReceiverInstance(config);
}

}  // namespace

const reference::Scheme& reference_scheme() noexcept {
  static constexpr reference::Scheme kScheme = {.name = "ule", .description = description, .make = make};
  return kScheme;
}

}  // namespace headroom::ule
