// SPDX-License-Identifier: Apache-2.0
//
// A library of others that an adapter opens when an instance is made, so that nothing of it is needed to build the
// adapter. Its functions are declared as pointers that are filled by their symbols:
//
//   struct Theirs {
//     headroom::Library file{"HEADROOM_THEIRS", "libtheirs.so.1", "version 2 or later is needed"};
//     int (*compress)(const void*, std::size_t) = file["theirs_compress"];
//   };
#pragma once

#include <dlfcn.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "cxx/settings.h"

namespace headroom {

// A symbol of a library: becomes a pointer to a function of any type.
struct Symbol {
  void* address;

  template <typename Function>
  operator Function*() const noexcept {
    return reinterpret_cast<Function*>(address);
  }
};

class Library {
 public:
  // Opens the file that the environment's `variable` names, else `name` where the loader finds it. `needed` says what
  // else a library must be that lacks a symbol. Throws ConfigError if it cannot be opened.
  Library(const char* variable, const char* name, const char* needed) : needed_(needed) {
    const char* named = std::getenv(variable);
    name_ = named != nullptr && *named != '\0' ? named : name;
    // It stays in the process: what it keeps in static variables would be made anew, and lost, with each instance.
    handle_.reset(dlopen(name_.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE));
    const char* reason = handle_ ? nullptr : dlerror();
    require(handle_ != nullptr, std::string(name) + " cannot be opened (" + (reason != nullptr ? reason : name_) +
                                    "); let " + variable + " name it");
  }

  // Throws ConfigError if there is no such symbol.
  [[nodiscard]] Symbol operator[](const char* symbol) const {
    void* const address = dlsym(handle_.get(), symbol);
    require(address != nullptr, name_ + " has no " + symbol + ": " + needed_);
    return {address};
  }

 private:
  std::unique_ptr<void, int (*)(void*)> handle_{nullptr, dlclose};
  std::string name_;
  const char* needed_;
};

}  // namespace headroom
