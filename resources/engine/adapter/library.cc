// SPDX-License-Identifier: Apache-2.0
#include "adapter/library.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "adapter/promise_broken.h"
#include "base/error.h"
#include "base/sha256.h"

namespace headroom {
namespace {

constexpr const char* kEntry = "headroom_implementation";

// The first two fields have been in every version and are all that may be read before the version is known.
constexpr std::size_t kPreamble = offsetof(headroom_api, describe);

// An extension as far as its struct_size goes, the rest NULL; nothing if the adapter does not have it.
template <typename Functions>
std::optional<Functions> copy_extension(const headroom_api& api, const char* name) {
  const void* const table =
      api.extension == nullptr ? nullptr : call_safely(kNoRole, "extension", [&] { return api.extension(name); });
  if (table == nullptr) return std::nullopt;
  std::uint32_t size = 0;
  std::memcpy(&size, table, sizeof size);
  Functions copied = {};
  std::memcpy(&copied, table, std::clamp<std::size_t>(size, sizeof size, sizeof copied));
  return copied;
}

// The file of an open library, as the loader names it.
std::filesystem::path file_of(void* handle) {
  const link_map* map = nullptr;
  return dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 ? map->l_name : "";
}

// The names of the libraries that an open library needs.
std::vector<std::string> needed_by(void* handle) {
  const link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || map->l_ld == nullptr) return {};
  const char* strings = nullptr;
  for (const auto* entry = map->l_ld; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_STRTAB) strings = reinterpret_cast<const char*>(entry->d_un.d_ptr);
  }
  std::vector<std::string> names;
  for (const auto* entry = map->l_ld; strings != nullptr && entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_NEEDED) names.emplace_back(strings + entry->d_un.d_val);
  }
  return names;
}

// The folders of the adapters that have been opened.
class Folders {
 public:
  void add(const std::filesystem::path& folder) {
    const std::scoped_lock lock(mutex_);
    folders_.insert(folder);
  }
  [[nodiscard]] bool contains(const std::filesystem::path& folder) {
    const std::scoped_lock lock(mutex_);
    return folders_.contains(folder);
  }

 private:
  std::mutex mutex_;
  std::set<std::filesystem::path> folders_;
};

Folders& folders() {
  static Folders all;
  return all;
}

// The loader takes an open library for another one of the same name (DT_SONAME), be it a path. Returns a sentence if
// the adapter at `path` is another one's, or if it has one of its libraries from another's folder instead of its own;
// otherwise an empty string.
std::string mix_up(void* handle, const std::filesystem::path& path) {
  std::error_code ignored;
  const std::filesystem::path opened = file_of(handle), folder = path.parent_path();
  if (!opened.empty() && opened != path && !std::filesystem::equivalent(path, opened, ignored))
    return opened.string() + ", which is open already, has its path for a name (DT_SONAME).";
  for (const std::string& name : needed_by(handle)) {
    void* const needed = dlopen(name.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (needed == nullptr) continue;
    const std::filesystem::path other = file_of(needed), own = folder / name;
    dlclose(needed);
    const bool foreign = other.parent_path() != folder && folders().contains(other.parent_path());
    if (foreign && std::filesystem::is_regular_file(own, ignored) && sha256_of_file(own) != sha256_of_file(other))
      return "it needs " + own.string() + ", in whose place " + other.string() + " is open already.";
  }
  folders().add(folder);
  return {};
}

}  // namespace

std::string table_defect_version(const headroom_api* table) {
  if (table == nullptr) return std::string(kEntry) + " returned no table.";
  if (table->abi_version == HEADROOM_ABI_VERSION) return {};
  return "the adapter speaks version " + std::to_string(table->abi_version) + " of the ABI and this engine version " +
         std::to_string(HEADROOM_ABI_VERSION) +
         "; compile the adapter with implementations/abi/headroom.h of this release.";
}

std::string table_defect_size(const headroom_api* table) {
  constexpr std::size_t kNeeded = offsetof(headroom_api, drain);  // what follows is optional
  if (table->struct_size >= kNeeded && table->struct_size % sizeof(void*) == 0) return {};
  return "the adapter's struct_size is " + std::to_string(table->struct_size) + " octets where version " +
         std::to_string(HEADROOM_ABI_VERSION) + " of the ABI has " + std::to_string(sizeof(headroom_api)) +
         "; set it to sizeof(headroom_api).";
}

