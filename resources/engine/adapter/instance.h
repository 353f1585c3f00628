// SPDX-License-Identifier: Apache-2.0
//
// Instance is a compressor, decompressor, endpoint or first worker of a user plane of an adapter, made from a JSON
// configuration and destroyed at the end of its scope.
#ifndef HEADROOM_ADAPTER_INSTANCE_H
#define HEADROOM_ADAPTER_INSTANCE_H

#include <memory>
#include <string>
#include <utility>

#include "adapter/description.h"
#include "adapter/library.h"
#include "base/json_reader.h"
#include "headroom.h"

namespace headroom {

[[nodiscard]] constexpr const char* name_of(headroom_role role) noexcept {
  return role == HEADROOM_COMPRESSOR     ? "compressor"
         : role == HEADROOM_DECOMPRESSOR ? "decompressor"
         : role == HEADROOM_USER_PLANE   ? "user-plane"
                                         : "endpoint";
}

// An adapter in a job: {"library": path, "config": {...}}.
struct AdapterJob {
  std::string library;
  Json config;
  std::string where;  // JSON pointer to the object in the job

  // Values of the configuration that the engine itself needs, or their defaults.
  std::string scheme;
  std::uint32_t channels = 1;
  std::uint32_t flows_of_channel = 1;
  bool channels_given = false;
};

[[nodiscard]] AdapterJob read_adapter_job(const Value& value);

// Reads the keys of a configuration that the engine needs; keys that only the adapter needs are ignored.
void read_settings(Object& config, AdapterJob& job);

class Instance {
 public:
  // Opens the library and creates the instance. Throws Error(adapter) with the adapter's own sentence if it refuses.
  Instance(const AdapterJob& job, headroom_role role);
  ~Instance();
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  [[nodiscard]] const Library& library() const noexcept { return *library_; }
  [[nodiscard]] const headroom_api& api() const noexcept { return library_->api(); }
  // Return the extensions, or nullptr for an extension that the adapter lacks.
  [[nodiscard]] const headroom_sessions* sessions() const noexcept { return library_->sessions(); }
  [[nodiscard]] const headroom_messages* messages() const noexcept { return library_->messages(); }
  [[nodiscard]] headroom_instance* self() const noexcept { return self_; }
  // Releases the instance to the caller, who then has to destroy it.
  [[nodiscard]] headroom_instance* release() noexcept { return std::exchange(self_, nullptr); }
  [[nodiscard]] headroom_role role() const noexcept { return role_; }
  [[nodiscard]] const Description& description() const noexcept { return description_; }
  [[nodiscard]] const Names& names() const noexcept { return *names_; }
  // True if the adapter's link packets may carry several packets, or parts of them.
  [[nodiscard]] bool packs() const noexcept { return packs_; }
  [[nodiscard]] const std::string& path() const noexcept { return library_->path(); }
  [[nodiscard]] std::uint32_t channels() const noexcept { return channels_; }
  // True if an output may need several inputs: for a decompressor of segments, or of a scheme that packs.
  [[nodiscard]] bool restores_from_several() const noexcept { return largest_restored_ != 0; }
  // Returns the octets of room that the ABI promises in an output buffer in addition to the input's length. If an
  // output may need several inputs, they include the largest output: the last input may be much shorter than the
  // output.
  [[nodiscard]] std::uint32_t expansion() const noexcept { return HEADROOM_EXPANSION + largest_restored_; }
  [[nodiscard]] Json statistics() const { return headroom::statistics(api(), self_); }

 private:
  std::shared_ptr<const Library> library_;
  Description description_;
  const Names* names_;
  bool packs_;
  headroom_role role_;
  std::uint32_t channels_;
  std::uint32_t largest_restored_;  // octets of the largest packet that a decompressor restores
  headroom_instance* self_;
};

// Returns the name of a status: "OK", "NOTHING", "ERR_CRC" …; empty for an unknown value.
[[nodiscard]] const char* name_of_status(std::int32_t status) noexcept;

// Returns {"name", "version", "library", "sha256"} of an adapter, for results.
[[nodiscard]] Json identity(const Instance& instance);

}  // namespace headroom

#endif  // HEADROOM_ADAPTER_INSTANCE_H
