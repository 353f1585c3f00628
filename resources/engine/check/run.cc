// SPDX-License-Identifier: Apache-2.0
#include "check/run.h"

#include "adapter/description.h"
#include "capture/frame.h"
#include "check/checks.h"
#include "check/endpoint.h"
#include "check/user_plane.h"
#include "schemes/scheme.h"
#include "traffic/render.h"

namespace headroom::check {
namespace {

// Packets for adapters that are tried without any of one's own: calls over IPv4 and IPv6, plain UDP, plain IP, and one
// that is not IP.
constexpr const char* kBuiltInProfile = R"({
  "name": "check", "title": "What check tries adapters with",
  "variants": [
    {"headers": [{"protocol": "ipv4", "source": "10.0.0.0/8", "destination": "172.16.0.0/12"},
                 {"protocol": "udp", "checksum": false, "source_ports": [16384, 32766],
                  "destination_ports": [16384, 32766]},
                 {"protocol": "rtp", "payload_type": 96}],
     "payload": {"length": 31}, "timing": {"interval_ms": 20}},
    {"headers": [{"protocol": "ipv6", "source": "2001:db8::/32", "destination": "fd00::/16"},
                 {"protocol": "udp", "source_ports": [16384, 32766], "destination_ports": [16384, 32766]},
                 {"protocol": "rtp", "payload_type": 96}],
     "payload": {"length": 31}, "timing": {"interval_ms": 20}},
    {"headers": [{"protocol": "ipv4", "source": "10.0.0.0/8", "destination": "172.16.0.0/12",
                  "identification": "random"},
                 {"protocol": "udp", "source_ports": [32768, 60999], "destination_ports": [9, 9]}],
     "payload": {"length": [1, 90]}, "timing": {"interval_ms": 20}},
    {"headers": [{"protocol": "ipv6", "source": "2001:db8::/32", "destination": "fd00::/16"}],
     "payload": {"length": 40}, "timing": {"interval_ms": 20}},
    {"headers": [{"protocol": "raw", "octets": "c021010a"}],
     "payload": {"length": 20}, "timing": {"interval_ms": 20}}]})";
// Of schemes that compress TCP: data in one direction, and what goes back.
constexpr const char* kTcpVariants = R"([
    {"headers": [{"protocol": "ipv4", "source": "10.0.0.0/8", "destination": "172.16.0.0/12"},
                 {"protocol": "tcp", "source_ports": [1024, 4999], "destination_ports": [21, 21]}],
     "payload": {"length": [1, 90]}, "timing": {"interval_ms": 20}},
    {"headers": [{"protocol": "ipv4", "source": "10.0.0.0/8", "destination": "172.16.0.0/12"},
                 {"protocol": "tcp", "source_ports": [1024, 4999], "destination_ports": [21, 21],
                  "acknowledgement_step": 512}],
     "payload": {"length": 0}, "timing": {"interval_ms": 20}}])";
constexpr std::size_t kBuiltInPackets = 200;
constexpr std::size_t kMostPackets = 500;

Json json_of(const Check& check, const Outcome& outcome) {
  return {{"name", check.name},
          {"promise", check.promise},
          {"verdict", name_of(outcome.verdict)},
          {"reason", outcome.reason.empty() ? Json(nullptr) : Json(outcome.reason)}};
}

Outcome run_one(const Check& check, const Subject& subject, const Limits& limits) {
  return run_in_children({[&] { return check.run(subject); }}, limits)[0];
}

// The checks of the table, in order. Returns the adapter's description when all of them pass; otherwise nothing, and
// everything else is entered as not tried.
std::optional<Description> run_table_checks(const Subject& subject, const Limits& limits, Json& entries) {
  std::string failed;
  std::string description;
  for (const Check& check : table_checks()) {
    Outcome outcome = {Verdict::unsupported, "not tried, because the check \"" + failed + "\" failed."};
    if (failed.empty()) outcome = run_one(check, subject, limits);
    if (outcome.verdict == Verdict::fail) failed = check.name;
    if (check.run == check_describe && outcome.verdict == Verdict::pass)
      description = std::exchange(outcome.reason, {});
    entries.push_back(json_of(check, outcome));
  }
  if (failed.empty()) return parse_description(description);
  for (const Check& check : other_checks()) {
    entries.push_back(
        json_of(check, {Verdict::unsupported, "not tried, because the check \"" + failed + "\" failed."}));
  }
  return std::nullopt;
}

