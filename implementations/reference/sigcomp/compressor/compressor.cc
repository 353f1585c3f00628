// SPDX-License-Identifier: Apache-2.0
#include "sigcomp/compressor/compressor.h"

#include <stdexcept>
#include <utility>

#include "sigcomp/compressor/dynamic.h"
#include "sigcomp/compressor/lzss.h"

namespace headroom::sigcomp {
namespace {

template <typename Value, std::size_t kCount>
std::optional<Value> named(std::string_view name, const std::pair<std::string_view, Value> (&names)[kCount]) noexcept {
  for (const auto& [known, value] : names) {
    if (known == name) return value;
  }
  return {};
}

unsigned offset_bits_of(const CompressorConfig& config) noexcept {
  if (config.offset_bits != 0) return config.offset_bits;
  const std::uint32_t memory = config.peer.decompression_memory_size;
  return memory <= 4096 ? 12 : memory <= 8192 ? 13 : 14;
}

LzssConfig lzss_of(const CompressorConfig& config) {
  return {.decompression_memory_size = config.peer.decompression_memory_size,
          .cycles_per_bit = config.peer.cycles_per_bit,
          .transport = config.transport,
          .most_compressed = config.most_compressed,
          .offset_bits = offset_bits_of(config),
          .length_bits = config.length_bits,
          .dictionary = config.mechanism >= Mechanism::kStatelessStatic,
          .search = config.search};
}

// Without state, or with the bytecode as state.
class Plain final : public Compressor {
 public:
  explicit Plain(const CompressorConfig& config)
      : by_transport_(config.acknowledgement == Acknowledgement::kTransport),
        keeps_(config.mechanism == Mechanism::kStatefulBasic || config.mechanism == Mechanism::kStatefulStatic),
        compressor_(lzss_of(config), keeps_ ? Saved::kCode : Saved::kNothing) {}

  Octets compress(Octets message) override {
    const bool known = known_;
    const std::size_t overhead = compressor_.overhead();
    const Octets made = compressor_.compress(message);
    if (made.empty()) return made;
    sent_ = {};
    sent_.overhead = overhead;
    sent_.uploads = !known;
    if (known) sent_.refers_to = Octets(compressor_.identifier()).first(kLeastIdentifier);
    if (keeps_) sent_.leaves = &compressor_.identifier();
    if (by_transport_) know(true);
    return made;
  }
  void heard(const Heard& heard) override {
    ReturnedParameters(heard.returned_parameters).for_each_identifier([this](Octets partial) { acknowledge(partial); });
  }
  bool acknowledge(Octets partial) noexcept override {
    if (!keeps_ || !is_identifier_length(partial.size())) return false;
    if (!std::equal(partial.begin(), partial.end(), compressor_.identifier().begin())) return false;
    know(true);
    return true;
  }
  void refused(const Nack&) noexcept override { forget(); }
  void forget() noexcept override { know(false); }
  [[nodiscard]] Sent last() const noexcept override { return sent_; }

 private:
  void know(bool known) noexcept {
    known_ = keeps_ && known;
    compressor_.code_is_known(known_);
  }

  bool by_transport_;
  bool keeps_;
  bool known_ = false;
  LzssCompressor compressor_;
  Sent sent_;
};

class Dynamic final : public Compressor {
 public:
  explicit Dynamic(const CompressorConfig& config)
      : by_transport_(config.acknowledgement == Acknowledgement::kTransport),
        compressor_(lzss_of(config), config.peer.state_memory_size) {}

  Octets compress(Octets message) override {
    const bool refers = compressor_.refers_to_state();
    const Octets made = compressor_.compress(message);
    if (made.empty()) return made;
    sent_ = {};
    sent_.uploads = !refers;
    sent_.overhead = refers ? 1 + kLeastIdentifier : compressor_.program().upload.size();
    if (refers) sent_.refers_to = made.subspan(1, kLeastIdentifier);
    sent_.leaves = &compressor_.newest();
    if (by_transport_) compressor_.acknowledge(compressor_.newest());
    return made;
  }
  void heard(const Heard& heard) override {
    ReturnedParameters(heard.returned_parameters).for_each_identifier([this](Octets partial) { acknowledge(partial); });
  }
  bool acknowledge(Octets partial) noexcept override { return compressor_.acknowledge(partial); }
  void refused(const Nack&) noexcept override { forget(); }
  void forget() noexcept override { compressor_.forget(); }
  [[nodiscard]] Sent last() const noexcept override { return sent_; }

 private:
  bool by_transport_;
  DynamicCompressor compressor_;
  Sent sent_;
};

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

struct CompressorFactory::Shared {};

CompressorFactory::CompressorFactory(StateHandler& states) : states_(states), shared_(std::make_unique<Shared>()) {}
CompressorFactory::~CompressorFactory() = default;

std::unique_ptr<Compressor> CompressorFactory::make(const CompressorConfig& config, CompartmentId) {
  if (config.algorithm != Algorithm::kLzss || config.mechanism == Mechanism::kShared) {
    throw std::invalid_argument("DEFLATE and shared compression are not there yet");
  }
  if (config.mechanism == Mechanism::kDynamic) return std::make_unique<Dynamic>(config);
  return std::make_unique<Plain>(config);
}

}  // namespace headroom::sigcomp
