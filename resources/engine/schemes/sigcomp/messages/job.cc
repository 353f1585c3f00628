// SPDX-License-Identifier: Apache-2.0
#include "schemes/sigcomp/messages/job.h"

#include <algorithm>
#include <set>

#include "cxx/nack_reasons.h"

namespace headroom::sigcomp::messages {
namespace {

constexpr std::uint32_t kLargestCompartment = HEADROOM_NO_SESSION - 1;

Side read_side(const Value& value) { return static_cast<Side>(value.choice({"a", "b"})); }

Octets read_octets(Object& object) {
  const auto text = object.optional("text");
  const auto hex = object.optional("hex");
  if (text.has_value() == hex.has_value()) object.fail("a message is given as \"text\" or as \"hex\".");
  if (hex) return hex->hex();
  const std::string octets = text->text();
  return {octets.begin(), octets.end()};
}

std::uint8_t read_reason(const Value& value) {
  if (value.json().is_number()) return static_cast<std::uint8_t>(value.integer(0, 255));
  const auto reason = reason_named(value.text());
  if (!reason) value.fail("a reason is a number, or a name of RFC 4077, 3.2, such as \"STATE_NOT_FOUND\".");
  return *reason;
}

Expectation read_expectation(const Value& value) {
  Object object(value);
  Expectation e;
  if (const auto v = object.optional("kind")) {
    (void)v->choice({"compressed", "silent", "plain", "nack", "ignored", "failed"});
    e.kind = v->text();
  }
  if (const auto v = object.optional("output")) {
    e.has_output = true;
    if (!v->is_null()) e.output = v->hex();
  }
  if (const auto v = object.optional("cycles")) e.cycles = v->integer(0, ~std::uint64_t{0});
  if (const auto v = object.optional("reason")) e.reason = read_reason(*v);
  if (const auto v = object.optional("opcode")) e.opcode = static_cast<std::uint8_t>(v->integer(0, 255));
  if (const auto v = object.optional("pc")) e.pc = static_cast<std::uint16_t>(v->integer(0, 65535));
  if (const auto v = object.optional("details")) e.details = v->hex();
  if (const auto v = object.optional("nack")) e.nack = v->boolean();
  object.finish();
  return e;
}

std::uint32_t read_compartment(const Value& value) {
  return static_cast<std::uint32_t>(value.integer(0, kLargestCompartment));
}

void read_settings(const std::optional<Value>& value, Json& settings) {
  settings = Json::object();
  if (!value) return;
  if (!value->json().is_object()) value->fail("the settings of a compartment are an object.");
  settings = value->json();
}

// The keys of a message, sent or literal.
void read_message(Object& object, const Job& job, Step& step) {
  step.octets = read_octets(object);
  if (step.octets.size() > kLongestMessage) object.fail("a message has at most 1,000,000 octets.");
  if (const auto v = object.optional("time_ns")) step.time_ns = v->integer(0, std::uint64_t{1} << 62);
  if (const auto v = object.optional("compartment"); v && !v->is_null()) step.compartment = read_compartment(*v);
  if (const auto v = object.optional("accept")) {
    step.acceptance = static_cast<Acceptance>(v->choice({"known", "after", "never"}));
    if (job.stream && step.acceptance != Acceptance::known) {
      v->fail("over a stream the compartment of a message is \"known\".");
    }
  }
}

Step read_step(const Value& value, const Job& job) {
  Object object(value);
  Step step;
  step.where = value.pointer();
  if (const auto from = object.optional("from")) {
    step.kind = Step::Kind::send;
    step.side = read_side(*from);
    read_message(object, job, step);
    if (step.octets.empty()) object.fail("a message has at least one octet.");
    if (step.compartment == HEADROOM_NO_SESSION) object.fail("a message is compressed for a \"compartment\".");
    for (const Side side : {Side::a, Side::b}) {
      if (!job.endpoints[static_cast<int>(side)]) from->fail("a message needs both endpoints, \"a\" and \"b\".");
    }
  } else if (const auto to = object.optional("to")) {
    step.kind = Step::Kind::literal;
    step.side = read_side(*to);
    read_message(object, job, step);
    step.source = static_cast<std::uint32_t>(object.integer("source", 0, 0xFFFFFFFF, 0));
    if (step.compartment == HEADROOM_NO_SESSION) {
      if (job.stream) object.fail("over a stream a message needs a \"compartment\".");
      step.acceptance = Acceptance::never;
    }
    if (const auto v = object.optional("expect")) {
      if (v->json().is_array()) {
        for (const Value& one : v->items()) step.expected.push_back(read_expectation(one));
      } else {
        step.expected.push_back(read_expectation(*v));
      }
      if (!job.stream && step.expected.size() != 1) v->fail("a datagram is one message.");
    }
  } else {
    const Value side = object.required("side");
    step.side = read_side(side);
    if (const auto control = object.optional("control")) {
      step.kind = Step::Kind::control;
      if (!control->json().is_object()) control->fail("a message for control is an object.");
      step.document = control->json();
    } else if (const auto open = object.optional("open")) {
      step.kind = Step::Kind::open;
      step.compartment = read_compartment(*open);
      read_settings(object.optional("settings"), step.document);
    } else if (const auto close = object.optional("close")) {
      step.kind = Step::Kind::close;
      step.compartment = read_compartment(*close);
    } else {
      object.fail("a step has \"from\", \"to\", or a \"side\" with \"control\", \"open\" or \"close\".");
    }
  }
  if (!job.endpoints[static_cast<int>(step.side)]) object.fail("there is no such endpoint in this job.");
  object.finish();
  return step;
}

Impairment read_impairments(const Value& value, const Job& job) {
  Object object(value);
  Impairment i = read_impairment(object);
  object.finish();
  const bool harms = i.loss > 0 || i.burst_loss || i.ber > 0 || i.reorder.probability > 0 || i.duplicate > 0 ||
                     i.jitter_ns > 0 || i.queue_octets > 0 || i.queue_packets > 0 || !i.drop.empty() ||
                     !i.flip.empty() || !i.insert.empty();
  if (job.stream && harms) {
    value.fail(
        "a stream neither loses, damages, doubles nor reorders octets: only \"delay_ns\" and \"rate_bps\" are for "
        "it.");
  }
  return i;
}

void read_link(const Value& value, Job& job) {
  Object object(value);
  if (const auto v = object.optional("a_to_b")) job.link[0] = read_impairments(*v, job);
  if (const auto v = object.optional("b_to_a")) job.link[1] = read_impairments(*v, job);
  job.piece_octets = object.integer("piece_octets", 0, 65536, 0);
  if (job.piece_octets != 0 && !job.stream) object.fail("pieces are of streams: \"transport\": \"tcp\".");
  if (const auto v = object.optional("nacks")) job.send_nacks = v->choice({"send", "drop"}) == 0;
  object.finish();
}

void read_endpoints(const Value& value, Job& job) {
  Object object(value);
  std::optional<bool> stream;
  for (const Side side : {Side::a, Side::b}) {
    const auto entry = object.optional(name_of(side));
    if (!entry) continue;
    AdapterJob adapter = read_adapter_job(*entry);
    const Json& config = adapter.config;
    const bool is_stream = config.is_object() && config.contains("transport") && config["transport"] == "tcp";
    if (stream && *stream != is_stream) entry->fail("both endpoints have the same \"transport\".");
    stream = is_stream;
    job.endpoints[static_cast<int>(side)] = std::move(adapter);
  }
  if (!stream) object.fail("name an endpoint \"a\", \"b\" or both.");
  job.stream = *stream;
  object.finish();
}

void read_compartments(const std::optional<Value>& value, Job& job) {
  std::set<std::uint32_t> numbers;
  if (value) {
    for (const Value& item : value->items()) {
      Object object(item);
      Compartment c;
      c.where = item.pointer();
      c.number = read_compartment(object.required("number"));
      for (const Side side : {Side::a, Side::b}) {
        read_settings(object.optional(name_of(side)), c.settings[static_cast<int>(side)]);
      }
      object.finish();
      if (!numbers.insert(c.number).second) item.fail("there is a compartment of this number already.");
      job.compartments.push_back(std::move(c));
    }
    return;
  }
  // Those that messages name, unless steps open them.
  for (const Step& step : job.steps) {
    if (step.kind == Step::Kind::open) numbers.insert(step.compartment);
  }
  for (const Step& step : job.steps) {
    const bool message = step.kind == Step::Kind::send || step.kind == Step::Kind::literal;
    if (!message || step.compartment == HEADROOM_NO_SESSION) continue;
    if (!numbers.insert(step.compartment).second) continue;
    Compartment c;
    c.number = step.compartment;
    c.settings[0] = c.settings[1] = Json::object();
    c.where = step.where;
    job.compartments.push_back(std::move(c));
  }
}

}  // namespace

Job read_job(const Json& document) {
  Object object(Value(document, ""));
  Job job;
  read_endpoints(object.required("endpoints"), job);
  job.seed = object.integer("seed", 0, ~std::uint64_t{0}, 0);
  const Value messages = object.required("messages");
  for (const Value& item : messages.items()) {
    if (job.steps.size() == kMostSteps) messages.fail("at most a million messages fit a job.");
    job.steps.push_back(read_step(item, job));
    if (job.steps.size() < 2 || !job.steps.back().time_ns) continue;
    const auto earlier =
        std::find_if(job.steps.rbegin() + 1, job.steps.rend(), [](const Step& s) { return s.time_ns; });
    if (earlier != job.steps.rend() && *earlier->time_ns > *job.steps.back().time_ns) {
      item.fail("messages stand in the order of their times.");
    }
  }
  read_compartments(object.optional("compartments"), job);
  if (const auto v = object.optional("link")) read_link(*v, job);
  if (const auto v = object.optional("outputs")) {
    Object outputs(*v);
    if (const auto link = outputs.optional("link")) job.capture = link->text();
    outputs.finish();
  }
  if (const auto v = object.optional("records")) {
    job.records = static_cast<Records>(v->choice({"none", "failures", "all"}));
  }
  job.record_octets = object.boolean("record_octets", true);
  if (const auto v = object.optional("details")) job.arrivals_only = v->choice({"all", "arrivals"}) == 1;
  job.repeats = static_cast<std::uint32_t>(object.integer("repeats", 0, kMostRepeats, 0));
  job.trials = object.boolean("trials", false);
  job.costs = object.boolean("costs", false);
  object.finish();
  return job;
}

}  // namespace headroom::sigcomp::messages
