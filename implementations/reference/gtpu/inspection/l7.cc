// SPDX-License-Identifier: Apache-2.0
#include "gtpu/inspection/l7.h"

#include <hs/hs.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <system_error>

#include "cxx/settings.h"

namespace headroom::gtpu::inspection {
namespace {

constexpr char kMagic[8] = {'H', 'R', 'L', '7', 'R', 'U', 'L', '1'};
constexpr std::size_t kLargestDatabase = 256u << 20;  // octets; one of 40,000 literals has 6.5 million
constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

// Takes rules and compiler into account; FNV-1a, for a key that is no secret.
std::uint64_t key_of(const std::vector<L7Rule>& rules) noexcept {
  std::uint64_t hash = 0xCBF29CE484222325;
  const auto add = [&hash](std::string_view text) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3;
    hash = (hash ^ 0xFF) * 0x100000001B3;
  };
  add(hs_version());
  for (const L7Rule& rule : rules) {
    add(std::to_string(static_cast<int>(rule.kind)));
    add(rule.text);
  }
  return hash;
}

[[noreturn]] void fail(hs_compile_error_t* error, const std::vector<std::uint32_t>& numbers) {
  const std::string reason = error == nullptr ? "no reason given" : error->message;
  const int index = error == nullptr ? -1 : error->expression;
  hs_free_compile_error(error);
  const std::string which =
      index < 0 ? "the L7 rules do" : "L7 rule " + std::to_string(numbers[static_cast<std::size_t>(index)]) + " does";
  throw ConfigError(which + " not compile: " + reason);
}

struct Patterns {
  std::vector<const char*> texts;
  std::vector<std::size_t> lengths;
  std::vector<unsigned> flags;
  std::vector<std::uint32_t> numbers;
};

Patterns patterns_of(const std::vector<L7Rule>& rules, L7Rule::Kind kind) {
  Patterns found;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    if (rules[i].kind != kind) continue;
    found.texts.push_back(rules[i].text.c_str());
    found.lengths.push_back(rules[i].text.size());
    found.flags.push_back(HS_FLAG_SINGLEMATCH);
    found.numbers.push_back(static_cast<std::uint32_t>(i));
  }
  return found;
}

hs_database* compile(const Patterns& patterns, L7Rule::Kind kind) {
  hs_database_t* database = nullptr;
  hs_compile_error_t* error = nullptr;
  const auto count = static_cast<unsigned>(patterns.texts.size());
  const hs_error_t result =
      kind == L7Rule::Kind::contains
          ? hs_compile_lit_multi(patterns.texts.data(), patterns.flags.data(), patterns.numbers.data(),
                                 patterns.lengths.data(), count, HS_MODE_BLOCK, nullptr, &database, &error)
          : hs_compile_multi(patterns.texts.data(), patterns.flags.data(), patterns.numbers.data(), count,
                             HS_MODE_BLOCK, nullptr, &database, &error);
  if (result != HS_SUCCESS) fail(error, patterns.numbers);
  return database;
}

// The database in a cache file: magic, key, octets of Hyperscan, which checks them itself.
hs_database* from_file(const std::string& path, std::uint64_t key) {
  std::ifstream file(path, std::ios::binary);
  char magic[sizeof kMagic];
  std::uint64_t found = 0;
  if (!file.read(magic, sizeof magic) || std::memcmp(magic, kMagic, sizeof magic) != 0) return nullptr;
  if (!file.read(reinterpret_cast<char*>(&found), sizeof found) || found != key) return nullptr;
  std::error_code unknown;  // of what is no regular file
  const std::uintmax_t size = std::filesystem::file_size(path, unknown);
  if (unknown || size > kLargestDatabase) return nullptr;
  std::string octets(static_cast<std::size_t>(size), '\0');
  file.read(octets.data(), static_cast<std::streamsize>(octets.size()));
  octets.resize(static_cast<std::size_t>(file.gcount()));
  hs_database_t* database = nullptr;
  return hs_deserialize_database(octets.data(), octets.size(), &database) == HS_SUCCESS ? database : nullptr;
}

void to_file(const std::string& path, std::uint64_t key, const hs_database* database) {
  char* octets = nullptr;
  std::size_t length = 0;
  if (hs_serialize_database(database, &octets, &length) != HS_SUCCESS) return;
  const std::unique_ptr<char, decltype(&std::free)> owned(octets, std::free);
  // Whole or not at all: several engines may share a cache.
  const std::string part = path + "." + std::to_string(getpid());
  std::ofstream file(part, std::ios::binary | std::ios::trunc);
  file.write(kMagic, sizeof kMagic);
  file.write(reinterpret_cast<const char*>(&key), sizeof key);
  file.write(octets, static_cast<std::streamsize>(length));
  file.close();
  if (!file || std::rename(part.c_str(), path.c_str()) != 0) std::remove(part.c_str());
}

}  // namespace

