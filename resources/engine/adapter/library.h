// SPDX-License-Identifier: Apache-2.0
//
// Library is an adapter's shared library: opened, with its function table checked and copied. Nothing else in the
// engine calls dlopen.
#ifndef HEADROOM_ADAPTER_LIBRARY_H
#define HEADROOM_ADAPTER_LIBRARY_H

#include <memory>
#include <optional>
#include <string>

#include "headroom_messages.h"
#include "headroom_sessions.h"
#include "headroom_tools.h"
#include "headroom_user_plane.h"

namespace headroom {

class Library {
 public:
  // Opens `path` (relative to the working directory, never searched for) and checks its table as `checked_table` does.
  // Throws Error(adapter) at `where` with a sentence if anything is wrong.
  [[nodiscard]] static std::shared_ptr<const Library> open(const std::string& path, const std::string& where);

  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  // Returns a copy of the table; functions beyond the adapter's own `struct_size` are NULL.
  [[nodiscard]] const headroom_api& api() const noexcept { return api_; }
  // Return copies of the extensions, with the same rule; nullptr for an extension that the adapter lacks.
  [[nodiscard]] const headroom_sessions* sessions() const noexcept { return sessions_ ? &*sessions_ : nullptr; }
  [[nodiscard]] const headroom_messages* messages() const noexcept { return messages_ ? &*messages_ : nullptr; }
  [[nodiscard]] const headroom_tools* tools() const noexcept { return tools_ ? &*tools_ : nullptr; }
  [[nodiscard]] const headroom_user_plane* user_plane() const noexcept { return user_plane_ ? &*user_plane_ : nullptr; }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  Library(void* handle, const headroom_api& api, std::string path);

  void* handle_;
  headroom_api api_;
  std::optional<headroom_sessions> sessions_;
  std::optional<headroom_messages> messages_;
  std::optional<headroom_tools> tools_;
  std::optional<headroom_user_plane> user_plane_;
  std::string path_;
};

// Returns a sentence about what is wrong with a table, or an empty string. `table` is the result of
// headroom_implementation.
[[nodiscard]] std::string table_defect_version(const headroom_api* table);
[[nodiscard]] std::string table_defect_size(const headroom_api* table);
[[nodiscard]] std::string table_defect_functions(const headroom_api& copied);
[[nodiscard]] std::string table_defect_extensions(const headroom_api& copied);

// Returns the table up to `struct_size`, with the rest NULL. REQUIRES: the version has no defect.
[[nodiscard]] headroom_api copy_table(const headroom_api* table);

}  // namespace headroom

#endif  // HEADROOM_ADAPTER_LIBRARY_H