// Fills in what depends on the adapter: its roles, and the packets that fit them.
void settle(Subject& subject, const Description& description, const std::optional<Value>& source, const Value& config) {
  if (subject.adapter.scheme.empty()) subject.adapter.scheme = description.schemes.front().scheme;
  const SchemeDescription* scheme = description.find(subject.adapter.scheme);
  if (scheme == nullptr) config.fail("the adapter does not do the scheme \"" + subject.adapter.scheme + "\".");
  if (subject.adapter.config.is_null()) subject.adapter.config = {{"scheme", subject.adapter.scheme}};
  subject.compressor = scheme->compressor;
  subject.decompressor = scheme->decompressor;
  subject.endpoint = scheme->endpoint;
  subject.user_plane = scheme->user_plane;
  for (const Json& entry : description.document["schemes"]) {
    if (entry["scheme"] == scheme->scheme) subject.scheme = entry;
  }
  if (subject.endpoint) {  // whose messages are built in
    if (source) source->fail("the checks of endpoints have messages of their own.");
    return;
  }
  if (subject.user_plane) {
    if (source) source->fail("the checks of user planes have packets of their own.");
    const auto trial = known_scheme(subject).trials.user_plane;
    if (trial == nullptr) config.fail("nothing is known of user planes of the scheme \"" + scheme->scheme + "\".");
    subject.user_plane_trial = trial(subject.adapter.config, subject.scheme);
    subject.adapter.config = subject.user_plane_trial.config;
    return;
  }
  SourceLayout layout;
  if (!subject.compressor) {
    const Scheme* const known = find_scheme(scheme->scheme);
    layout.link = known != nullptr && known->framing != nullptr ? known->framing : &kUnknownFraming;
  }
  if (source) {
    subject.packets = read_source(*source, layout);
  } else {
    const Scheme* const known = find_scheme(scheme->scheme);
    Json built_in = parse_json(kBuiltInProfile);
    if (known != nullptr && known->trials.compresses_tcp) {
      for (const Json& variant : parse_json(kTcpVariants)) built_in["variants"].push_back(variant);
    }
    traffic::RenderLimits limits;
    limits.flows = built_in["variants"].size();
    limits.packets = kBuiltInPackets;
    subject.packets = traffic::render(traffic::read_profile(Value(built_in, "")), limits, 1);
    if (known != nullptr && known->trials.only_ip) {
      std::erase_if(subject.packets, [](const SourcePacket& packet) { return !trim_ip(packet.octets); });
    }
  }
  if (subject.packets.size() > kMostPackets) subject.packets.resize(kMostPackets);
  if (subject.packets.empty()) throw Error(ErrorKind::job, "the source has no packets.", "/source");
}

void run_other_checks(const Subject& subject, const Limits& limits, Json& entries) {
  const std::vector<Check>& checks = subject.endpoint     ? endpoint_checks()
                                     : subject.user_plane ? user_plane_checks()
                                                          : other_checks();
  std::vector<Task> tasks;
  for (const Check& check : checks) tasks.push_back([&check, &subject] { return check.run(subject); });
  const std::vector<Outcome> outcomes = run_in_children(tasks, limits);
  for (std::size_t i = 0; i < outcomes.size(); ++i) entries.push_back(json_of(checks[i], outcomes[i]));
}

}  // namespace

