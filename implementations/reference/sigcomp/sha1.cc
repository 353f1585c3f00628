// SPDX-License-Identifier: Apache-2.0
#include "sigcomp/sha1.h"

#include <openssl/evp.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

namespace headroom::sigcomp {

struct Sha1::Context {
  EVP_MD* algorithm = EVP_MD_fetch(nullptr, "SHA1", nullptr);
  EVP_MD_CTX* running = EVP_MD_CTX_new();
  Context() = default;
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context() {
    EVP_MD_CTX_free(running);
    EVP_MD_free(algorithm);
  }
};

Sha1::Sha1() : context_(std::make_unique<Context>()) {
  if (context_->algorithm == nullptr || context_->running == nullptr ||
      EVP_DigestInit_ex2(context_->running, context_->algorithm, nullptr) != 1) {
    throw std::runtime_error("libcrypto offers no SHA-1; SigComp names its states by it (RFC 3320 9.4.9)");
  }
}
Sha1::~Sha1() = default;
Sha1::Sha1(Sha1&&) noexcept = default;
Sha1& Sha1::operator=(Sha1&&) noexcept = default;

Sha1Digest Sha1::operator()(std::span<const Octets> pieces) noexcept {
  Sha1Digest digest{};
  // No algorithm: the one of the constructor goes on to be used.
  bool fine = EVP_DigestInit_ex2(context_->running, nullptr, nullptr) == 1;
  for (const Octets piece : pieces) fine = fine && EVP_DigestUpdate(context_->running, piece.data(), piece.size()) == 1;
  if (!fine || EVP_DigestFinal_ex(context_->running, digest.data(), nullptr) != 1) {
    // The constructor has hashed with the same context; going on with a wrong name would mix up states.
    std::fputs("libcrypto failed in the middle of a SHA-1\n", stderr);
    std::abort();
  }
  return digest;
}

}  // namespace headroom::sigcomp
