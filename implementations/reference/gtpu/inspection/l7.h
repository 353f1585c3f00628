// SPDX-License-Identifier: Apache-2.0
//
// L7Rules matches L7 rules. Names and beginnings of paths are looked up in hash tables; texts anywhere in a URL and
// regular expressions are compiled by Hyperscan.
//
// Names are not given to Hyperscan, because it sorts literals by their last eight octets, which all names below a
// domain share: 20,000 names below one domain took 100 microseconds for each request, a table less than one
// microsecond.
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

// Hashes texts, for tables that find the number of a rule by its text.
struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>{}(text); }
};
template <typename Value>
using ByText = std::unordered_map<std::string, Value, TextHash, std::equal_to<>>;

// L7Rules is immutable and may be used by any number of threads, each with a scratch of its own.
class L7Rules {
 public:
  // Compiles rules, or loads them from `cache`, the path of a file; empty: no cache. A cache that is damaged, or made
  // from other rules or for another machine, is rewritten; failing to write it is no error. Throws ConfigError if a
  // pattern does not compile.
  L7Rules(const std::vector<L7Rule>& rules, const std::string& cache);

  [[nodiscard]] Scratch make_scratch() const;
  // Returns the number of the first rule that matches, or nothing.
  [[nodiscard]] std::optional<std::uint32_t> match(const Names& names, hs_scratch* scratch) const noexcept;
  // True if the compiled rules were loaded from the cache.
  [[nodiscard]] bool from_cache() const noexcept { return from_cache_; }

 private:
  using Database = std::unique_ptr<hs_database, DatabaseCloser>;
  // The rules for exact names and for all names below a name, for one kind of names.
  struct NameTable {
    ByText<std::uint32_t> exact{}, below{};
    void add(const L7Rule& rule, std::uint32_t number);
    void match(std::string_view name, std::uint32_t& first) const noexcept;
  };
  // The rules for beginnings of paths: `lengths` has the lengths of the beginnings by host, `rules` the rule by host
  // and path.
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
