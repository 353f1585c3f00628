// SPDX-License-Identifier: Apache-2.0
//
// Texts returns the messages of a user or call: the job's messages with individual identities, so that no two
// compartments see the same octets.
#ifndef HEADROOM_SCHEMES_SIGCOMP_CALLS_TEXTS_H
#define HEADROOM_SCHEMES_SIGCOMP_CALLS_TEXTS_H

#include <cstdint>
#include <string>
#include <vector>

#include "schemes/sigcomp/calls/job.h"

namespace headroom::sigcomp::calls {

// Returns a replacement for an identity, drawn from `key`; never the identity itself unless no other text is possible.
[[nodiscard]] std::string another(const Identity& identity, std::uint64_t key);

class Texts {
 public:
  explicit Texts(const Job& job);

  // Selects the identities of a user, and of the call with the number `call` among all calls (any number for a
  // registration).
  void use(std::uint32_t user, std::uint32_t call);
  // Return a message, valid until the next call of either function. REQUIRES: use() has been called.
  [[nodiscard]] OctetView registration(std::size_t step) { return render(registration_[step]); }
  [[nodiscard]] OctetView call(std::size_t step) { return render(call_[step]); }

 private:
  struct Place {
    std::size_t at;
    std::size_t identity;
  };
  struct Template {
    Octets text;
    std::vector<Place> places;
  };

  [[nodiscard]] Template prepare(const Octets& text) const;
  [[nodiscard]] OctetView render(const Template& what);

  const std::vector<Identity> identities_;
  std::uint64_t seed_;
  std::vector<std::string> present_;
  std::vector<Template> registration_, call_;
  Octets rendered_;
};

}  // namespace headroom::sigcomp::calls

#endif  // HEADROOM_SCHEMES_SIGCOMP_CALLS_TEXTS_H
