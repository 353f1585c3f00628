// SPDX-License-Identifier: Apache-2.0
#include "adapter/library.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <utility>

#include "adapter/promise_broken.h"
#include "base/error.h"

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
