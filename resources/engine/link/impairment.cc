// SPDX-License-Identifier: Apache-2.0
#include "link/impairment.h"

#include <algorithm>

namespace headroom {
namespace {

constexpr std::uint64_t kLargestPacketNumber = std::uint64_t{1} << 40;
constexpr std::uint64_t kLargestBit = 65536 * 8 - 1;

BurstLoss read_burst_loss(const Value& value) {
  Object object(value);
  BurstLoss loss;
  loss.good_to_bad = object.required("good_to_bad").probability();
  loss.bad_to_good = object.required("bad_to_good").probability();
  loss.loss_good = object.probability("loss_good", 0);
  loss.loss_bad = object.probability("loss_bad", 1);
  object.finish();
  return loss;
}

OnError read_policy(Object& object, const char* key, OnError otherwise, const LinkFraming* framing) {
  const std::optional<Value> value = object.optional(key);
  if (!value) return otherwise;
  const auto policy = static_cast<OnError>(value->choice({"drop", "report", "deliver", "mark"}));
  if (policy == OnError::mark && (framing == nullptr || !framing->error_mark))
    value->fail("packets of this link have no mark of errors: say \"drop\", \"report\" or \"deliver\".");
  return policy;
}

void read_slots_of(Object& object, const LinkFraming* framing, Impairment& impairment) {
  const std::optional<Value> value = object.optional("slots");
  if (!value) return;
  if (impairment.rate_bps == 0 || impairment.rate_bps > kLargestSlotRateBps) {
    value->fail("slots need a \"rate_bps\" from 1 to " + std::to_string(kLargestSlotRateBps) +
                ", which says how long they last.");
  }
  impairment.slots = read_slots(*value);
  const Slots& slots = *impairment.slots;
  const std::uint64_t bits = std::uint64_t{slots.packet_octets} * 8;
  if (bits > impairment.rate_bps * kLongestSlotS)
    value->fail("at this rate a slot lasts longer than a second. Raise the rate, or lower \"packet_octets\".");
  const std::uint64_t held =
      std::max(std::uint64_t{slots.buffer_packets} * slots.buffers, std::uint64_t{slots.receiver_buffer_packets});
  if (bits * held > impairment.rate_bps * kLongestCardS)
    value->fail("at this rate the buffers hold more than an hour. Raise the rate, or lower their number or size.");
  if (!impairment.slots->deliver_idle) return;
  if (framing == nullptr || framing->idle.empty())
    value->fail(
        "idle packets cannot be delivered: packets of this link have no form for them. Leave out \"deliver_idle\".");
  impairment.idle.assign(framing->idle.begin(), framing->idle.end());
}

void read_packet_queue(Object& object, Impairment& impairment) {
  if (const auto v = object.optional("queue_packets")) {
    impairment.queue_packets = v->integer(0, kLargestQueuePackets);
    if (object.has("slots")) v->fail("slots have a queue of octets alone: \"queue_octets\".");
    if (impairment.queue_packets != 0 && impairment.rate_bps == 0)
      v->fail("a queue needs a \"rate_bps\": without a rate nothing queues.");
  }
  if (const auto v = object.optional("harmed_at")) {
    impairment.harmed_at = static_cast<HarmedAt>(v->choice({"link", "before-queue"}));
    if (impairment.harmed_at == HarmedAt::before_queue && impairment.rate_bps == 0)
      v->fail("there is no queue without a \"rate_bps\".");
  }
}

Insertion read_insertion(Object& object) {
  Insertion insertion;
  insertion.error = object.boolean("error", false);
  if (!insertion.error) {
    insertion.octets = object.required("hex").hex();
    if (insertion.octets.empty()) object.fail("a packet to insert needs at least one octet.");
    insertion.type = static_cast<std::uint16_t>(object.integer("type", 0, 0xFFFF, 0));
  }
  insertion.channel = static_cast<std::uint32_t>(object.integer("channel", 0, 0xFFFFFFFF, 0));
  object.finish();
  return insertion;
}

}  // namespace

Reorder read_reorder(const Value& value) {
  Object object(value);
  Reorder reorder;
  reorder.probability = object.required("probability").probability();
  reorder.depth = static_cast<std::uint32_t>(object.integer("depth", 1, kLargestReorderDepth, 1));
  object.finish();
  return reorder;
}

Impairment read_impairment(Object& object, const LinkFraming* framing) {
  Impairment impairment;
  impairment.loss = object.probability("loss", 0);
  if (const auto v = object.optional("burst_loss")) impairment.burst_loss = read_burst_loss(*v);
  impairment.ber = object.probability("ber", 0);
  impairment.header_errors = read_policy(object, "header_errors", OnError::drop, framing);
  impairment.payload_errors = read_policy(object, "payload_errors", OnError::deliver, framing);
  if (framing != nullptr && framing->error_mark) impairment.error_mark = *framing->error_mark;
  if (const auto v = object.optional("reorder")) impairment.reorder = read_reorder(*v);
  impairment.duplicate = object.probability("duplicate", 0);
  impairment.delay_ns = object.integer("delay_ns", 0, kLargestDelayNs, 0);
  impairment.jitter_ns = object.integer("jitter_ns", 0, kLargestDelayNs, 0);
  impairment.rate_bps = object.integer("rate_bps", 0, kLargestRateBps, 0);
  impairment.queue_octets = object.integer("queue_octets", 0, kLargestQueueOctets, 0);
  if (impairment.queue_octets != 0 && impairment.rate_bps == 0)
    object.fail("a queue_octets needs a rate_bps: without a rate nothing queues.");
  read_packet_queue(object, impairment);
  read_slots_of(object, framing, impairment);
  if (const auto v = object.optional("drop")) {
    for (const Value& item : v->items()) impairment.drop.insert(item.integer(0, kLargestPacketNumber));
  }
  if (const auto v = object.optional("flip")) {
    for (const Value& item : v->items()) {
      Object flip(item);
      const std::uint64_t packet = flip.required("packet").integer(0, kLargestPacketNumber);
      impairment.flip[packet].push_back(static_cast<std::uint32_t>(flip.required("bit").integer(0, kLargestBit)));
      flip.finish();
    }
  }
  if (const auto v = object.optional("insert")) {
    for (const Value& item : v->items()) {
      Object insert(item);
      const std::uint64_t before = insert.required("before").integer(0, kLargestPacketNumber);
      impairment.insert[before].push_back(read_insertion(insert));
    }
  }
  return impairment;
}

}  // namespace headroom
