// SPDX-License-Identifier: Apache-2.0
//
// The adapter of a build with HEADROOM_MUTANTS: the ordinary one inside, and around each call the mutant that the
// instance was created with. It is in a file of its own so that the ordinary adapter knows nothing of mutants.
//
// An instance with a mutant does without the fast paths: what they do must equal the general path, which the unit tests
// show, and so the mutation points are on the general path alone.
#define headroom_implementation headroom_ordinary_implementation
#include "adapter.cc"
#undef headroom_implementation

#include "mutants.h"

namespace {

using headroom::kNoMutant;
using headroom::MutantScope;

struct MutantInstance {
  headroom_instance* ordinary;
  std::size_t mutant;
};

MutantInstance& of(headroom_instance* self) noexcept { return *reinterpret_cast<MutantInstance*>(self); }
const MutantInstance& of(const headroom_instance* self) noexcept {
  return *reinterpret_cast<const MutantInstance*>(self);
}

// Takes "mutant" out of "options". Throws ConfigError when there is no such mutant.
std::size_t take_mutant(json& config) {
  if (!config.is_object() || !config.contains("options") || !config["options"].is_object()) return kNoMutant;
  json& options = config["options"];
  const auto found = options.find("mutant");
  if (found == options.end()) return kNoMutant;
  const std::size_t mutant = found->is_string() ? headroom::find_mutant(found->get<std::string>()) : kNoMutant;
  if (mutant == kNoMutant)
    throw headroom::ConfigError("\"mutant\" in \"options\" is " + found->dump() +
                                ", but must be a name of mutants.yaml");
  options.erase(found);
  return mutant;
}

headroom_instance* create_mutant(std::int32_t role, const char* config, char* error, std::size_t capacity) {
  try {
    std::string text = config == nullptr ? "" : config;
    std::size_t mutant = kNoMutant;
    json parsed = json::parse(text, nullptr, false);  // what is no JSON is for the ordinary adapter to refuse
    if (!parsed.is_discarded()) {
      mutant = take_mutant(parsed);
      if (mutant != kNoMutant) text = parsed.dump();
    }
    const MutantScope scope(mutant);
    headroom_instance* ordinary = create(role, text.c_str(), error, capacity);
    if (ordinary == nullptr) return nullptr;
    if (mutant != kNoMutant) {
      std::visit(
          [](auto& codec) {
            if constexpr (requires { codec.disable_fast_path(); }) codec.disable_fast_path();
          },
          ordinary->codec);
    }
    return reinterpret_cast<headroom_instance*>(new MutantInstance{ordinary, mutant});
  } catch (const std::exception& e) {
    headroom::put_error(e.what(), error, capacity);
  }
  return nullptr;
}

void destroy_mutant(headroom_instance* self) {
  if (self == nullptr) return;
  destroy(of(self).ordinary);
  delete &of(self);
}

// The ordinary function with the instance's mutant around it.
template <auto kFunction, typename Self, typename... Arguments>
auto call(Self* self, Arguments... arguments) {
  const MutantScope scope(of(self).mutant);
  return kFunction(of(self).ordinary, arguments...);
}

constexpr headroom_api kMutantApi = {
    HEADROOM_ABI_VERSION, sizeof(headroom_api),   describe,
    create_mutant,        destroy_mutant,         call<compress>,
    call<decompress>,     call<take_feedback>,    call<take_received_feedback>,
    call<give_feedback>,  call<piggyback>,        call<statistics>,
    call<control>,        call<open_compartment>, call<close_compartment>,
    call<accept>,         call<message_detail>,   tool,
};

}  // namespace

extern "C" HEADROOM_EXPORT const headroom_api* headroom_implementation(void) { return &kMutantApi; }
