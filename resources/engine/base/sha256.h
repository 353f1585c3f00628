// SPDX-License-Identifier: Apache-2.0
//
// SHA-256 (FIPS 180-4), to identify libraries and written files. Implemented here because a build with -m32 has no
// libcrypto to link.
#ifndef HEADROOM_BASE_SHA256_H
#define HEADROOM_BASE_SHA256_H

#include <array>
#include <cstdint>
#include <string>

#include "base/octets.h"

namespace headroom {

class Sha256 {
 public:
  void update(OctetView octets);
  // Returns the digest as 64 hexadecimal digits. The object cannot be used afterwards.
  [[nodiscard]] std::string finish();

 private:
  void block(const std::uint8_t* octets);

  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::uint8_t, 64> pending_{};
  std::size_t pending_size_ = 0;
  std::uint64_t total_ = 0;
};

// Returns the digest of a file. Throws Error(input) if the file cannot be read.
[[nodiscard]] std::string sha256_of_file(const std::string& path);

}  // namespace headroom

#endif  // HEADROOM_BASE_SHA256_H
