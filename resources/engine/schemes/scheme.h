// SPDX-License-Identifier: Apache-2.0
//
// Scheme is what the engine knows of a scheme beyond the ABI. Each folder below schemes/ defines one; no other part of
// the engine names a scheme. What a scheme adds to the program for ports is in schemes/ports.h.
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

// Bits of the first octet by which a message differs from a plain one on the same port.
struct MessageMark {
  std::uint8_t mask = 0, value = 0;

  // REQUIRES: the message has an octet.
  [[nodiscard]] constexpr bool is_on(OctetView message) const noexcept { return (message[0] & mask) == value; }
  constexpr void put_on(std::span<std::uint8_t> message) const noexcept {
    message[0] = static_cast<std::uint8_t>((message[0] & ~mask) | value);
  }
};

// A configuration that each adapter of the scheme must refuse.
struct BadConfiguration {
  std::string what;  // is wrong, as a noun: "a mode that there is not"
  Json config;
};

// Keys of configurations that schemes have in common (implementations/README.md), and what they mean to the engine.
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
    std::uint32_t session = 0;  // from 0; of no session: its number is that of none
  };
  Json config;                  // with all that a user plane of the scheme needs
  std::uint32_t peer = 0;       // IPv4 address of the control plane
  std::vector<Octets> n4;       // messages that establish sessions; none where it has no N4
  std::vector<Packet> packets;  // of those sessions
};

// A link packet with a wrong CRC and no other fault. No octets: the given packet cannot be turned into one.
struct WrongCrc {
  Octets octets;
  std::string_view crc;     // which one, with the section that defines it
  bool repairable = false;  // the decompressor may take the packet for one of another interval, and hold it back
};

// The inputs with which `check` tries adapters of a scheme, besides those for all adapters. Empty fields are not known.
struct Trials {
  // Made from a configuration that the adapter accepts.
  std::vector<BadConfiguration> (*bad_configurations)(const Json& good) = nullptr;
  // True if a packet without a type must be an IP packet, because other packets need their type.
  bool only_ip = false;
  // True if it compresses TCP: then `check` needs TCP packets to try it.
  bool compresses_tcp = false;
  WrongCrc (*with_wrong_crc)(const Json& config, OctetView right) = nullptr;
  // A sentence without its subject if the CRC of a link packet is wrong, with the id of the requirement; else "".
  // `header` is the compressed_header of its detail.
  std::string (*crc_defect)(const Json& config, OctetView packet, std::uint16_t header) = nullptr;
  // A link packet that needs no context and has a CRC, for decompressors that come without a compressor; none where a
  // decompressor with this configuration need not take one.
  Octets (*with_right_crc)(const Json& config) = nullptr;
  // A reverse packet such as a decompressor with this configuration wants sent.
  Octets (*reverse_packet)(const Json& config) = nullptr;
  // Messages for endpoints: the beginning of one, one that no endpoint can decompress, and one that brings something
  // back, which the endpoint has when the message is accepted.
  OctetView beginning_of_message{}, failing_message{}, returning_message{};
  // The trial of a user plane with this configuration; `described` is the scheme's entry in the document of `describe`.
  UserPlaneTrial (*user_plane)(const Json& config, const Json& described) = nullptr;
  // Writes into packets of a trial what the user plane has chosen, as its answers to the trial's N4 messages say.
  void (*adapt_packets)(std::span<UserPlaneTrial::Packet> packets, std::span<const Octets> answers) = nullptr;
  // Makes packets that are longer than `largest_link_packet` go as segments, where an adapter does that.
  void (*allow_segments)(Json& config, std::uint32_t largest_link_packet) = common_keys::allow_segments;
};

// Jobs of `load` that are a scheme's own: their traffic is no flow pairs.
struct SchemeLoad {
  bool (*recognises)(const Json& job);
  Json (*run)(const Json& job);  // throws Error
};

struct Scheme {
  std::string_view name;                                    // in configurations
  const LinkFraming* framing = nullptr;                     // nullptr: its packets do not stand in frames of their own
  const LinkFraming* (*framing_by)(const Json&) = nullptr;  // of a configuration whose packets have another one
  std::size_t (*ppp_variant)(const Json&) = nullptr;        // of framing->ppp, by configuration; nullptr: the first
  std::span<const traffic::TunnelFormat> tunnels{};         // headers of traffic that are the scheme's
  // Flows that each channel carries. Throws Error(job) if the configuration is wrong in that.
  std::uint32_t (*flows_of_channel)(Object& config) = common_keys::flows_of_channel;
  // Octets of the largest packet that a decompressor restores of several link packets; 0: of one link packet each.
  std::uint32_t (*largest_restored)(const Json& config) = common_keys::largest_restored;
  // True if a decompressor with this configuration may have feedback to send.
  bool (*has_feedback)(const Json& config) = common_keys::has_feedback;
  bool universal_time = false;                // configurations take "universal_time_ns", see implementations/README.md
  std::optional<MessageMark> message_mark{};  // of endpoints; none: the node cannot recognise its messages
  Trials trials{};
  std::span<const Command> commands{};  // beside the engine's own
  std::optional<SchemeLoad> load{};
};

// nullptr where there is none of that name: the engine then knows nothing of it but the ABI.
[[nodiscard]] const Scheme* find_scheme(std::string_view name) noexcept;

// The scheme of this name; the defaults of an unknown scheme instead of nullptr.
[[nodiscard]] const Scheme& scheme_or_default(std::string_view name) noexcept;

// The framing of link packets with a configuration, or that of an unknown scheme.
[[nodiscard]] inline const LinkFraming& framing_of(std::string_view name, const Json& config) {
  const Scheme* const scheme = find_scheme(name);
  if (scheme != nullptr && scheme->framing_by != nullptr) return *scheme->framing_by(config);
  return scheme != nullptr && scheme->framing != nullptr ? *scheme->framing : kUnknownFraming;
}

// All schemes, in the order of their folders' names.
[[nodiscard]] std::span<const Scheme* const> all_schemes() noexcept;

}  // namespace headroom

#endif  // HEADROOM_SCHEMES_SCHEME_H
