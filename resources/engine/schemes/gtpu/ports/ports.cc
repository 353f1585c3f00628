// SPDX-License-Identifier: Apache-2.0
#include "schemes/ports.h"

#include <arpa/inet.h>

#include <algorithm>
#include <mutex>

#include "schemes/gtpu/ports/inner_address.h"
#include "schemes/gtpu/ports/n4_datagram.h"
#include "schemes/gtpu/ports/queue_filter.h"
#include "schemes/gtpu/ports/queue_rules.h"
#include "schemes/gtpu/ports/user_plane_channel.h"

namespace headroom::gtpu {
namespace ports {
namespace {

Address read_address(const Value& value) {
  const std::string text = value.text();
  std::uint8_t octets[16];
  if (inet_pton(AF_INET, text.c_str(), octets) == 1) return address_of(octets, false);
  if (inet_pton(AF_INET6, text.c_str(), octets) == 1) return address_of(octets, true);
  value.fail("is no IP address; write one such as 192.0.2.1 or 2001:db8::1.");
}

// {"ipv4", "ipv6"}, each optional; keys of others stay for the adapter.
std::vector<Address> read_addresses(const Json& config, const char* key, const std::string& where) {
  std::vector<Address> found;
  if (!config.contains(key)) return found;
  const Value value(config[key], where + "/" + key);
  Object object(value);
  for (const char* family : {"ipv4", "ipv6"}) {
    if (const auto address = object.optional(family)) found.push_back(read_address(*address));
  }
  return found;
}

class UserPlaneKind final : public node::ChannelKind {
 public:
  explicit UserPlaneKind(UserPlaneJob job) : job_(std::move(job)) {}

  // Workers are made by the first channel, all at once: later, one could forward meanwhile.
  [[nodiscard]] std::unique_ptr<node::Forwarder> make(const node::Job& job, const node::Place& place) const override {
    const std::lock_guard lock(mutex_);
    if (!shared_) shared_ = std::make_shared<SharedUserPlane>(*job.endpoint, job.workers.size());
    return std::make_unique<UserPlaneChannel>(job, job_, shared_, place);
  }

  // All packets of a user have one worker; N4 has the first.
  [[nodiscard]] std::optional<std::uint64_t> owner_of(OctetView packet, bool from_plain) const noexcept override {
    if (job_.n4 && is_n4(packet, *job_.n4)) return 0;
    return user_hash(packet, from_plain);
  }

  [[nodiscard]] std::vector<sock_filter> queue_filter(bool is_plain) const override {
    return ports::queue_filter(is_plain);
  }

  [[nodiscard]] std::vector<io::QueueRule> queue_rules(bool is_plain) const override {
    return ports::queue_rules(is_plain);
  }

 private:
  UserPlaneJob job_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<SharedUserPlane> shared_;
};

}  // namespace

std::shared_ptr<const node::ChannelKind> read_user_plane_channel(Object& job, const AdapterJob& endpoint) {
  UserPlaneJob found;
  const std::string where = endpoint.where + "/config";
  found.n3.own = read_addresses(endpoint.config, "n3", where);
  for (const Address& address : read_addresses(endpoint.config, "n9", where)) {
    if (std::ranges::find(found.n3.own, address) != found.n3.own.end()) continue;
    found.n9.push_back(address);
  }
  found.n3.own.insert(found.n3.own.end(), found.n9.begin(), found.n9.end());
  if (endpoint.config.contains("n4")) {
    Object n4(Value(endpoint.config["n4"], where + "/n4"));
    if (const auto address = n4.optional("address")) {
      found.n4 = read_address(*address);
      found.n3.own.push_back(*found.n4);
      found.n6.own.push_back(*found.n4);
    }
  }
  Object sides(job.required("user_plane"));
  for (auto [name, side] : {std::pair("n3", &found.n3), std::pair("n6", &found.n6)}) {
    const auto value = sides.optional(name);
    if (!value) continue;
    Object object(*value);
    for (const char* family : {"ipv4", "ipv6"}) {
      if (const auto address = object.optional(family)) side->own.push_back(read_address(*address));
    }
    if (const auto next = object.optional("next_hop")) side->next_hop = read_address(*next);
    object.finish();
  }
  sides.finish();
  return std::make_shared<UserPlaneKind>(std::move(found));
}

}  // namespace ports

const SchemePorts& scheme_ports() noexcept {
  static constexpr SchemePorts kPorts = {.scheme = "gtpu", .read_channel = ports::read_user_plane_channel};
  return kPorts;
}

}  // namespace headroom::gtpu
