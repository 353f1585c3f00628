// SPDX-License-Identifier: Apache-2.0
//
// Making instances, refusing to, and asking them about themselves.
#include <algorithm>
#include <cstring>

#include "check/checks.h"

namespace headroom::check {
namespace {

constexpr char kPoison = '\x5A';

// Configurations that every adapter must refuse, built from one that it accepts.
std::vector<Refused> bad_configurations(const Subject& subject) {
  std::vector<Refused> bad;
  const std::int32_t good_role = subject.compressor ? HEADROOM_COMPRESSOR : HEADROOM_DECOMPRESSOR;
  const Json& good = subject.adapter.config;
  const auto add = [&](const std::string& what, const char* key, const Json& value) {
    Json config = good;
    config[key] = value;
    bad.push_back({good_role, config.dump(), what});
  };
  bad.push_back({good_role, "", "an empty configuration"});
  bad.push_back({good_role, "{\"scheme\": ", "a configuration that is not JSON"});
  bad.push_back({good_role, "[]", "a configuration that is no object"});
  bad.push_back({good_role, "{}", "a configuration without a scheme"});
  add("a scheme that describe does not list", "scheme", "no-such-scheme");
  add("a scheme that is a number", "scheme", 7);
  add("no channels", "channels", 0);
  add("a negative number of channels", "channels", -1);
  add("channels that are a text", "channels", "one");
  add("an option that it cannot know", "options", {{"no_such_option", true}});
  add("options that are a list", "options", Json::array());
  add_known(bad, subject, good_role);
  bad.push_back({0, good.dump(), "the role 0"});
  bad.push_back({3, good.dump(), "the role 3"});
  return bad;
}

}  // namespace

void check_refusal(const headroom_api& api, const Refused& refused) {
  note(refused.what + " was given to create");
  std::string sentence(256, kPoison);
  headroom_instance* instance = api.create(refused.role, refused.config.c_str(), sentence.data(), sentence.size());
  if (instance != nullptr) throw Broken("create accepts " + refused.what + ".");
  const std::size_t length = strnlen(sentence.data(), sentence.size());
  if (length == sentence.size())
    throw Broken("create refuses " + refused.what + " without a sentence that ends with a NUL.");
  if (length == 0) throw Broken("create refuses " + refused.what + " without a sentence.");
  // The same with little room: the sentence is cut, and ends with a NUL all the same.
  std::string little(16, kPoison);
  if (api.create(refused.role, refused.config.c_str(), little.data(), 8) != nullptr)
    throw Broken("create accepts " + refused.what + ".");
  if (strnlen(little.data(), 8) == 8)
    throw Broken("create does not end its sentence with a NUL when it has room for 8 octets.");
  if (std::any_of(little.begin() + 8, little.end(), [](char c) { return c != kPoison; })) {
    throw Broken("create writes its sentence beyond the room that it has.");
  }
}

void add_known(std::vector<Refused>& bad, const Subject& subject, std::int32_t role) {
  const auto known = known_scheme(subject).trials.bad_configurations;
  if (known == nullptr) return;
  for (const BadConfiguration& one : known(subject.adapter.config)) bad.push_back({role, one.config.dump(), one.what});
}

Outcome check_create(const Subject& subject) {
  for_each_role(subject, [&](headroom_role role) {
    note(std::string("a ") + name_of(role) + " was made and destroyed");
    for (int i = 0; i < 3; ++i) Instance instance(subject.adapter, role);
    AdapterJob newer = subject.adapter;
    newer.config["a_key_that_a_later_version_may_have"] = 1;
    note(std::string("a ") + name_of(role) + " was made with an unknown key outside options, which is to be ignored");
    Instance instance(newer, role);
  });
  return {};
}

Outcome check_bad_configuration(const Subject& subject) {
  const std::shared_ptr<const Library> library = Library::open(subject.adapter.library, "/library");
  for (const Refused& refused : bad_configurations(subject)) check_refusal(library->api(), refused);
  return {};
}

// Octets of any instance: less than any machine has. 0 stands for what a library does not tell.
constexpr std::uint64_t kMostTold = std::uint64_t{1} << 44;

Outcome check_statistics(const Subject& subject) {
  for_each_role(subject, [&](headroom_role role) {
    const Instance instance(subject.adapter, role);
    note(std::string("the statistics of a fresh ") + name_of(role) + " were read");
    const std::uint64_t memory = instance.statistics()["memory_bytes"].get<std::uint64_t>();
    if (memory > kMostTold) {
      throw Broken("statistics tells a memory_bytes of " + std::to_string(memory) +
                   " for a fresh instance, which is more than any machine has.");
    }
    const Caller<Judged> caller = caller_of(instance);
    const std::size_t length = caller.statistics(nullptr, 0);
    std::string buffer(length + 64, kPoison);
    (void)caller.statistics(buffer.data(), length);
    if (std::any_of(buffer.begin(), buffer.end(), [](char c) { return c != kPoison; })) {
      throw Broken("statistics writes into a buffer that is too small for its text.");
    }
    note(std::string("the statistics of a ") + name_of(role) + " that has had packets were read");
    for (const TypedPacket& packet : link_packets(subject, 50)) {
      if (role == HEADROOM_DECOMPRESSOR) (void)call_one(instance, input_of(packet), time_of(0));
    }
    (void)instance.statistics();
  });
  return {};
}

Outcome check_control(const Subject& subject) {
  bool any = false;
  for_each_role(subject, [&](headroom_role role) {
    const Instance instance(subject.adapter, role);
    const Caller<Judged> caller = caller_of(instance);
    if (!caller.has_control()) return;
    any = true;
    for (const char* message : {"{\"no_such_message\": 1}", "not JSON", "[]", ""}) {
      note(std::string("control was given ") + message);
      std::string sentence(256, kPoison);
      const std::int32_t result = caller.control(message, sentence.data(), sentence.size());
      if (result != 0) throw Broken(std::string("control claims to understand ") + message + ".");
      const std::size_t length = strnlen(sentence.data(), sentence.size());
      if (length == 0 || length == sentence.size()) throw Broken("control refuses a message without a sentence.");
    }
  });
  if (!any) throw NotJudged("the adapter has no control function.");
  return {};
}

}  // namespace headroom::check
