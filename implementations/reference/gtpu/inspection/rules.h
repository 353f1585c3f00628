// SPDX-License-Identifier: Apache-2.0
//
// Rule files of content billing, one rule a line, the first rule that matches wins; empty lines and lines that begin
// with # do not count. The rule's number is its line among those that count, from 0.
//
//   L7   host NAME        HTTP, the Host of a request; *.NAME for every name below NAME
//        url NAME/PREFIX  HTTP, host and the beginning of the path
//        sni NAME         TLS, the server name of the ClientHello; *.NAME likewise
//        contains TEXT    HTTP, anywhere in host and path
//        regex PATTERN    HTTP, host and path as one text, such as ^cdn[0-9]+\.example/video/
//   L3   PROTOCOL USER REMOTE USER-PORTS REMOTE-PORTS
//        tcp, udp, ip or a number; addresses with prefix length or any; 80, 1024-65535 or any
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headroom::gtpu::inspection {

inline constexpr std::size_t kMostRules = 1'000'000;
inline constexpr std::size_t kLongestRule = 4096;  // length of a line in octets

struct L7Rule {
  enum class Kind : std::uint8_t { host, url, server, contains, regex };
  Kind kind = Kind::host;
  std::string text;       // name in lower case, or pattern
  std::string path{};     // for a URL: the prefix of the path
  bool is_below = false;  // True if the rule matches every name below `text`, but not `text` itself
};

// An address prefix: an IPv6 address, or an IPv4 address after ::ffff:0:0/96, and the length of the prefix, 0 to 128.
struct Prefix {
  std::array<std::uint8_t, 16> address{};
  std::uint8_t length = 0;
};

struct PortRange {
  std::uint16_t first = 0, last = 65535;
  [[nodiscard]] bool has(std::uint16_t port) const noexcept { return first <= port && port <= last; }
};

struct L3Rule {
  std::optional<std::uint8_t> protocol;  // no value: any protocol
  Prefix user, remote;
  PortRange user_ports, remote_ports;
};

// Read the text of a rule file. Throw ConfigError, which names `name` and the line.
[[nodiscard]] std::vector<L7Rule> read_l7_rules(std::string_view text, const std::string& name);
[[nodiscard]] std::vector<L3Rule> read_l3_rules(std::string_view text, const std::string& name);

// Reads a whole file. Throws ConfigError.
[[nodiscard]] std::string read_file(const std::string& path);

}  // namespace headroom::gtpu::inspection
