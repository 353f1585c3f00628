// SPDX-License-Identifier: Apache-2.0
//
// SHA-1 (RFC 3174) as SigComp uses it: for state identifiers (RFC 3320 9.4.9), for the UDVM instruction SHA-1 (9.1.4)
// and for the message that a NACK names (RFC 4077 3.1). SigComp uses these hashes as names, not for security.
#pragma once

#include <array>
#include <initializer_list>
#include <memory>
#include <span>

#include "sigcomp/octets.h"

namespace headroom::sigcomp {

inline constexpr std::size_t kSha1Octets = 20;
using Sha1Digest = std::array<std::uint8_t, kSha1Octets>;

// Sha1 hashes any number of strings with OpenSSL's libcrypto. Only the constructor allocates memory.
class Sha1 {
 public:
  // Throws std::runtime_error if libcrypto offers no SHA-1 (a system policy may forbid it).
  Sha1();
  ~Sha1();
  Sha1(Sha1&&) noexcept;
  Sha1& operator=(Sha1&&) noexcept;

  // Returns the digest of the concatenated pieces.
  [[nodiscard]] Sha1Digest operator()(std::span<const Octets> pieces) noexcept;
  [[nodiscard]] Sha1Digest operator()(std::initializer_list<Octets> pieces) noexcept {
    return (*this)(std::span(pieces.begin(), pieces.size()));
  }
  [[nodiscard]] Sha1Digest operator()(Octets octets) noexcept { return (*this)({octets}); }

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

}  // namespace headroom::sigcomp
