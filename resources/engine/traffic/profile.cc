// SPDX-License-Identifier: Apache-2.0
#include "traffic/profile.h"

#include <algorithm>
#include <cmath>

#include "traffic/read_changes.h"
#include "traffic/read_connections.h"
#include "traffic/read_headers.h"

namespace headroom::traffic {
namespace {

// Shares that say what they sum to must do so: one that is forgotten, or changed alone, is found.
void check_total(Object& object, std::uint32_t sum, const char* of) {
  const auto total = object.optional("total_share");
  if (total && total->integer(1, 0xFFFFFFFF) != sum)
    total->fail("the shares of " + std::string(of) + " sum to " + std::to_string(sum) + ".");
}

void read_mix(const Value& value, Payload& payload) {
  Object object(value);
  const Value mix = object.required("mix");
  payload.shortest = kLargestPayload;
  for (const Value& item : mix.items()) {
    const std::vector<Value> pair = item.items();
    if (pair.size() != 2) item.fail("a share and a length in octets are expected here.");
    const LengthShare entry{static_cast<std::uint32_t>(pair[0].integer(1, 1000)),
                            static_cast<std::uint32_t>(pair[1].integer(0, kLargestPayload))};
    payload.mix.push_back(entry);
    payload.total_share += entry.share;
    payload.shortest = std::min(payload.shortest, entry.length);
    payload.longest = std::max(payload.longest, entry.length);
  }
  if (payload.mix.empty() || payload.mix.size() > kMostMixedLengths)
    mix.fail("a mix has 1 to " + std::to_string(kMostMixedLengths) + " lengths.");
  check_total(object, payload.total_share, "the lengths");
  object.finish();
}

Payload read_payload(const Value& value) {
  Object object(value);
  Payload payload;
  const Value length = object.required("length");
  if (length.json().is_object()) {
    read_mix(length, payload);
  } else if (length.json().is_array()) {
    const std::vector<Value> ends = length.items();
    if (ends.size() != 2) length.fail("a range of lengths is a list of two: the shortest and the longest.");
    payload.shortest = static_cast<std::uint32_t>(ends[0].integer(0, kLargestPayload));
    payload.longest = static_cast<std::uint32_t>(ends[1].integer(payload.shortest, kLargestPayload));
  } else {
    payload.shortest = payload.longest = static_cast<std::uint32_t>(length.integer(0, kLargestPayload));
  }
  if (const auto v = object.optional("content")) payload.random = v->choice({"pattern", "random"}) == 1;
  object.finish();
  return payload;
}

// Milliseconds, of which fractions down to a microsecond are allowed.
std::uint64_t read_ms(const Value& value, double smallest, double largest) {
  const double us = value.number(smallest, largest) * 1000;
  if (std::abs(us - std::round(us)) > 1e-6) value.fail("times are whole microseconds.");
  return static_cast<std::uint64_t>(std::llround(us));
}

Timing read_timing(const Value& value) {
  Object object(value);
  Timing timing;
  timing.interval_us = read_ms(object.required("interval_ms"), 0.001, 3'600'000);
  if (const auto v = object.optional("start_within_ms")) timing.start_within_us = read_ms(*v, 0.001, 3'600'000);
  if (const auto v = object.optional("jitter_ms")) timing.jitter_us = read_ms(*v, 0, 60'000);
  if (const auto v = object.optional("distribution")) timing.exponential = v->choice({"constant", "exponential"}) == 1;
  object.finish();
  return timing;
}

Speech read_speech(const Value& value, const Timing& timing) {
  Object object(value);
  Speech speech;
  speech.spurt_mean_us = static_cast<std::uint32_t>(read_ms(object.required("spurt_mean_ms"), 1, 600'000));
  speech.pause_mean_us = static_cast<std::uint32_t>(read_ms(object.required("pause_mean_ms"), 1, 600'000));
  if (const auto v = object.optional("silence_frames")) {
    Object silence(*v);
    const Value interval = silence.required("interval_ms");
    const std::uint64_t us = read_ms(interval, 0.001, 600'000);
    if (us % timing.interval_us != 0)
      interval.fail("the interval of silence frames must be a multiple of the interval of packets.");
    speech.silence = SilenceFrames{static_cast<std::uint32_t>(us / timing.interval_us),
                                   integer(silence, "length", 0, kLargestPayload, 0u)};
    silence.finish();
  }
  object.finish();
  if (timing.exponential) value.fail("talk spurts need packets at a constant interval.");
  return speech;
}

BeforeCompressor read_before(const Value& value) {
  Object object(value);
  BeforeCompressor before;
  before.loss = object.probability("loss", 0);
  before.duplicate = object.probability("duplicate", 0);
  if (const auto v = object.optional("reorder")) before.reorder = read_reorder(*v);
  object.finish();
  return before;
}

Variant read_variant(const Value& value, const std::vector<Rule>& rules) {
  Object object(value);
  Variant variant;
  variant.where = value.pointer();
  variant.share = integer(object, "share", 1, 1000, 1u);
  if (const auto v = object.optional("population"))
    variant.population = static_cast<std::uint32_t>(v->integer(1, kMostMembers));
  const Value headers = object.required("headers");
  const std::vector<Value> header_values = headers.items();
  if (header_values.empty() || header_values.size() > kMostHeaders) {
    headers.fail("a packet has 1 to " + std::to_string(kMostHeaders) + " headers.");
  }
  for (const Value& header : header_values) variant.headers.push_back(read_header(header));
  check_chain(variant.headers, header_values);
  variant.payload = read_payload(object.required("payload"));
  variant.timing = read_timing(object.required("timing"));
  if (const auto v = object.optional("speech")) variant.speech = read_speech(*v, variant.timing);
  if (const auto v = object.optional("changes")) {
    for (const Value& change : v->items()) read_change(change, variant.headers, variant.changes);
    std::stable_sort(variant.changes.begin(), variant.changes.end(),
                     [](const Change& a, const Change& b) { return a.packet < b.packet; });
  }
  if (const auto v = object.optional("connections")) variant.connections = read_connections(*v, variant, rules);
  if (const auto v = object.optional("before_compressor")) variant.before = read_before(*v);
  object.finish();
  return variant;
}

}  // namespace

std::size_t Profile::variant_of(std::uint64_t flow) const noexcept {
  std::uint64_t place = flow % total_share;
  std::size_t i = 0;
  while (place >= variants[i].share) place -= variants[i++].share;
  return i;
}

Profile read_profile(const Value& value) {
  Object object(value);
  Profile profile;
  profile.name = object.required("name").text();
  (void)object.required("title").text();
  for (const char* key : {"description"}) {
    if (const auto v = object.optional(key)) (void)v->text();
  }
  if (const auto v = object.optional("sources")) {
    for (const Value& source : v->items()) (void)source.text();
  }
  const auto rules = object.optional("rules");
  const std::vector<Rule> all_rules = rules ? read_rules(*rules) : std::vector<Rule>();
  const Value variants = object.required("variants");
  for (const Value& variant : variants.items()) profile.variants.push_back(read_variant(variant, all_rules));
  if (profile.variants.empty() || profile.variants.size() > 64) variants.fail("a profile has 1 to 64 variants.");
  for (const Variant& variant : profile.variants) profile.total_share += variant.share;
  check_total(object, profile.total_share, "the variants");
  if (rules) check_matched(*rules, all_rules, profile.variants);
  object.finish();
  return profile;
}

}  // namespace headroom::traffic
