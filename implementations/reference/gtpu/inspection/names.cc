// SPDX-License-Identifier: Apache-2.0
#include "gtpu/inspection/names.h"

#include <algorithm>
#include <optional>

namespace headroom::gtpu::inspection {
namespace {

using Octets = std::span<const std::uint8_t>;

std::string_view text_of(Octets octets) noexcept {
  return {reinterpret_cast<const char*>(octets.data()), octets.size()};
}

constexpr char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

// Appends text as far as there is room; a space or a control character ends it.
void append(std::string_view text, Names& names) noexcept {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) <= ' ' || names.length == names.buffer.size()) return;
    names.buffer[names.length++] = c;
  }
}

// Puts a name into empty `names`. False if it is none.
bool put_host(std::string_view host, Names& names) noexcept {
  if (host.size() > kLongestName) return false;
  append(host, names);
  std::ranges::transform(names.text(), names.buffer.begin(), lower);
  names.host_length = names.length;
  return names.length != 0;
}

// A host without its port, and without the brackets of an IPv6 address (RFC 9110, 4.2; RFC 3986, 3.2.2).
std::string_view without_port(std::string_view host) noexcept {
  if (!host.empty() && host.front() == '[') {
    const std::size_t end = host.find(']');
    return end == std::string_view::npos ? std::string_view{} : host.substr(1, end - 1);
  }
  return host.substr(0, host.find(':'));
}

std::string_view trimmed(std::string_view text) noexcept {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

bool is_host_field(std::string_view line) noexcept {
  constexpr std::string_view kHost = "host:";
  return line.size() >= kHost.size() &&
         std::ranges::equal(line.substr(0, kHost.size()), kHost, {}, [](char c) { return lower(c); });
}

// The value of the first Host field among the lines; empty if there is none, or if its line is not whole.
std::string_view host_field(std::string_view lines) noexcept {
  while (!lines.empty()) {
    const std::size_t end = lines.find('\n');
    if (end == std::string_view::npos || end == 0 || lines.substr(0, end) == "\r") return {};
    if (is_host_field(lines)) return trimmed(lines.substr(5, end - 5));
    lines.remove_prefix(end + 1);
  }
  return {};
}

bool begins_like_a_request(std::string_view text) noexcept {
  constexpr std::string_view kMethods[] = {"GET ",     "POST ",   "HEAD ",  "PUT ",  "OPTIONS ",
                                           "CONNECT ", "DELETE ", "PATCH ", "TRACE "};
  return std::ranges::any_of(kMethods, [&](std::string_view method) { return text.starts_with(method); });
}

void read_request(std::string_view text, Names& names) noexcept {
  names.protocol = Protocol::nameless;
  const std::size_t line_end = text.find('\n');
  if (line_end == std::string_view::npos) return;
  std::string_view target = text.substr(0, line_end);
  target.remove_prefix(target.find(' ') + 1);
  target = target.substr(0, target.find(' '));
  std::string_view host = without_port(host_field(text.substr(line_end + 1)));
  // An absolute target goes before the Host field (RFC 9112, 3.2.2).
  if (const std::size_t scheme = target.find("://"); scheme != std::string_view::npos && scheme <= 5) {
    const std::string_view rest = target.substr(scheme + 3);
    const std::size_t slash = rest.find('/');
    host = without_port(rest.substr(0, slash));
    target = slash == std::string_view::npos ? std::string_view{"/"} : rest.substr(slash);
  }
  if (!put_host(host, names)) return;
  append(target, names);
  names.protocol = Protocol::http;
}

// Octets from the front of a message of TLS; every length is checked against what is there.
class Reader {
 public:
  explicit Reader(Octets octets) noexcept : octets_(octets) {}
  [[nodiscard]] std::optional<std::size_t> number(std::size_t octets) noexcept {
    if (octets_.size() < octets) return std::nullopt;
    std::size_t value = 0;
    for (std::size_t i = 0; i < octets; ++i) value = value << 8 | octets_[i];
    octets_ = octets_.subspan(octets);
    return value;
  }
  // What a vector with a length of so many octets holds; as far as it is there with `cut`.
  [[nodiscard]] std::optional<Octets> vector(std::size_t octets_of_length, bool cut = false) noexcept {
    const auto length = number(octets_of_length);
    if (!length || (*length > octets_.size() && !cut)) return std::nullopt;
    const Octets found = octets_.first(std::min(*length, octets_.size()));
    octets_ = octets_.subspan(found.size());
    return found;
  }
  [[nodiscard]] bool skip(std::size_t octets) noexcept {
    if (octets_.size() < octets) return false;
    octets_ = octets_.subspan(octets);
    return true;
  }
  [[nodiscard]] bool empty() const noexcept { return octets_.empty(); }

 private:
  Octets octets_;
};

constexpr std::size_t kHandshake = 22, kClientHello = 1, kServerNameExtension = 0, kHostName = 0;

// The server name of a record that begins with a ClientHello; empty if it tells none, or not in this packet.
std::string_view server_name(Octets payload) noexcept {
  Reader record(payload);
  if (record.number(1) != kHandshake || !record.skip(2)) return {};
  const auto fragment = record.vector(2, true);
  if (!fragment) return {};
  Reader handshake(*fragment);
  if (handshake.number(1) != kClientHello) return {};
  const auto message = handshake.vector(3, true);
  if (!message) return {};
  Reader hello(*message);
  // legacy_version and random, legacy_session_id, cipher_suites, legacy_compression_methods
  if (!hello.skip(2 + 32) || !hello.vector(1) || !hello.vector(2) || !hello.vector(1)) return {};
  const auto extensions = hello.vector(2, true);
  if (!extensions) return {};
  for (Reader reader(*extensions); !reader.empty();) {
    const auto type = reader.number(2);
    const auto data = reader.vector(2);
    if (!type || !data) return {};
    if (*type != kServerNameExtension) continue;
    Reader list(*data);
    const auto names = list.vector(2);
    if (!names) return {};
    Reader entry(*names);
    if (entry.number(1) != kHostName) return {};
    const auto name = entry.vector(2);
    return name ? text_of(*name) : std::string_view{};
  }
  return {};
}

}  // namespace

void read_names(Octets payload, Names& names) noexcept {
  names.protocol = Protocol::unknown;
  names.host_length = names.length = 0;
  const std::string_view text = text_of(payload);
  if (begins_like_a_request(text)) return read_request(text, names);
  if (payload.size() < 6 || payload[0] != kHandshake || payload[1] != 3 || payload[5] != kClientHello) return;
  names.protocol = put_host(server_name(payload), names) ? Protocol::tls : Protocol::nameless;
}

}  // namespace headroom::gtpu::inspection
