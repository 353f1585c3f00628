// SPDX-License-Identifier: Apache-2.0
//
// Limits of this process (getrlimit(2)), which an adapter may lower: what then fails is not the job, nor the disk.
#ifndef HEADROOM_BASE_LIMITS_H
#define HEADROOM_BASE_LIMITS_H

#include <sys/resource.h>

#include <array>
#include <cstddef>

namespace headroom {

class Limits {
 public:
  // The limits in force now.
  Limits() noexcept;

  // Returns the name of a limit that is lower now, such as "RLIMIT_FSIZE"; an empty text if there is none.
  [[nodiscard]] const char* lowered() const noexcept;

 private:
  static constexpr std::size_t kKinds = 4;
  std::array<rlim_t, kKinds> soft_{};
};

}  // namespace headroom

#endif  // HEADROOM_BASE_LIMITS_H
