// SPDX-License-Identifier: Apache-2.0
#include "adapter/library.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/error.h"

namespace headroom {
namespace {

constexpr const char* kEntry = "headroom_implementation";

// The first two fields have been in every version and are all that may be read before the version is known.
constexpr std::size_t kPreamble = offsetof(headroom_api, describe);

}  // namespace

std::string table_defect_version(const headroom_api* table) {
  if (table == nullptr) return std::string(kEntry) + " returned no table.";
  if (table->abi_version == HEADROOM_ABI_VERSION) return {};
  return "the adapter speaks version " + std::to_string(table->abi_version) + " of the ABI and this engine version " +
         std::to_string(HEADROOM_ABI_VERSION) +
         "; compile the adapter with implementations/abi/headroom.h of this release.";
}

std::string table_defect_size(const headroom_api* table) {
  constexpr std::size_t kNeeded = offsetof(headroom_api, control);  // what follows is optional
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

headroom_api copy_table(const headroom_api* table) {
  headroom_api copied = {};
  std::memcpy(&copied, table, std::clamp<std::size_t>(table->struct_size, kPreamble, sizeof copied));
  return copied;
}

std::shared_ptr<const Library> Library::open(const std::string& path, const std::string& where) {
  std::error_code ignored;
  const std::string absolute = std::filesystem::absolute(path, ignored).string();
  void* handle = dlopen(absolute.c_str(), RTLD_NOW | RTLD_LOCAL);
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
  const headroom_api* table = entry();
  std::string defect = table_defect_version(table);
  if (defect.empty()) defect = table_defect_size(table);
  if (defect.empty()) {
    library->api_ = copy_table(table);
    defect = table_defect_functions(library->api_);
  }
  if (!defect.empty()) throw Error(ErrorKind::adapter, "the adapter " + path + " cannot be used: " + defect, where);
  return library;
}

Library::Library(void* handle, const headroom_api& api, std::string path)
    : handle_(handle), api_(api), path_(std::move(path)) {}

Library::~Library() { dlclose(handle_); }

}  // namespace headroom
