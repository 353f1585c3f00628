// SPDX-License-Identifier: Apache-2.0
#include "traffic/read_changes.h"

#include <cstddef>

#include "traffic/read_headers.h"

namespace headroom::traffic {
namespace {

// The fields that a change may set, by protocol, and the largest value of each.
struct Changeable {
  const char* key;
  Change::Field field;
  std::uint32_t largest;
};
constexpr Changeable kIpv4Changes[] = {{"tos", Change::Field::tos, 255}, {"ttl", Change::Field::ttl, 255}};
constexpr Changeable kIpv6Changes[] = {{"traffic_class", Change::Field::traffic_class, 255},
                                       {"hop_limit", Change::Field::hop_limit, 255},
                                       {"flow_label", Change::Field::flow_label, 0xFFFFF}};
constexpr Changeable kRtpChanges[] = {{"payload_type", Change::Field::payload_type, 127},
                                      {"csrc_count", Change::Field::csrc_count, 15},
                                      {"timestamp_step", Change::Field::timestamp_step, 0xFFFFFFFF},
                                      {"advance_sequence", Change::Field::advance_sequence, 65535},
                                      {"advance_timestamp", Change::Field::advance_timestamp, 0xFFFFFFFF},
                                      {"padding", Change::Field::padding, 255}};

constexpr Changeable kEspChanges[] = {{"advance_sequence", Change::Field::advance_sequence, 0xFFFFFFFF}};

constexpr Changeable kTcpChanges[] = {{"advance_sequence", Change::Field::advance_sequence, 0xFFFFFFFF},
                                      {"advance_acknowledgement", Change::Field::advance_acknowledgement, 0xFFFFFFFF},
                                      {"window", Change::Field::window, 65535},
                                      {"flags", Change::Field::flags, 255},
                                      {"urgent_pointer", Change::Field::urgent_pointer, 65535}};

template <std::size_t N>
void read_fields(Object& set, const Changeable (&fields)[N], Change change, std::vector<Change>& changes) {
  for (const Changeable& field : fields) {
    if (const auto v = set.optional(field.key)) {
      change.field = field.field;
      change.value = static_cast<std::uint32_t>(v->integer(0, field.largest));
      changes.push_back(change);
    }
  }
}

void read_flag(Object& set, const char* key, Change::Field field, Change change, std::vector<Change>& changes) {
  if (const auto v = set.optional(key)) {
    change.field = field;
    change.value = v->boolean() ? 1 : 0;
    changes.push_back(change);
  }
}

bool is_over_ipv6(const std::vector<Header>& headers, std::size_t index) {
  bool over_ipv6 = false;
  for (std::size_t i = 0; i < index; ++i) {
    if (is_ip(headers[i])) over_ipv6 = is<Ipv6>(headers[i]);
  }
  return over_ipv6;
}

}  // namespace

void read_change(const Value& value, const std::vector<Header>& headers, std::vector<Change>& changes) {
  Object object(value);
  Change change;
  change.packet = object.required("packet").integer(1, std::uint64_t{1} << 40);
  if (const auto v = object.optional("payload_length")) {
    change.field = Change::Field::payload_length;
    change.value = static_cast<std::uint32_t>(v->integer(0, kLargestPayload));
    changes.push_back(change);
    object.finish();
    return;
  }
  const Value header_value = object.required("header");
  change.header = static_cast<std::size_t>(header_value.integer(0, headers.size() - 1));
  Object set(object.required("set"));
  const Header& header = headers[change.header];
  if (is<Ipv4>(header)) {
    read_fields(set, kIpv4Changes, change, changes);
    read_flag(set, "dont_fragment", Change::Field::dont_fragment, change, changes);
    if (const auto v = set.optional("identification")) {
      if (std::get<Ipv4>(header).identification_per_host)
        v->fail(
            "an identification that counts a host's packets goes on doing so: leave out \"identification_counter\".");
      change.field = Change::Field::identification;
      change.value = static_cast<std::uint32_t>(read_behaviour(*v));
      changes.push_back(change);
    }
  } else if (is<Ipv6>(header)) {
    read_fields(set, kIpv6Changes, change, changes);
  } else if (is<Udp>(header)) {
    read_flag(set, "checksum", Change::Field::checksum, change, changes);
    if (is_over_ipv6(headers, change.header))
      header_value.fail("over IPv6 the UDP checksum is not optional (RFC 2460, 8.1).");
  } else if (is<UdpLite>(header)) {
    if (const auto v = set.optional("coverage")) {
      change.field = Change::Field::coverage;
      change.value = read_coverage(*v);
      changes.push_back(change);
    }
  } else if (is<Esp>(header)) {
    read_fields(set, kEspChanges, change, changes);
  } else if (is<Tcp>(header)) {
    read_fields(set, kTcpChanges, change, changes);
  } else if (is<Rtp>(header)) {
    read_fields(set, kRtpChanges, change, changes);
    read_flag(set, "marker_once", Change::Field::marker_once, change, changes);
  } else {
    header_value.fail("nothing of this header can change.");
  }
  set.finish();
  object.finish();
}

}  // namespace headroom::traffic