std::string table_defect_functions(const headroom_api& copied) {
  const std::pair<const char*, bool> required[] = {
      {"describe", copied.describe != nullptr},     {"create", copied.create != nullptr},
      {"destroy", copied.destroy != nullptr},       {"compress", copied.compress != nullptr},
      {"decompress", copied.decompress != nullptr}, {"statistics", copied.statistics != nullptr}};
  std::string missing;
  for (const auto& [name, present] : required) {
    if (!present) missing += (missing.empty() ? "" : ", ") + std::string(name);
  }
  if (missing.empty()) return {};
  return "the adapter's table lacks: " + missing +
         ". An implementation of one role only still needs a function that answers " +
         "HEADROOM_ERR_UNSUPPORTED for the other.";
}

std::string table_defect_extensions(const headroom_api& copied) {
  std::string missing;
  const auto require = [&](const char* extension, const char* function, bool present) {
    if (!present) missing += (missing.empty() ? "" : ", ") + std::string(extension) + "." + function;
  };
  if (const auto sessions = copy_extension<headroom_sessions>(copied, HEADROOM_SESSIONS)) {
    require(HEADROOM_SESSIONS, "open", sessions->open != nullptr);
    require(HEADROOM_SESSIONS, "close", sessions->close != nullptr);
  }
  if (const auto messages = copy_extension<headroom_messages>(copied, HEADROOM_MESSAGES))
    require(HEADROOM_MESSAGES, "accept", messages->accept != nullptr);
  if (const auto tools = copy_extension<headroom_tools>(copied, HEADROOM_TOOLS))
    require(HEADROOM_TOOLS, "ask", tools->ask != nullptr);
  if (const auto plane = copy_extension<headroom_user_plane>(copied, HEADROOM_USER_PLANE_EXTENSION)) {
    require(HEADROOM_USER_PLANE_EXTENSION, "add_worker", plane->add_worker != nullptr);
    require(HEADROOM_USER_PLANE_EXTENSION, "forward", plane->forward != nullptr);
    require(HEADROOM_USER_PLANE_EXTENSION, "take", plane->take != nullptr);
    require(HEADROOM_USER_PLANE_EXTENSION, "take_n4", plane->n4 == nullptr || plane->take_n4 != nullptr);
  }
  if (missing.empty()) return {};
  return "the adapter's extensions lack: " + missing + "; an extension without its functions is to be NULL.";
}

headroom_api copy_table(const headroom_api* table) {
  headroom_api copied = {};
  std::memcpy(&copied, table, std::clamp<std::size_t>(table->struct_size, kPreamble, sizeof copied));
  return copied;
}

std::shared_ptr<const Library> Library::open(const std::string& path, const std::string& where) {
  std::error_code ignored;
  const std::string absolute = std::filesystem::absolute(path, ignored).string();
  // dlopen is declared noexcept, but a library's constructors run in it: the compiler must not know what is called.
  void* (*volatile load)(const char*, int) = dlopen;
  void* handle = call_safely(kNoRole, "initialisation", [&] { return load(absolute.c_str(), RTLD_NOW | RTLD_LOCAL); });
  if (handle == nullptr) {
    const char* reason = dlerror();
    throw Error(ErrorKind::adapter,
                "the adapter " + path + " does not load: " + (reason == nullptr ? "no reason given" : reason) + ".",
                where);
  }
  std::shared_ptr<Library> library(new Library(handle, headroom_api{}, path));
  // No place in the job: the one that is open already may be to blame.
  if (const std::string why = mix_up(handle, absolute); !why.empty())
    throw Error(ErrorKind::adapter, "the adapter " + path + " cannot be used in this process: " + why);
  const auto entry = reinterpret_cast<const headroom_api* (*)()>(dlsym(handle, kEntry));
  if (entry == nullptr) {
    throw Error(ErrorKind::adapter, "the library " + path + " is no adapter: it does not export " + kEntry + ".",
                where);
  }
  const headroom_api* table = call_safely(kNoRole, kEntry, entry);
  std::string defect = table_defect_version(table);
  if (defect.empty()) defect = table_defect_size(table);
  if (defect.empty()) {
    library->api_ = copy_table(table);
    defect = table_defect_functions(library->api_);
  }
  if (defect.empty()) defect = table_defect_extensions(library->api_);
  if (!defect.empty()) throw Error(ErrorKind::adapter, "the adapter " + path + " cannot be used: " + defect, where);
  library->sessions_ = copy_extension<headroom_sessions>(library->api_, HEADROOM_SESSIONS);
  library->messages_ = copy_extension<headroom_messages>(library->api_, HEADROOM_MESSAGES);
  library->tools_ = copy_extension<headroom_tools>(library->api_, HEADROOM_TOOLS);
  library->user_plane_ = copy_extension<headroom_user_plane>(library->api_, HEADROOM_USER_PLANE_EXTENSION);
  return library;
}

Library::Library(void* handle, const headroom_api& api, std::string path)
    : handle_(handle), api_(api), path_(std::move(path)) {}

Library::~Library() { dlclose(handle_); }

}  // namespace headroom
