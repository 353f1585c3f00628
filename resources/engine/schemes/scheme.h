// SPDX-License-Identifier: Apache-2.0
//
// Scheme is the engine's knowledge of a scheme beyond the ABI. Each folder below schemes/ defines one; no other part of
// the engine names a scheme. The additions of a scheme to the program for ports are in schemes/ports.h.
#ifndef HEADROOM_SCHEMES_SCHEME_H
#define HEADROOM_SCHEMES_SCHEME_H

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_reader.h"
#include "base/octets.h"
#include "capture/link_framing.h"
#include "commands.h"
#include "traffic/tunnel.h"

namespace headroom {

// The bits of the first octet that distinguish a message from a plain one on the same port.
struct MessageMark {
  std::uint8_t mask = 0, value = 0;

  // True if `message` has the mark. REQUIRES: the message has an octet.
  [[nodiscard]] constexpr bool is_on(OctetView message) const noexcept { return (message[0] & mask) == value; }
  constexpr void put_on(std::span<std::uint8_t> message) const noexcept {
    message[0] = static_cast<std::uint8_t>((message[0] & ~mask) | value);
  }
};

// A configuration that each adapter of the scheme must refuse.
struct BadConfiguration {
  std::string what;  // the fault, as a noun: "a mode that does not exist"
  Json config;
};

// Keys of configurations that schemes have in common (implementations/README.md), and their meaning for the engine.
namespace common_keys {
std::uint32_t flows_of_channel(Object& config);
std::uint32_t largest_restored(const Json& config);
bool has_feedback(const Json& config);
void allow_segments(Json& config, std::uint32_t largest_link_packet);
}  // namespace common_keys

// The input with which `check` tries a user plane.
struct UserPlaneTrial {
  struct Packet {
    Octets octets;
    std::int32_t side = 0;      // headroom_side
    std::uint32_t session = 0;  // from 0; a number that no session has: a packet of no session
  };
  Json config;                  // a complete configuration for a user plane of the scheme
  std::uint32_t peer = 0;       // IPv4 address of the control plane, in host order
  std::vector<Octets> n4;       // messages that establish sessions; empty if the user plane has no N4
  std::vector<Packet> packets;  // packets of these sessions
};

// A link packet with a wrong CRC and no other fault; empty if the given packet cannot be turned into one.
struct WrongCrc {
  Octets octets;
  std::string_view crc;     // name of the CRC, with the section that defines it
  bool repairable = false;  // the decompressor may repair the packet (wrong interval), and hold it back
};

// Trials are the inputs with which `check` tries adapters of a scheme, in addition to the inputs for all adapters. An
// empty field: the engine has no such input for the scheme.
struct Trials {
  // Returns bad configurations, made from a configuration that the adapter accepts.
  std::vector<BadConfiguration> (*bad_configurations)(const Json& good) = nullptr;
  // True if a packet without a type must be an IP packet, because other packets need their type.
  bool only_ip = false;
  // True if the scheme compresses TCP, so that `check` needs TCP packets.
  bool compresses_tcp = false;
  WrongCrc (*with_wrong_crc)(const Json& config, OctetView right) = nullptr;
  // Returns a sentence without its subject, with the id of the requirement, if the CRC of a link packet is wrong;
  // otherwise "". `header` is the compressed_header of the packet's detail.
  std::string (*crc_defect)(const Json& config, OctetView packet, std::uint16_t header) = nullptr;
  // Returns a link packet that needs no context and has a CRC, for decompressors without a compressor; empty if a
  // decompressor with this configuration need not accept such a packet.
  Octets (*with_right_crc)(const Json& config) = nullptr;
  // Returns an example of the reverse packets that a decompressor with this configuration sends.
  Octets (*reverse_packet)(const Json& config) = nullptr;
  // Messages for endpoints: the beginning of a message, a message that no endpoint can decompress, and a message with
  // returned feedback, which the endpoint has once the message is accepted.
  OctetView beginning_of_message{}, failing_message{}, returning_message{};
  // Returns the trial of a user plane with this configuration. `described` is the scheme's entry in the document of
  // `describe`.
  UserPlaneTrial (*user_plane)(const Json& config, const Json& described) = nullptr;
  // Writes the values that the user plane has chosen, as its answers to the trial's N4 messages say, into the trial's
  // packets.
  void (*adapt_packets)(std::span<UserPlaneTrial::Packet> packets, std::span<const Octets> answers) = nullptr;
  // Changes a configuration so that packets longer than `largest_link_packet` are sent as segments, if the adapter
  // supports that.
  void (*allow_segments)(Json& config, std::uint32_t largest_link_packet) = common_keys::allow_segments;
};

// Jobs of `load` that a scheme runs itself, because their traffic is not flow pairs.
struct SchemeLoad {
  bool (*recognises)(const Json& job);
  Json (*run)(const Json& job);  // throws Error
};

struct Scheme {
  std::string_view name;                                    // name in configurations
  const LinkFraming* framing = nullptr;                     // nullptr: the scheme's packets have no frames of their own
  const LinkFraming* (*framing_by)(const Json&) = nullptr;  // framing by configuration, if it varies
  std::size_t (*ppp_variant)(const Json&) = nullptr;        // index in framing->ppp by configuration; nullptr: 0
  std::span<const traffic::TunnelFormat> tunnels{};         // tunnel headers of the scheme in traffic
  // Returns the number of flows in each channel. Throws Error(job) if the configuration is wrong in that respect.
  std::uint32_t (*flows_of_channel)(Object& config) = common_keys::flows_of_channel;
  // Returns the size in octets of the largest packet that a decompressor restores from several link packets; 0: each
  // packet comes from one link packet.
  std::uint32_t (*largest_restored)(const Json& config) = common_keys::largest_restored;
  // True if a decompressor with this configuration may have feedback to send.
  bool (*has_feedback)(const Json& config) = common_keys::has_feedback;
  bool universal_time = false;                // configurations have "universal_time_ns", see implementations/README.md
  std::optional<MessageMark> message_mark{};  // mark of endpoints' messages; no value: the node cannot recognise them
  Trials trials{};
  std::span<const Command> commands{};  // commands in addition to the engine's own
  std::optional<SchemeLoad> load{};
};

// Returns the scheme of this name, or nullptr if there is none; the engine then uses only the ABI.
[[nodiscard]] const Scheme* find_scheme(std::string_view name) noexcept;

// Returns the scheme of this name, or the defaults for an unknown scheme.
[[nodiscard]] const Scheme& scheme_or_default(std::string_view name) noexcept;

// Returns the framing of link packets with a configuration, or the framing for an unknown scheme.
[[nodiscard]] inline const LinkFraming& framing_of(std::string_view name, const Json& config) {
  const Scheme* const scheme = find_scheme(name);
  if (scheme != nullptr && scheme->framing_by != nullptr) return *scheme->framing_by(config);
  return scheme != nullptr && scheme->framing != nullptr ? *scheme->framing : kUnknownFraming;
}

// Returns all schemes, in the order of their folders' names.
[[nodiscard]] std::span<const Scheme* const> all_schemes() noexcept;

}  // namespace headroom

#endif  // HEADROOM_SCHEMES_SCHEME_H
