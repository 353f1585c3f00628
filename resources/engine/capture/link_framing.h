// SPDX-License-Identifier: Apache-2.0
//
// How frames say that they carry link packets of a scheme.
#ifndef HEADROOM_CAPTURE_LINK_FRAMING_H
#define HEADROOM_CAPTURE_LINK_FRAMING_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "capture/frame.h"

namespace headroom {

// A kind of link packets that PPP tells apart by its protocol number.
struct PppVariant {
  std::uint16_t protocol;
  std::string_view packets;        // "small CIDs"
  std::string_view configuration;  // what a configuration holds for them, as JSON: "\"cids\": \"small\""
};

// IEEE's Ethernet type for local experiments (IEEE 802, 9.2.3).
inline constexpr std::uint16_t kEtherTypeExperimental = 0x88B5;

// The bits by which a receiver marks a link packet in which it has found errors: MPEG-2's transport_error_indicator.
struct ErrorMark {
  std::size_t octet = 0;
  std::uint8_t mask = 0;
};

// Link packets of one length, which all begin with the same octet: TS packets. Datagrams hold several of them.
struct CellFraming {
  std::size_t octets = 0;
  std::uint8_t first = 0;
};

struct LinkFraming {
  std::string_view title;  // of the scheme, in sentences
  std::uint16_t ether_type = kEtherTypeExperimental;
  std::span<const PppVariant> ppp{};
  bool typed = false;                   // the type of a link packet (headroom.h, "Types") is its protocol number of PPP
  std::uint16_t feedback_type = 0;      // where they are typed: that of feedback
  bool carries_ether_types = false;     // packets of many kinds, whose types are those of Ethernet, 0 for IP
  std::optional<LinkType> link_type{};  // captures of this type have link packets without any frame
  std::optional<std::uint8_t> padding{};  // an octet that may stand in front of a packet, any number of times
  std::optional<CellFraming> cells{};
  std::span<const std::uint8_t> idle{};  // a link packet that carries nothing, where a link has to send something
  std::optional<ErrorMark> error_mark{};

  // The variant with a protocol number, as an index; nothing where there is none.
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