const std::vector<Check>& table_checks() {
  static const std::vector<Check> checks = {
      {"loads", "the library loads and exports headroom_implementation", check_loads},
      {"version", "the table has the engine's version of the ABI", check_version},
      {"struct_size", "struct_size is the size of the table", check_struct_size},
      {"functions", "no function is missing", check_functions},
      {"describe", "describe keeps its calling convention and returns the document that it should", check_describe},
  };
  return checks;
}

const std::vector<Check>& other_checks() {
  static const std::vector<Check> checks = {
      {"create", "create makes an instance for each role, and ignores keys that it does not know", check_create},
      {"bad_configuration", "create refuses a bad configuration with a sentence", check_bad_configuration},
      {"statistics", "statistics returns the document that it should", check_statistics},
      {"control", "control refuses what it does not understand with a sentence", check_control},
      {"round_trip", "what is compressed comes back octet by octet", check_round_trip},
      {"outcome", "the outcome of each call is one that the ABI allows", check_outcome_fields},
      {"channel", "a channel that was not configured is refused", check_channel},
      {"piggyback", "feedback that is piggybacked comes out at the far end as it went in", check_piggyback},
      {"segments", "what is too long for the link goes as segments and comes back octet by octet", check_segments},
      {"drain", "a packet with several outputs ends a call, and drain puts out the others in order", check_drain},
      {"deadline", "what is due has left when drain has returned 0", check_deadline},
      {"lost_frames", "the report of a lost frame does no harm", check_lost_frames},
      {"output_bounds", "nothing is written outside the output buffer", check_output_bounds},
      {"no_space", "a packet for which there is no room costs no other one", check_no_space},
      {"status", "the status of a packet that is lost is that of its reason", check_status},
      {"input_bounds", "nothing is read outside the input", check_input_bounds},
      {"input_untouched", "the input is not written", check_input_untouched},
      {"buffer_lifetime", "no buffer is touched once the call that it was given to has returned",
       check_buffer_lifetime},
      {"instances_independent", "instances share nothing", check_instances_independent},
      {"deterministic", "the same calls give the same octets, in any process at any time", check_deterministic},
      {"no_clock", "no clock is read and no random number drawn", check_no_clock},
      {"no_system_calls", "no system call is made once a flow's first packets have passed", check_no_system_calls},
      {"no_allocation", "nothing is allocated and no lock taken once a flow's first packets have passed",
       check_no_allocation},
      {"bursts", "a burst of n is n bursts of one", check_bursts},
      {"quiet", "nothing is printed", check_quiet},
      {"threads", "no thread is started", check_threads},
      {"files", "no file is left open", check_files},
      {"memory_flat", "memory does not grow with packets", check_memory_flat},
      {"destroy_frees", "destroy gives everything back", check_destroy_frees},
      {"hostile_packets", "random, damaged and truncated packets do no harm", check_hostile_packets},
      {"hostile_feedback", "random feedback does no harm", check_hostile_feedback},
  };
  return checks;
}

Json run(const Json& document) {
  Object object(Value(document, ""));
  Subject subject;
  subject.adapter.library = object.required("library").text();
  const std::optional<Value> config = object.optional("config");
  if (config) {
    Object settings(*config);
    read_settings(settings, subject.adapter);
    subject.adapter.config = config->json();
    subject.adapter.config.erase("largest_packet");  // one output for one input, but in the checks of that
  }
  const std::optional<Value> source = object.optional("source");
  Limits limits;
  if (const auto v = object.optional("timeout_s")) limits.seconds = v->number(0.1, 3600);
  object.finish();

  Json entries = Json::array();
  if (const std::optional<Description> description = run_table_checks(subject, limits, entries)) {
    settle(subject, *description, source, config ? *config : Value(document, ""));
    run_other_checks(subject, limits, entries);
  }
  bool failed = false;
  for (const Json& entry : entries) failed = failed || entry["verdict"] == name_of(Verdict::fail);
  return {{"library", subject.adapter.library},
          {"checks", std::move(entries)},
          {"verdict", name_of(failed ? Verdict::fail : Verdict::pass)}};
}

}  // namespace headroom::check
