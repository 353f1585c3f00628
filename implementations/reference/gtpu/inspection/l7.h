// SPDX-License-Identifier: Apache-2.0
//
// L7 rules. Names and beginnings of paths are looked up in hash tables; texts anywhere and regular expressions are
// compiled by Hyperscan.
//
// Names are no business of Hyperscan's: it sorts literals by their last eight octets, which all names below one domain
// share. 20,000 names below one took 100 microseconds a request, against less than one by a table.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gtpu/inspection/names.h"
#include "gtpu/inspection/rules.h"

struct hs_database;
struct hs_scratch;

namespace headroom::gtpu::inspection {

struct DatabaseCloser {
  void operator()(hs_database* database) const noexcept;
};
struct ScratchCloser {
  void operator()(hs_scratch* scratch) const noexcept;
};
using Scratch = std::unique_ptr<hs_scratch, ScratchCloser>;

// The number of a rule, by its text.
struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>{}(text); }
};
template <typename Value>
using ByText = std::unordered_map<std::string, Value, TextHash, std::equal_to<>>;

// Immutable, for any number of threads; each has a scratch of its own.
class L7Rules {
 public:
  // Throws ConfigError where a pattern does not compile. `cache` names a file for what is compiled, or nothing; a cache
  // that is damaged, of other rules, or of another machine is written anew, and one that cannot be written does not
  // matter.
  L7Rules(const std::vector<L7Rule>& rules, const std::string& cache);

  [[nodiscard]] Scratch make_scratch() const;
  // The first rule that matches; nothing where none does.
  [[nodiscard]] std::optional<std::uint32_t> match(const Names& names, hs_scratch* scratch) const noexcept;
  // Whether the cache had what is compiled.
  [[nodiscard]] bool from_cache() const noexcept { return from_cache_; }

 private:
  using Database = std::unique_ptr<hs_database, DatabaseCloser>;
  // Rules of whole names, and of all names below one, of one kind.
  struct NameTable {
    ByText<std::uint32_t> exact{}, below{};
    void add(const L7Rule& rule, std::uint32_t number);
    void match(std::string_view name, std::uint32_t& first) const noexcept;
  };
  // Beginnings of paths: by host, the lengths that there are; by host and path, the rule.
  struct PathTable {
    ByText<std::vector<std::size_t>> lengths{};
    ByText<std::uint32_t> rules{};
    void add(const L7Rule& rule, std::uint32_t number);
    void match(const Names& names, std::uint32_t& first) const noexcept;
  };
  NameTable hosts_, servers_;
  PathTable paths_;
  Database texts_, expressions_;
  bool from_cache_ = false;
};

}  // namespace headroom::gtpu::inspection
