// SPDX-License-Identifier: Apache-2.0
//
// The names in the first packets of a flow: Host and target of an HTTP request (RFC 9112, 3 and 3.2; RFC 9110, 7.2) and
// the server name of a TLS ClientHello (RFC 8446, 4.1.2; RFC 6066, 3). Each packet is read by itself; names that
// continue in the next packet are not reassembled.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace headroom::gtpu::inspection {

inline constexpr std::size_t kLongestName = 253;   // RFC 1035, 2.3.4: 255 octets with lengths and root
inline constexpr std::size_t kLongestText = 1024;  // limit on host and path together; a longer path is cut

enum class Protocol : std::uint8_t {
  unknown,   // neither HTTP nor TLS, or not yet known
  http,      // HTTP, with host and path
  tls,       // TLS, with host only
  nameless,  // a request or ClientHello without a name in this packet
};

// The host in lower case and without port, and the path unchanged. No character is a space or a control character.
struct Names {
  Protocol protocol = Protocol::unknown;
  std::array<char, kLongestText> buffer;
  std::size_t host_length = 0, length = 0;
  [[nodiscard]] std::string_view host() const noexcept { return {buffer.data(), host_length}; }
  [[nodiscard]] std::string_view path() const noexcept { return text().substr(host_length); }
  // Returns host and path as one text.
  [[nodiscard]] std::string_view text() const noexcept { return {buffer.data(), length}; }
};

// Reads the names in the payload of one TCP segment. Never reads beyond `payload`, whatever the lengths in it say.
void read_names(std::span<const std::uint8_t> payload, Names& names) noexcept;

}  // namespace headroom::gtpu::inspection
