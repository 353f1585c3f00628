// SPDX-License-Identifier: Apache-2.0
#include "replay/job.h"

#include <algorithm>

#include "schemes/scheme.h"

namespace headroom::replay {
namespace {

Impairment read_whole_impairment(const Value& value, const LinkFraming& framing) {
  Object object(value);
  Impairment impairment = read_impairment(object, &framing);
  object.finish();
  return impairment;
}

// True if `value` asks for anything besides a path.
bool has_impairment(const Value& value) { return value.json().size() > (value.json().contains("path") ? 1u : 0u); }

void read_feedback(const Value& value, Job& job) {
  Object object(value);
  if (const auto path = object.optional("path")) {
    job.path = static_cast<sim::FeedbackPath>(path->choice({"none", "own", "interspersed", "piggybacked"}));
    const bool shares = job.path == sim::FeedbackPath::interspersed || job.path == sim::FeedbackPath::piggybacked;
    if (shares && !job.reverse)
      path->fail("feedback among the packets of the reverse channel needs \"reverse\": true.");
    if (shares && has_impairment(value)) {
      object.fail(
          "feedback on this path travels in the packets of the reverse channel and shares their fate: give the "
          "impairments as \"reverse\".");
    }
  }
  job.feedback = read_impairment(object);
  object.finish();
}

void read_link(const Value& value, Job& job) {
  Object object(value);
  if (const auto v = object.optional("forward")) job.forward = read_whole_impairment(*v, *job.format.framing);
  if (const auto v = object.optional("reverse")) {
    if (!job.reverse) v->fail("there is no reverse channel to impair without \"reverse\": true.");
    job.backward = read_whole_impairment(*v, *job.format.framing);
  }
  if (const auto v = object.optional("feedback")) read_feedback(*v, job);
  if (const auto v = object.optional("encapsulation")) {
    job.format.encapsulation = static_cast<Encapsulation>(v->choice({"ethernet", "ppp"}));
    if (job.format.encapsulation == Encapsulation::ethernet && job.format.framing->ether_type == 0)
      v->fail("packets of this scheme have no Ethernet type.");
  }
  if (job.format.encapsulation == Encapsulation::ppp && job.format.framing->ppp.empty())
    object.fail("PPP has no protocol number for packets of this scheme.");
  object.finish();
}

ControlStep read_control(const Value& value, const Job& job) {
  Object object(value);
  ControlStep step;
  step.where = value.pointer();
  step.before = object.required("before").integer(0, std::uint64_t{1} << 40);
  const Value side = object.required("side");
  const std::size_t choice = side.choice({"compressor", "decompressor", "reverse-compressor", "reverse-decompressor"});
  step.reverse = choice >= 2;
  step.role = choice % 2 == 0 ? HEADROOM_COMPRESSOR : HEADROOM_DECOMPRESSOR;
  if (step.reverse && !job.reverse) side.fail("there is no reverse channel without \"reverse\": true.");
  if (!(step.role == HEADROOM_COMPRESSOR ? job.compressor : job.decompressor)) side.fail("this job has none.");
  if (const auto feedback = object.optional("feedback")) {
    if (step.role != HEADROOM_COMPRESSOR) feedback->fail("feedback is for a compressor.");
    step.feedback.octets = feedback->hex();
    if (step.feedback.octets.empty()) feedback->fail("feedback has at least one octet.");
    step.feedback.channel = static_cast<std::uint32_t>(object.integer("channel", 0, 0xFFFFFFFF, 0));
  } else {
    const Value message = object.required("message");
    if (!message.json().is_object()) message.fail("a message is an object.");
    step.message = message.json().dump();
  }
  object.finish();
  return step;
}

Outputs read_outputs(const Value& value, const Job& job) {
  Object object(value);
  Outputs outputs;
  if (const auto v = object.optional("source")) outputs.source = v->text();
  if (const auto v = object.optional("link")) outputs.link = v->text();
  if (const auto v = object.optional("decompressed")) {
    if (!job.decompressor) v->fail("nothing is decompressed in this job.");
    outputs.decompressed = v->text();
  }
  object.finish();
  return outputs;
}

LinkFormat format_of(const AdapterJob& adapter) {
  LinkFormat format;
  format.framing = &framing_of(adapter.scheme, adapter.config);
  if (format.framing->ether_type == 0)
    format.encapsulation = format.framing->link_type ? Encapsulation::none : Encapsulation::ppp;
  if (const Scheme* const scheme = find_scheme(adapter.scheme); scheme != nullptr && scheme->ppp_variant != nullptr)
    format.ppp_variant = scheme->ppp_variant(adapter.config);
  return format;
}

void read_carrier_of(const Value& value, Job& job) {
  if (job.inner.framing->typed)
    value.fail("link packets of the inner scheme have types of their own, which a carrier cannot tell.");
  job.carrier = read_carrier(value, job.inner.framing->ether_type);
  const CarrierJob& carrier = *job.carrier;
  if (job.decompressor.has_value() != carrier.decompressor.has_value()) {
    value.fail(job.decompressor ? "what the carrier takes in, a \"decompressor\" has to put out."
                                : "without an inner decompressor the run ends at the link: leave out the carrier's.");
  }
  if (job.reverse) value.fail("a carrier carries one direction: leave out \"reverse\".");
  const AdapterJob& inner = job.compressor ? *job.compressor : *job.decompressor;
  if (carrier.compressor.channels < inner.channels) {
    value.fail("each channel needs one of the carrier's: there are " + std::to_string(inner.channels) +
               ", and the carrier has " + std::to_string(carrier.compressor.channels) + ".");
  }
  job.format = format_of(carrier.compressor);
}

void read_sources(Object& object, Job& job) {
  SourceLayout layout;
  layout.seed = job.seed;
  const AdapterJob& first = job.compressor ? *job.compressor : *job.decompressor;
  layout.channels = first.channels;
  layout.flows_of_channel = first.flows_of_channel;
  job.inner = job.format = format_of(first);
  if (!job.compressor) layout.link = job.inner.framing;
  layout.ppp_variant = job.inner.ppp_variant;
  const Value source = object.required("source");
  layout.counts = &job.captured;
  job.source = read_source(source, layout);
  layout.counts = nullptr;
  if (job.reverse) {
    layout.reverse = true;
    job.reverse_source = read_source(source, layout);
  }
  if (const auto expected = object.optional("expected")) {
    if (job.compressor) expected->fail("with a compressor the source itself is what is expected.");
    layout.allow_absent = true;
    layout.link = nullptr;
    job.expected = read_source(*expected, layout);
    job.has_expected = true;
    if (job.expected.size() > job.source.size()) {
      expected->fail("there are " + std::to_string(job.expected.size()) + " expected packets for " +
                     std::to_string(job.source.size()) + " link packets.");
    }
  }
}

}  // namespace

Job read_job(const Json& document) {
  Object object(Value(document, ""));
  Job job;
  if (const auto v = object.optional("compressor")) job.compressor = read_adapter_job(*v);
  if (const auto v = object.optional("decompressor")) job.decompressor = read_adapter_job(*v);
  if (!job.compressor && !job.decompressor) object.fail("name a \"compressor\", a \"decompressor\" or both.");
  job.seed = object.integer("seed", 0, ~std::uint64_t{0}, 0);
  job.burst = static_cast<std::uint32_t>(object.integer("burst", 1, kLargestBurst, 1));
  job.reverse = object.boolean("reverse", false);
  if (job.reverse && !(job.compressor && job.decompressor)) {
    object.fail("a reverse channel needs both a \"compressor\" and a \"decompressor\".");
  }
  read_sources(object, job);
  if (const auto v = object.optional("carrier")) read_carrier_of(*v, job);
  if (const auto v = object.optional("link")) read_link(*v, job);
  if (const auto v = object.optional("control")) {
    for (const Value& step : v->items()) job.control.push_back(read_control(step, job));
    std::stable_sort(job.control.begin(), job.control.end(),
                     [](const auto& a, const auto& b) { return a.before < b.before; });
  }
  if (const auto v = object.optional("outputs")) job.outputs = read_outputs(*v, job);
  if (const auto v = object.optional("records"))
    job.records = static_cast<Records>(v->choice({"none", "failures", "all"}));
  job.record_octets = object.boolean("record_octets", true);
  job.timing = object.boolean("timing", false);
  object.finish();
  return job;
}

}  // namespace headroom::replay
