// SPDX-License-Identifier: Apache-2.0
//
// SHA-1 (RFC 3174) as SigComp uses it: for state identifiers (RFC 3320 9.4.9), for the UDVM instruction (9.1.4) and for
// the message that a NACK is about (RFC 4077 3.1). It names states; it protects nothing that matters today.
#pragma once

#include <array>
#include <initializer_list>
#include <memory>
#include <span>

#include "sigcomp/octets.h"

namespace headroom::sigcomp {

inline constexpr std::size_t kSha1Octets = 20;
using Sha1Digest = std::array<std::uint8_t, kSha1Octets>;

// A hasher that is made once and used for many strings; the constructor allocates, hashing does not. OpenSSL's
// libcrypto does the work.
class Sha1 {
 public:
  // Throws std::runtime_error where libcrypto offers no SHA-1 (a policy of the system may forbid it).
  Sha1();
  ~Sha1();
  Sha1(Sha1&&) noexcept;
  Sha1& operator=(Sha1&&) noexcept;

  // The digest of the pieces, one behind another.
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
