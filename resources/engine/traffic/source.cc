// SPDX-License-Identifier: Apache-2.0
#include "traffic/source.h"

#include <algorithm>
#include <cstdio>

#include "capture/reader.h"
#include "traffic/render.h"

namespace headroom {
namespace {

// In 2065, counted from 1970: what a link adds to it, and counts in bits, still fits in 64 bits.
constexpr std::uint64_t kLatestNs = 3'000'000'000'000'000'000;

SourcePacket read_packet(const Value& value, const SourceLayout& layout, std::uint64_t earliest_ns) {
  Object object(value);
  SourcePacket packet;
  packet.time_ns = object.integer("time_ns", 0, kLatestNs, earliest_ns);
  if (packet.time_ns < earliest_ns)
    object.fail("packets are listed in order of time; this one is earlier than the one before it.");
  packet.channel = static_cast<std::uint32_t>(object.integer("channel", 0, 0xFFFFFFFF, 0));
  packet.type = static_cast<std::uint16_t>(object.integer("type", 0, 0xFFFF, 0));
  const Value hex = object.required("hex");
  packet.octets = hex.hex();
  if (packet.octets.size() > layout.most_octets)
    hex.fail("a packet has at most " + std::to_string(layout.most_octets) + " octets.");
  if (const auto v = object.optional("header_length")) {
    packet.header_length = static_cast<std::uint32_t>(v->integer(0, packet.octets.size()));
  }
  object.finish();
  return packet;
}

std::vector<SourcePacket> read_literal(const Value& list, const SourceLayout& layout) {
  std::vector<SourcePacket> packets;
  std::uint64_t earliest_ns = 0;
  for (const Value& item : list.items()) {
    if (item.is_null() && layout.allow_absent) {
      packets.emplace_back();
      packets.back().absent = true;
      continue;
    }
    packets.push_back(read_packet(item, layout, earliest_ns));
    if (packets.back().octets.empty() && !layout.allow_absent && layout.link == nullptr)
      item.fail("a packet needs at least one octet.");
    earliest_ns = packets.back().time_ns;
  }
  return packets;
}

std::string hexadecimal(std::uint16_t number) {
  char text[8];
  std::snprintf(text, sizeof text, "0x%04X", number);
  return text;
}

// What frames with link packets look like: "X frame (Ethernet type 0x88B5, PPP protocol 0x0003 or 0x0005)".
std::string describe(const LinkFraming& framing) {
  std::string frames = framing.ether_type != 0 ? "Ethernet type " + hexadecimal(framing.ether_type) : "";
  for (const PppVariant& variant : framing.ppp) {
    const bool first = &variant == framing.ppp.data();
    frames += first ? (frames.empty() ? "PPP protocol " : ", PPP protocol ") : " or ";
    frames += hexadecimal(variant.protocol);
  }
  if (framing.link_type) {
    frames += (frames.empty() ? "" : ", ") + std::string("link type ") +
              std::to_string(static_cast<std::uint32_t>(*framing.link_type));
  }
  return std::string(framing.title) + " frame (" + frames + ")";
}

std::vector<SourcePacket> read_from_capture(const std::string& path, Object& object, const SourceLayout& layout) {
  CaptureFilter filter;
  filter.link = layout.link;
  filter.ppp_variant = layout.ppp_variant;
  if (const auto v = object.optional("source_mac")) {
    filter.source_mac = parse_mac(v->text());
    if (!filter.source_mac) v->fail("a MAC address such as \"02:00:00:00:00:0a\" is expected here.");
  }
  if (const auto v = object.optional("direction"))
    filter.direction = v->choice({"received", "sent"}) == 0 ? FrameDirection::received : FrameDirection::sent;
  filter.one_sender = !filter.source_mac && filter.direction == FrameDirection::unknown;
  Capture capture = read_capture(path, filter);
  if (capture.other_variant != 0) {
    throw Error(ErrorKind::input, "the capture " + path + " has " + std::to_string(capture.other_variant) + " " +
                                      std::string(layout.link->title) + " packets with " +
                                      std::string(capture.other->packets) + " (PPP protocol " +
                                      hexadecimal(capture.other->protocol) + "), but the configuration says " +
                                      std::string(layout.link->ppp[layout.ppp_variant].configuration) + ".");
  }
  if (capture.packets.empty()) {
    throw Error(
        ErrorKind::input,
        "the capture " + path + " holds no complete " +
            (filter.link != nullptr ? describe(*filter.link) : "IP packet") + "; " + std::to_string(capture.others) +
            " frames carry something else and " + std::to_string(capture.truncated) + " are cut short" +
            (capture.other_sender != 0 ? "; " + std::to_string(capture.other_sender) + " are of another sender" : "") +
            (capture.too_long != 0 ? "; " + std::to_string(capture.too_long) + " are longer than 65,535 octets" : "") +
            "." +
            (filter.link == nullptr && capture.others != 0
                 ? " A capture of link packets is one for the decompressor alone (--compressor none)."
                 : ""));
  }
  if (layout.counts != nullptr) *layout.counts = capture;
  std::vector<SourcePacket> packets;
  packets.reserve(capture.packets.size());
  for (CapturedPacket& packet : capture.packets) {
    if (packet.time_ns > kLatestNs) {
      throw Error(ErrorKind::input, "the capture " + path + " has a packet that is " +
                                        std::to_string(packet.time_ns / 1'000'000'000) +
                                        " s after 1970; the last moment is in 2065. Are its time stamps right?");
    }
    packets.push_back({packet.time_ns, 0, 0, kUnknownLength, std::move(packet.octets), false, packet.type});
  }
  return packets;
}

}  // namespace

std::vector<SourcePacket> read_source(const Value& value, const SourceLayout& layout) {
  Object object(value);
  std::vector<SourcePacket> packets;
  if (const auto path = object.optional("capture")) {
    packets = read_from_capture(path->text(), object, layout);
  } else if (object.has("profile")) {
    const traffic::RenderJob job = traffic::read_render_job(object);
    traffic::FlowOptions options;
    options.reverse = layout.reverse;
    packets = traffic::render(job.profile, job.limits, layout.seed, options);
    for (SourcePacket& packet : packets)
      packet.channel = channel_of(packet.flow, layout.channels, layout.flows_of_channel);
  } else if (const auto list = object.optional("packets")) {
    packets = read_literal(*list, layout);
  } else {
    object.fail("a source is a \"capture\", a \"profile\" or a list of \"packets\".");
  }
  object.finish();
  return packets;
}

}  // namespace headroom