void DatabaseCloser::operator()(hs_database* database) const noexcept { hs_free_database(database); }
void ScratchCloser::operator()(hs_scratch* scratch) const noexcept { hs_free_scratch(scratch); }

void L7Rules::NameTable::add(const L7Rule& rule, std::uint32_t number) {
  (rule.is_below ? below : exact).try_emplace(rule.text, number);
}

void L7Rules::NameTable::match(std::string_view name, std::uint32_t& first) const noexcept {
  if (const auto found = exact.find(name); found != exact.end()) first = std::min(first, found->second);
  if (below.empty()) return;
  for (std::size_t dot = name.find('.'); dot != std::string_view::npos; dot = name.find('.')) {
    name.remove_prefix(dot + 1);
    if (const auto found = below.find(name); found != below.end()) first = std::min(first, found->second);
  }
}

void L7Rules::PathTable::add(const L7Rule& rule, std::uint32_t number) {
  std::vector<std::size_t>& known = lengths[rule.text];
  if (std::ranges::find(known, rule.path.size()) == known.end()) known.push_back(rule.path.size());
  rules.try_emplace(rule.text + rule.path, number);
}

void L7Rules::PathTable::match(const Names& names, std::uint32_t& first) const noexcept {
  const auto known = lengths.find(names.host());
  if (known == lengths.end()) return;
  for (const std::size_t length : known->second) {
    if (length > names.path().size()) continue;
    const auto found = rules.find(names.text().substr(0, names.host_length + length));
    if (found != rules.end()) first = std::min(first, found->second);
  }
}

L7Rules::L7Rules(const std::vector<L7Rule>& rules, const std::string& cache) {
  using Kind = L7Rule::Kind;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const auto number = static_cast<std::uint32_t>(i);
    if (rules[i].kind == Kind::host) hosts_.add(rules[i], number);
    if (rules[i].kind == Kind::server) servers_.add(rules[i], number);
    if (rules[i].kind == Kind::url) paths_.add(rules[i], number);
  }
  const Patterns texts = patterns_of(rules, Kind::contains), expressions = patterns_of(rules, Kind::regex);
  if (texts.texts.empty() && expressions.texts.empty()) return;
  require(hs_valid_platform() == HS_SUCCESS, "Hyperscan does not run on this processor; it needs SSSE3");
  if (!texts.texts.empty()) {
    const std::uint64_t key = cache.empty() ? 0 : key_of(rules);
    if (!cache.empty()) texts_.reset(from_file(cache, key));
    from_cache_ = texts_ != nullptr;
    if (!texts_) {
      texts_.reset(compile(texts, Kind::contains));
      if (!cache.empty()) to_file(cache, key, texts_.get());
    }
  }
  if (!expressions.texts.empty()) expressions_.reset(compile(expressions, Kind::regex));
}

Scratch L7Rules::make_scratch() const {
  hs_scratch_t* scratch = nullptr;
  for (const Database* database : {&texts_, &expressions_}) {
    if (*database && hs_alloc_scratch(database->get(), &scratch) != HS_SUCCESS) {
      hs_free_scratch(scratch);
      throw ConfigError("there is no memory for Hyperscan");
    }
  }
  return Scratch(scratch);
}

std::optional<std::uint32_t> L7Rules::match(const Names& names, hs_scratch* scratch) const noexcept {
  std::uint32_t first = kNone;
  if (names.protocol == Protocol::tls) servers_.match(names.host(), first);
  if (names.protocol == Protocol::http) {
    hosts_.match(names.host(), first);
    paths_.match(names, first);
    const auto note = [](unsigned id, unsigned long long, unsigned long long, unsigned, void* context) {
      auto& least = *static_cast<std::uint32_t*>(context);
      least = std::min(least, id);
      return 0;
    };
    const std::string_view text = names.text();
    for (const Database* database : {&texts_, &expressions_}) {
      if (*database)
        hs_scan(database->get(), text.data(), static_cast<unsigned>(text.size()), 0, scratch, note, &first);
    }
  }
  return first == kNone ? std::nullopt : std::optional(first);
}

}  // namespace headroom::gtpu::inspection
