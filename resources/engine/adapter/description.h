// SPDX-License-Identifier: Apache-2.0
//
// The self-description of an adapter (implementations/README.md): fetched and checked key by key, with its names looked
// up by index.
#ifndef HEADROOM_ADAPTER_DESCRIPTION_H
#define HEADROOM_ADAPTER_DESCRIPTION_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "adapter/promise_broken.h"
#include "base/json_reader.h"
#include "headroom.h"

namespace headroom {

// The names that the indices in headroom_detail stand for.
struct Names {
  std::vector<std::string> packet_types;
  std::vector<std::string> modes;
  std::vector<std::string> compressor_states;
  std::vector<std::string> decompressor_states;
  std::vector<std::string> events;

  // Returns the name of `index`; empty for 255 ("not known") and for an index without a name.
  [[nodiscard]] static std::string_view word(const std::vector<std::string>& words, std::uint8_t index) noexcept;
};

struct SchemeDescription {
  std::string scheme;
  bool compressor = false;
  bool decompressor = false;
  bool endpoint = false;
  bool user_plane = false;
  std::vector<std::string> profiles;
  std::vector<std::string> modes;
  std::vector<std::string> cids;
  std::uint64_t max_cid = 0;
  std::uint64_t max_channels = 1;
  std::vector<std::string> feedback;
  std::vector<std::string> features;
  bool packs = false;  // True if link packets may carry several packets, or parts of them
  Names names;
};

struct Description {
  Json document;
  std::string name;
  std::string version;
  std::vector<SchemeDescription> schemes;

  // Returns the entry of `scheme`, or nullptr if the adapter does not implement it.
  [[nodiscard]] const SchemeDescription* find(std::string_view scheme) const noexcept;
};

// Returns the text of an adapter's function with the calling convention of `describe` and `statistics`. Throws
// Error(adapter) if the function violates the convention or the text is too long.
template <typename Write>
[[nodiscard]] std::string fetch_text(const char* function, Write&& write);

// Reads the document. Throws Error(adapter), which names the place, if something is missing or of the wrong kind.
[[nodiscard]] Description parse_description(const std::string& text);

[[nodiscard]] Description describe(const headroom_api& api);
[[nodiscard]] Json statistics(const headroom_api& api, const headroom_instance* instance);

// --------------------------------------------------------------------------------------------------------------

inline constexpr std::size_t kLargestText = std::size_t{1} << 24;  // octets; far more than any honest description has

template <typename Write>
std::string fetch_text(const char* function, Write&& write) {
  std::string text(4096, '\0');
  for (int attempt = 0; attempt < 2; ++attempt) {
    const std::size_t length = call_safely(kNoRole, function, [&] { return write(text.data(), text.size()); });
    if (length >= kLargestText) break;
    if (length < text.size()) {
      if (text[length] != '\0') {
        throw Error(ErrorKind::adapter,
                    std::string("the adapter's ") + function + " does not end its text with a NUL.");
      }
      text.resize(length);
      return text;
    }
    text.assign(length + 1, '\0');
  }
  throw Error(ErrorKind::adapter,
              std::string("the adapter's ") + function +
                  " keeps asking for more room: the length that it returns must be that of its text.");
}

}  // namespace headroom

#endif  // HEADROOM_ADAPTER_DESCRIPTION_H
