// SPDX-License-Identifier: Apache-2.0
//
// Calls across the ABI, which no exception may cross. One that comes all the same is caught right here, while the
// library that it belongs to is still loaded, and told as what it is.
#ifndef HEADROOM_ADAPTER_CALLING_H
#define HEADROOM_ADAPTER_CALLING_H

#include <exception>
#include <string>

#include "base/error.h"

namespace headroom {

// Returns what `call` returns. When the adapter lets an exception out, throws what `error` makes of half a sentence
// about it.
template <typename Call, typename MakeError>
auto call_across(Call&& call, MakeError&& error) -> decltype(call()) {
  std::string what;
  try {
    return call();
  } catch (const std::exception& exception) {
    what = std::string("it let an exception out, which must not cross the ABI: ") + exception.what();
  } catch (...) {
    what = "it let an exception out, which must not cross the ABI";
  }
  throw error(what);
}

// The same with an Error(adapter); `function` is the ABI's name of what is called.
template <typename Call>
auto call_adapter(const char* function, Call&& call) -> decltype(call()) {
  return call_across(call, [function](const std::string& what) {
    return Error(ErrorKind::adapter, std::string("the adapter's ") + function + " broke a promise: " + what + ".");
  });
}

}  // namespace headroom

#endif  // HEADROOM_ADAPTER_CALLING_H
