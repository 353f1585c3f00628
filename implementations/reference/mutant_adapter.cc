// SPDX-License-Identifier: Apache-2.0
//
// The adapter of a build with HEADROOM_MUTANTS: an instance has the mutant that {"options": {"mutant": …}} names.
#include "changed_adapter.h"
#include "mutants.h"

namespace {

struct Mutant {
  struct Scope : headroom::MutantScope {
    explicit Scope(const Mutant& mutant) noexcept : MutantScope(mutant.number) {}
  };

  // Throws ConfigError if there is no such mutant.
  static Mutant take(json& options) {
    const auto found = options.find("mutant");
    if (found == options.end()) return {};
    const Mutant mutant{found->is_string() ? headroom::find_mutant(found->get<std::string>()) : headroom::kNoMutant};
    if (!mutant) {
      throw headroom::ConfigError("\"mutant\" in \"options\" is " + found->dump() +
                                  ", but must be a name of mutants.yaml");
    }
    options.erase(found);
    return mutant;
  }

  explicit operator bool() const noexcept { return number != headroom::kNoMutant; }

  std::size_t number = headroom::kNoMutant;
};

}  // namespace

extern "C" HEADROOM_EXPORT const headroom_api* headroom_implementation(void) {
  return &headroom::ChangedAdapter<Mutant>::kApi;
}
