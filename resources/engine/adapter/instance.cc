// SPDX-License-Identifier: Apache-2.0
#include "adapter/instance.h"

#include <cstring>
#include <map>
#include <mutex>
#include <string_view>

#include "adapter/promise_broken.h"
#include "base/sha256.h"
#include "schemes/scheme.h"

namespace headroom {
namespace {

constexpr std::size_t kErrorCapacity = 1024;

// What a library says about itself. It is asked and parsed once: a job may create thousands of instances, and nothing
// of it changes.
Description description_of(const Library& library) {
  static std::mutex mutex;
  static std::map<std::string, Description> descriptions;
  const std::scoped_lock lock(mutex);
  const auto known = descriptions.find(library.path());
  return known != descriptions.end() ? known->second
                                     : descriptions.emplace(library.path(), describe(library.api())).first->second;
}

}  // namespace

AdapterJob read_adapter_job(const Value& value) {
  Object object(value);
  AdapterJob job;
  job.where = value.pointer();
  job.library = object.required("library").text();
  const Value config = object.required("config");
  object.finish();
  Object settings(config);  // the rest of it is the adapter's to judge
  job.config = config.json();
  read_settings(settings, job);
  return job;
}

void read_settings(Object& config, AdapterJob& job) {
  job.scheme = config.required("scheme").text();
  job.channels_given = config.has("channels");
  job.channels = static_cast<std::uint32_t>(config.integer("channels", 1, 1u << 24, 1));
  job.flows_of_channel = scheme_or_default(job.scheme).flows_of_channel(config);
}

PromiseBroken::PromiseBroken(const Instance& instance, const char* function, const std::string& sentence)
    : PromiseBroken(instance.role(), function, sentence) {
  instance_ = &instance;
}

Instance::Instance(const AdapterJob& job, headroom_role role)
    : library_(Library::open(job.library, job.where + "/library")),
      description_(description_of(*library_)),
      names_(nullptr),
      packs_(false),
      role_(role),
      channels_(job.channels),
      largest_restored_(role == HEADROOM_DECOMPRESSOR ? scheme_or_default(job.scheme).largest_restored(job.config) : 0),
      self_(nullptr) {
  const std::string config_where = job.where + "/config";
  const SchemeDescription* scheme = description_.find(job.scheme);
  if (scheme == nullptr) {
    std::string known;
    for (const SchemeDescription& s : description_.schemes) known += (known.empty() ? "" : ", ") + s.scheme;
    throw Error(
        ErrorKind::adapter,
        "the adapter " + job.library + " does not do the scheme \"" + job.scheme + "\"; it does: " + known + ".",
        config_where + "/scheme");
  }
  if (!(role == HEADROOM_COMPRESSOR     ? scheme->compressor
        : role == HEADROOM_DECOMPRESSOR ? scheme->decompressor
        : role == HEADROOM_USER_PLANE   ? scheme->user_plane
                                        : scheme->endpoint)) {
    throw Error(ErrorKind::adapter,
                "the adapter " + job.library + " offers no " + name_of(role) + " for " + job.scheme + ".", job.where);
  }
  names_ = &scheme->names;
  packs_ = scheme->packs;
  std::string sentence(kErrorCapacity, '\0');
  const std::string config = job.config.dump();
  self_ =
      call_safely(role, "create", [&] { return api().create(role, config.c_str(), sentence.data(), sentence.size()); });
  if (self_ != nullptr) return;
  const std::string_view said(sentence.data(), strnlen(sentence.data(), sentence.size()));
  throw Error(ErrorKind::adapter,
              "the adapter " + job.library + " refuses the configuration of its " + name_of(role) + ": " +
                  (said.empty() ? "it gives no reason, against its promise." : std::string(said)),
              config_where);
}

Instance::~Instance() {
  if (self_ != nullptr) api().destroy(self_);
}

const char* name_of_status(std::int32_t status) noexcept {
  switch (status) {
    case HEADROOM_OK:
      return "OK";
    case HEADROOM_NOTHING:
      return "NOTHING";
    case HEADROOM_ERR_NO_SPACE:
      return "ERR_NO_SPACE";
    case HEADROOM_ERR_MALFORMED:
      return "ERR_MALFORMED";
    case HEADROOM_ERR_NO_CONTEXT:
      return "ERR_NO_CONTEXT";
    case HEADROOM_ERR_STATE:
      return "ERR_STATE";
    case HEADROOM_ERR_CRC:
      return "ERR_CRC";
    case HEADROOM_ERR_REPAIR:
      return "ERR_REPAIR";
    case HEADROOM_ERR_UNSUPPORTED:
      return "ERR_UNSUPPORTED";
    case HEADROOM_ERR_CHANNEL:
      return "ERR_CHANNEL";
    case HEADROOM_ERR_INTERNAL:
      return "ERR_INTERNAL";
    case HEADROOM_ERR_DECOMPRESSION:
      return "ERR_DECOMPRESSION";
    default:
      return "";
  }
}

namespace {

// Digest of a library. It is read once: a job may name a library several times, and it cannot change while it is open.
const std::string& digest_of(const std::string& path) {
  static std::mutex mutex;
  static std::map<std::string, std::string> digests;
  const std::scoped_lock lock(mutex);
  const auto known = digests.find(path);
  return known != digests.end() ? known->second : digests.emplace(path, sha256_of_file(path)).first->second;
}

}  // namespace

Json identity(const Instance& instance) {
  return {{"name", instance.description().name},
          {"version", instance.description().version},
          {"build", instance.description().document.value("build", "")},
          {"library", instance.path()},
          {"sha256", digest_of(instance.path())}};
}

}  // namespace headroom
