// SPDX-License-Identifier: Apache-2.0
#include "schemes/sigcomp/calls/texts.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "base/random.h"

namespace headroom::sigcomp::calls {
namespace {

enum : std::uint64_t { kOfUser = 11, kOfCall = 12 };

bool is_digit(std::uint8_t c) { return c >= '0' && c <= '9'; }
bool is_lower(std::uint8_t c) { return c >= 'a' && c <= 'z'; }
bool is_upper(std::uint8_t c) { return c >= 'A' && c <= 'Z'; }
bool is_word(std::uint8_t c) { return is_digit(c) || is_lower(c) || is_upper(c); }

// Another character of the kind of `c`, or `c` itself.
char another_character(char c, bool hex, std::uint64_t draw) {
  const auto of = [draw](std::string_view kind) {
    return kind[scale(draw, static_cast<std::uint32_t>(kind.size() - 1))];
  };
  const auto octet = static_cast<std::uint8_t>(c);
  if (hex && (is_digit(octet) || (c >= 'a' && c <= 'f'))) return of("0123456789abcdef");
  if (hex && c >= 'A' && c <= 'F') return of("0123456789ABCDEF");
  if (hex) return c;
  if (is_digit(octet)) return of("0123456789");
  if (is_lower(octet)) return of("abcdefghijklmnopqrstuvwxyz");
  if (is_upper(octet)) return of("ABCDEFGHIJKLMNOPQRSTUVWXYZ");
  return c;
}

// An address whose numbers have as many digits as those of `text`.
std::string another_address(const std::string& text, Xoshiro256& random) {
  std::string made;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_digit(static_cast<std::uint8_t>(text[end]))) ++end;
    if (end == i) {
      made += text[i++];
      continue;
    }
    constexpr std::uint32_t kFrom[] = {1, 10, 100}, kMore[] = {8, 89, 123};
    const std::size_t digits = std::min<std::size_t>(end - i, 3) - 1;
    made += std::to_string(kFrom[digits] + scale(random.next(), kMore[digits]));
    i = end;
  }
  return made;
}

// The longest first, so that "192.168.55.61" is found before what is part of it.
std::vector<Identity> by_length(std::vector<Identity> identities) {
  std::stable_sort(identities.begin(), identities.end(),
                   [](const Identity& a, const Identity& b) { return a.text.size() > b.text.size(); });
  return identities;
}

}  // namespace

std::string another(const Identity& identity, std::uint64_t key) {
  constexpr int kAttempts = 16;
  Xoshiro256 random(key);
  std::string made;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (identity.kind == Identity::Kind::ipv4) {
      made = another_address(identity.text, random);
    } else {
      made = identity.text;
      for (std::size_t i = identity.keep; i < made.size(); ++i)
        made[i] = another_character(made[i], identity.kind == Identity::Kind::hex, random.next());
      if (identity.keep < made.size() && made[identity.keep] == '0' && identity.text[identity.keep] != '0')
        made[identity.keep] = '1';  // a number keeps its length
    }
    if (made != identity.text) break;
  }
  return made;
}

Texts::Texts(const Job& job) : identities_(by_length(job.identities)), seed_(job.seed), present_(identities_.size()) {
  for (const Message& message : job.registration) registration_.push_back(prepare(message.text));
  for (const Message& message : job.call) call_.push_back(prepare(message.text));
}

Texts::Template Texts::prepare(const Octets& text) const {
  Template made{text, {}};
  std::vector<bool> taken(text.size(), false);
  for (std::size_t n = 0; n < identities_.size(); ++n) {
    const std::string& wanted = identities_[n].text;
    for (auto from = text.begin();;) {
      const auto found = std::search(from, text.end(), wanted.begin(), wanted.end());
      if (found == text.end()) break;
      const auto at = static_cast<std::size_t>(found - text.begin());
      const std::size_t end = at + wanted.size();
      const bool whole = (at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]));
      if (whole && !taken[at] && !taken[end - 1]) {
        std::fill_n(taken.begin() + static_cast<std::ptrdiff_t>(at), wanted.size(), true);
        made.places.push_back({at, n});
      }
      from = found + 1;
    }
  }
  return made;
}

void Texts::use(std::uint32_t user, std::uint32_t call) {
  for (std::size_t n = 0; n < identities_.size(); ++n) {
    const Identity& identity = identities_[n];
    const std::uint64_t whose =
        derive(derive(seed_, identity.per_call ? kOfCall : kOfUser), identity.per_call ? call : user);
    present_[n] = another(identity, derive(whose, n));
  }
}

OctetView Texts::render(const Template& what) {
  rendered_ = what.text;
  for (const Place& place : what.places) {
    const std::string& text = present_[place.identity];
    std::memcpy(rendered_.data() + place.at, text.data(), text.size());
  }
  return rendered_;
}

}  // namespace headroom::sigcomp::calls
