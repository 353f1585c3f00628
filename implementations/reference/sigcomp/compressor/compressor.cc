// SPDX-License-Identifier: Apache-2.0
#include "sigcomp/compressor/compressor.h"

#include <utility>

#include "sigcomp/compressor/bytecode_compressor.h"

namespace headroom::sigcomp {
namespace {

template <typename Value, std::size_t kCount>
std::optional<Value> named(std::string_view name, const std::pair<std::string_view, Value> (&names)[kCount]) noexcept {
  for (const auto& [known, value] : names) {
    if (known == name) return value;
  }
  return {};
}

}  // namespace

std::optional<Algorithm> algorithm_named(std::string_view name) noexcept {
  return named<Algorithm>(name, {{"lzss", Algorithm::kLzss}, {"deflate", Algorithm::kDeflate}});
}

std::optional<Mechanism> mechanism_named(std::string_view name) noexcept {
  return named<Mechanism>(name, {{"stateless-basic", Mechanism::kStatelessBasic},
                                 {"stateful-basic", Mechanism::kStatefulBasic},
                                 {"stateless-static", Mechanism::kStatelessStatic},
                                 {"stateful-static", Mechanism::kStatefulStatic},
                                 {"dynamic", Mechanism::kDynamic},
                                 {"shared", Mechanism::kShared}});
}

std::optional<Search> search_named(std::string_view name) noexcept {
  return named<Search>(name, {{"hash", Search::kHash}, {"linear", Search::kLinear}});
}

std::optional<Acknowledgement> acknowledgement_named(std::string_view name) noexcept {
  return named<Acknowledgement>(name, {{"number", Acknowledgement::kNumber},
                                       {"identifier", Acknowledgement::kIdentifier},
                                       {"transport", Acknowledgement::kTransport},
                                       {"others", Acknowledgement::kOthers}});
}

std::optional<SharedState> shared_state_named(std::string_view name) noexcept {
  return named<SharedState>(name, {{"newest", SharedState::kNewest}, {"first-turn-once", SharedState::kFirstTurnOnce}});
}

CompressorFactory::CompressorFactory(StateHandler& states)
    : states_(states), state_(std::make_unique<FactoryState>()) {}
CompressorFactory::~CompressorFactory() = default;

std::unique_ptr<Compressor> CompressorFactory::make(const CompressorConfig& config, CompartmentId id) {
  return std::make_unique<BytecodeCompressor>(*state_, states_, config, id);
}

std::size_t CompressorFactory::memory_bytes() const noexcept { return state_->memory_bytes(); }

}  // namespace headroom::sigcomp
