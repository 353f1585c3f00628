// SPDX-License-Identifier: Apache-2.0
//
// The error that an adapter has broken a promise of the ABI. The first promise is that no exception crosses the ABI; an
// exception that does is caught right after the call, while its library is still loaded.
#ifndef HEADROOM_ADAPTER_PROMISE_BROKEN_H
#define HEADROOM_ADAPTER_PROMISE_BROKEN_H

#include <exception>
#include <string>

#include "base/error.h"
#include "headroom.h"

namespace headroom {

class Instance;

// PromiseBroken is an Error(adapter) whose parts are listed in results.
class PromiseBroken : public Error {
 public:
  PromiseBroken(headroom_role role, const char* function, const std::string& sentence)
      : Error(ErrorKind::adapter, std::string("the adapter's ") + function + " broke a promise: " + sentence),
        function_(function),
        sentence_(sentence),
        role_(role) {}
  PromiseBroken(const Instance& instance, const char* function, const std::string& sentence);

  [[nodiscard]] const std::string& function() const noexcept { return function_; }  // the function's name in the ABI
  [[nodiscard]] const std::string& sentence() const noexcept { return sentence_; }  // "it changed its input."
  [[nodiscard]] headroom_role role() const noexcept { return role_; }
  // The instance, to tell it from others while it lives; nullptr if the function needs none.
  [[nodiscard]] const Instance* instance() const noexcept { return instance_; }

 private:
  std::string function_, sentence_;
  headroom_role role_;
  const Instance* instance_ = nullptr;
};

inline constexpr headroom_role kNoRole{};  // the role for functions that need no instance

// Returns the result of `call`. Throws PromiseBroken if `call` throws.
template <typename Call>
auto call_safely(headroom_role role, const char* function, Call&& call) -> decltype(call()) {
  std::string what = "it let an exception out, which must not cross the ABI";
  try {
    return call();
  } catch (const std::exception& exception) {
    what += std::string(": ") + exception.what();
  } catch (...) {
  }
  throw PromiseBroken(role, function, what + ".");
}

}  // namespace headroom

#endif  // HEADROOM_ADAPTER_PROMISE_BROKEN_H
