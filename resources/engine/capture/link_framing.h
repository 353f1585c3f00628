// SPDX-License-Identifier: Apache-2.0
//
// The framing of link packets: the ways in which frames tell that they carry link packets of a scheme.
#ifndef HEADROOM_CAPTURE_LINK_FRAMING_H
#define HEADROOM_CAPTURE_LINK_FRAMING_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "capture/frame.h"

namespace headroom {

// A kind of link packets that PPP distinguishes by a protocol number.
struct PppVariant {
  std::uint16_t protocol;
  std::string_view packets;        // "small CIDs"
  std::string_view configuration;  // the keys of a configuration for this kind, as JSON: "\"cids\": \"small\""
};

// The Ethernet type for local experiments (IEEE 802, 9.2.3).
inline constexpr std::uint16_t kEtherTypeExperimental = 0x88B5;

// The bits by which a receiver marks a link packet with errors: MPEG-2's transport_error_indicator.
struct ErrorMark {
  std::size_t octet = 0;
  std::uint8_t mask = 0;
};

// Link packets of a fixed length that all begin with the same octet, such as TS packets. A datagram holds several of
// them.
struct CellFraming {
  std::size_t octets = 0;
  std::uint8_t first = 0;
};

struct LinkFraming {
  std::string_view title;  // name of the scheme or encapsulation in sentences
  std::uint16_t ether_type = kEtherTypeExperimental;
  std::span<const PppVariant> ppp{};
  bool typed = false;                   // True if a link packet's type (headroom.h, "Types") is its PPP protocol number
  std::uint16_t feedback_type = 0;      // type of feedback, if link packets are typed
  bool carries_ether_types = false;     // True if packets are of many kinds, with Ethernet types, 0 for IP
  std::optional<LinkType> link_type{};  // link type of captures that have link packets without frames
  std::optional<std::uint8_t> padding{};  // an octet that may occur any number of times in front of a packet
  std::optional<CellFraming> cells{};
  std::span<const std::uint8_t> idle{};  // an empty link packet, for links that must always send something
  std::optional<ErrorMark> error_mark{};

  // Returns the index of the variant with this protocol number, or nothing.
  [[nodiscard]] constexpr std::optional<std::size_t> variant_of(std::uint16_t protocol) const noexcept {
    for (std::size_t i = 0; i < ppp.size(); ++i) {
      if (ppp[i].protocol == protocol) return i;
    }
    return std::nullopt;
  }
};

// The framing of an unknown scheme.
inline constexpr LinkFraming kUnknownFraming = {.title = "link packet"};

}  // namespace headroom

#endif  // HEADROOM_CAPTURE_LINK_FRAMING_H
