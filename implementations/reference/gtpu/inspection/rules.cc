// SPDX-License-Identifier: Apache-2.0
#include "gtpu/inspection/rules.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>

#include "cxx/settings.h"
#include "gtpu/inspection/names.h"

namespace headroom::gtpu::inspection {
namespace {

constexpr std::size_t kLargestFile = 512u << 20;  // octets; 1,000,000 rules are far smaller

// Sets `words` to those of a line.
void split(std::string_view line, std::vector<std::string_view>& words) {
  words.clear();
  while (true) {
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) return;
    line.remove_prefix(begin);
    const std::size_t end = std::min(line.find_first_of(" \t\r"), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

// The place of a rule. Its words are put together only where something is wrong: there are many rules.
struct Place {
  const std::string& file;
  std::size_t line;
  [[noreturn]] void refuse(const std::string& sentence) const {
    throw ConfigError(file + ":" + std::to_string(line) + ": " + sentence);
  }
};

// The rules of all lines, of whose words `read` makes one each.
template <typename Rule, typename Read>
std::vector<Rule> read_lines(std::string_view text, const std::string& name, Read read) {
  std::vector<Rule> rules;
  std::vector<std::string_view> words;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const Place place{name, number};
    if (line.size() > kLongestRule) place.refuse("a rule has at most " + std::to_string(kLongestRule) + " octets");
    split(line, words);
    if (words.empty() || words[0].starts_with('#')) continue;
    if (rules.size() == kMostRules) place.refuse("there are more than " + std::to_string(kMostRules) + " rules");
    rules.push_back(read(words, place));
  }
  return rules;
}

std::string lowered(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; });
  return result;
}

L7Rule named(L7Rule::Kind kind, std::string_view name, const Place& place) {
  const bool is_below = name.starts_with("*.");
  const std::string_view plain = is_below ? name.substr(2) : name;
  if (plain.empty() || plain.size() > kLongestName || plain.find_first_of("*/:") != std::string_view::npos ||
      !std::ranges::all_of(plain, [](char c) { return static_cast<unsigned char>(c) > ' '; }))
    place.refuse("\"" + std::string(name) + "\" is no name; write one such as www.example.com or *.example.com");
  return {kind, lowered(plain), {}, is_below};
}

L7Rule l7_rule(const std::vector<std::string_view>& words, const Place& place) {
  using Kind = L7Rule::Kind;
  if (words.size() != 2) place.refuse("a rule is a kind and what it matches, such as: host www.example.com");
  const auto [kind, what] = std::pair(words[0], words[1]);
  if (kind == "host") return named(Kind::host, what, place);
  if (kind == "sni") return named(Kind::server, what, place);
  if (kind == "contains") return {Kind::contains, std::string(what)};
  if (kind == "regex") return {Kind::regex, std::string(what)};
  if (kind != "url")
    place.refuse("\"" + std::string(kind) + "\" is no kind of rule; known are: host, url, sni, contains, regex");
  const std::size_t slash = std::min(what.find('/'), what.size());
  if (slash == what.size()) place.refuse("\"" + std::string(what) + "\" has no path; write NAME/PREFIX");
  L7Rule rule = named(Kind::url, what.substr(0, slash), place);
  if (rule.is_below) place.refuse("a url rule is of one name, without *");
  rule.path = what.substr(slash);
  return rule;
}

std::optional<std::uint32_t> number(std::string_view text, std::uint32_t most) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value > most) return std::nullopt;
  return value;
}

Prefix prefix(std::string_view text, const Place& place) {
  if (text == "any") return {};
  const std::size_t slash = text.find('/');
  const std::string address(text.substr(0, slash));
  Prefix found;
  const bool is_ipv4 = address.find(':') == std::string::npos;
  const int family = is_ipv4 ? AF_INET : AF_INET6;
  const std::uint8_t most = is_ipv4 ? 32 : 128;
  if (is_ipv4) found.address[10] = found.address[11] = 0xFF;
  const bool parsed = inet_pton(family, address.c_str(), found.address.data() + (is_ipv4 ? 12 : 0)) == 1;
  const auto length =
      slash == std::string_view::npos ? std::optional<std::uint32_t>(most) : number(text.substr(slash + 1), most);
  if (!parsed || !length)
    place.refuse("\"" + std::string(text) + "\" is no prefix; write one such as 198.18.0.0/15, or any");
  found.length = static_cast<std::uint8_t>(*length + (is_ipv4 ? 96 : 0));
  return found;
}

PortRange ports(std::string_view text, const Place& place) {
  if (text == "any") return {};
  const std::size_t dash = text.find('-');
  const auto first = number(text.substr(0, dash), 65535);
  const auto last = dash == std::string_view::npos ? first : number(text.substr(dash + 1), 65535);
  if (!first || !last || *first > *last)
    place.refuse("\"" + std::string(text) + "\" are no ports; write 80, 1024-65535 or any");
  return {static_cast<std::uint16_t>(*first), static_cast<std::uint16_t>(*last)};
}

L3Rule l3_rule(const std::vector<std::string_view>& words, const Place& place) {
  if (words.size() != 5) place.refuse("a rule is PROTOCOL USER REMOTE USER-PORTS REMOTE-PORTS");
  L3Rule rule;
  if (words[0] == "tcp" || words[0] == "udp") {
    rule.protocol = words[0] == "tcp" ? 6 : 17;
  } else if (words[0] != "ip") {
    const auto protocol = number(words[0], 255);
    if (!protocol) place.refuse("\"" + std::string(words[0]) + "\" is no protocol; write tcp, udp, ip or 0-255");
    rule.protocol = static_cast<std::uint8_t>(*protocol);
  }
  rule.user = prefix(words[1], place);
  rule.remote = prefix(words[2], place);
  rule.user_ports = ports(words[3], place);
  rule.remote_ports = ports(words[4], place);
  return rule;
}

}  // namespace

std::vector<L7Rule> read_l7_rules(std::string_view text, const std::string& name) {
  return read_lines<L7Rule>(text, name, l7_rule);
}

std::vector<L3Rule> read_l3_rules(std::string_view text, const std::string& name) {
  return read_lines<L3Rule>(text, name, l3_rule);
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  require(file.good(), "the rule file " + path + " cannot be read");
  std::string text;
  char piece[1 << 16];
  while (file.read(piece, sizeof piece), file.gcount() > 0) {
    text.append(piece, static_cast<std::size_t>(file.gcount()));
    require(text.size() <= kLargestFile, "the rule file " + path + " is larger than any that could be meant");
  }
  return text;
}

}  // namespace headroom::gtpu::inspection
