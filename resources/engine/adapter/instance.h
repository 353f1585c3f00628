// SPDX-License-Identifier: Apache-2.0
//
// One compressor, decompressor, endpoint or first worker of a user plane of an adapter, made from a JSON configuration
// and destroyed at the end of its scope.
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

// An adapter as a job names it: {"library": path, "config": {...}}.
struct AdapterJob {
  std::string library;
  Json config;
  std::string where;  // of the object in the job

  // The keys of the configuration that the engine itself needs, or their defaults.
  std::string scheme;
  std::uint32_t channels = 1;
  std::uint32_t flows_of_channel = 1;
  bool channels_given = false;
};

[[nodiscard]] AdapterJob read_adapter_job(const Value& value);

// Reads the keys of a configuration that the engine has to know; those of the adapter alone stay unread.
void read_settings(Object& config, AdapterJob& job);

class Instance {
 public:
  // Opens the library and creates the instance. Throws Error(adapter) with the adapter's own sentence when it refuses.
  Instance(const AdapterJob& job, headroom_role role);
  ~Instance();
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  [[nodiscard]] const Library& library() const noexcept { return *library_; }
  [[nodiscard]] const headroom_api& api() const noexcept { return library_->api(); }
  // The extensions; nullptr for one that the adapter does not have.
  [[nodiscard]] const headroom_sessions* sessions() const noexcept { return library_->sessions(); }
  [[nodiscard]] const headroom_messages* messages() const noexcept { return library_->messages(); }
  [[nodiscard]] headroom_instance* self() const noexcept { return self_; }
  // The instance; from now on the caller has to destroy it.
  [[nodiscard]] headroom_instance* release() noexcept { return std::exchange(self_, nullptr); }
  [[nodiscard]] headroom_role role() const noexcept { return role_; }
  [[nodiscard]] const Description& description() const noexcept { return description_; }
  [[nodiscard]] const Names& names() const noexcept { return *names_; }
  // True if its link packets may carry several packets, or parts of them.
  [[nodiscard]] bool packs() const noexcept { return packs_; }
  [[nodiscard]] const std::string& path() const noexcept { return library_->path(); }
  [[nodiscard]] std::uint32_t channels() const noexcept { return channels_; }
  // True if one output may need several inputs: a decompressor of segments, or of a scheme that packs.
  [[nodiscard]] bool restores_from_several() const noexcept { return largest_restored_ != 0; }
  // Room that an output buffer has beyond the length of the input, as the ABI promises it: the last link packet may be
  // shorter than the packet that it completes.
  [[nodiscard]] std::uint32_t expansion() const noexcept { return HEADROOM_EXPANSION + largest_restored_; }
  [[nodiscard]] Json statistics() const { return headroom::statistics(api(), self_); }

 private:
  std::shared_ptr<const Library> library_;
  Description description_;
  const Names* names_;
  bool packs_;
  headroom_role role_;
  std::uint32_t channels_;
  std::uint32_t largest_restored_;  // by a decompressor
  headroom_instance* self_;
};

// The word for a status: "OK", "NOTHING", "ERR_CRC" …; empty for a value that the ABI does not know.
[[nodiscard]] const char* name_of_status(std::int32_t status) noexcept;

// {"name", "version", "library", "sha256"} of an adapter, for results.
[[nodiscard]] Json identity(const Instance& instance);

}  // namespace headroom

#endif  // HEADROOM_ADAPTER_INSTANCE_H
