// SPDX-License-Identifier: Apache-2.0
//
// The library, its table of functions, and what it says about itself.
#include <dlfcn.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <filesystem>

#include "check/checks.h"

namespace headroom::check {
namespace {

// The table as the library returns it; throws when there is none.
const headroom_api* raw_table(const Subject& subject) {
  const std::string path = std::filesystem::absolute(subject.adapter.library).string();
  note("the library was opened");
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* reason = dlerror();
    throw Broken(std::string("it does not load: ") + (reason == nullptr ? "no reason given" : reason) + ".");
  }
  const auto entry = reinterpret_cast<const headroom_api* (*)()>(dlsym(handle, "headroom_implementation"));
  if (entry == nullptr) throw Broken("it does not export headroom_implementation.");
  note("headroom_implementation was called");
  const headroom_api* table = entry();
  if (table == nullptr) throw Broken("headroom_implementation returned no table.");
  return table;
}

Outcome judge(const std::string& defect) {
  if (defect.empty()) return {};
  return {Verdict::fail, defect};
}

void require(bool holds, const std::string& sentence) {
  if (!holds) throw Broken(sentence);
}

// The calling convention that describe and statistics share.
void check_text_convention(const headroom_api& api) {
  note("describe was asked for its length with no buffer");
  const std::size_t length = api.describe(nullptr, 0);
  require(length > 0 && length < kLargestText, "describe returns a length of " + std::to_string(length) + ".");
  constexpr char kPoison = '\x5A';
  for (const std::size_t capacity : {length, length / 2, std::size_t{1}}) {
    std::string buffer(length + 64, kPoison);
    note("describe was given too small a buffer");
    require(api.describe(buffer.data(), capacity) == length,
            "describe returns another length when its buffer is too small.");
    require(std::all_of(buffer.begin(), buffer.end(), [](char c) { return c == kPoison; }),
            "describe writes into a buffer of " + std::to_string(capacity) +
                " octets, too small for its text and the NUL behind it.");
  }
  std::string buffer(length + 64, kPoison);
  require(api.describe(buffer.data(), length + 1) == length,
          "describe returns another length when its buffer is just large enough.");
  require(strnlen(buffer.data(), buffer.size()) == length,
          "describe does not end its text with a NUL at the length that it returns.");
  require(std::all_of(buffer.begin() + static_cast<std::ptrdiff_t>(length) + 1, buffer.end(),
                      [](char c) { return c == kPoison; }),
          "describe writes beyond its buffer.");
}

bool is_profile(const std::string& text) {
  return text.size() == 6 && text.starts_with("0x") && std::all_of(text.begin() + 2, text.end(), [](char c) {
           return std::isxdigit(static_cast<unsigned char>(c)) && !std::isupper(static_cast<unsigned char>(c));
         });
}

bool lists(const std::vector<std::string>& list, const char* word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

void check_scheme(const SchemeDescription& scheme, const headroom_api& api) {
  const std::string of = " (scheme " + scheme.scheme + ")";
  for (const std::string& profile : scheme.profiles) {
    require(is_profile(profile),
            "describe lists the profile \"" + profile + "\"; profiles are written as \"0x0001\"" + of + ".");
  }
  require(scheme.max_cid <= 15 || lists(scheme.cids, "large"),
          "describe has a max_cid above 15 without large CIDs" + of + ".");
  const bool speaks = !scheme.feedback.empty();
  require(!speaks || !(scheme.decompressor || scheme.endpoint) || api.take_reverse != nullptr,
          "describe lists feedback, and take_reverse is NULL" + of + ".");
  require(!speaks || !scheme.compressor || api.give_reverse != nullptr,
          "describe lists feedback, and give_reverse is NULL" + of + ".");
}

}  // namespace

Outcome check_loads(const Subject& subject) {
  (void)raw_table(subject);
  return {};
}

Outcome check_version(const Subject& subject) { return judge(table_defect_version(raw_table(subject))); }

Outcome check_struct_size(const Subject& subject) { return judge(table_defect_size(raw_table(subject))); }

Outcome check_functions(const Subject& subject) {
  const headroom_api table = copy_table(raw_table(subject));
  const std::string defect = table_defect_functions(table);
  return judge(defect.empty() ? table_defect_extensions(table) : defect);
}

Outcome check_describe(const Subject& subject) {
  const headroom_api api = copy_table(raw_table(subject));
  check_text_convention(api);
  note("what describe returned was read");
  const Description description = describe(api);
  require(!description.name.empty() && !description.version.empty(), "describe has an empty name or version.");
  for (const SchemeDescription& scheme : description.schemes) check_scheme(scheme, api);
  // What the run goes on with: the document, for the parent to read.
  return {Verdict::pass, description.document.dump()};
}

}  // namespace headroom::check
