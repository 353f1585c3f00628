// SPDX-License-Identifier: Apache-2.0
#include "replay/captures.h"

namespace headroom::replay {
namespace {

// LINKTYPE_PPP_WITH_DIR: the octet in front of a frame, as the forward compressor's end sees it.
constexpr std::uint8_t kReceived = 0, kSent = 1;

// Who reads packets of several types keeps a state for each direction.
LinkType link_type_of(const LinkFormat& format) {
  if (format.encapsulation == Encapsulation::none) return *format.framing->link_type;
  if (format.encapsulation == Encapsulation::ethernet) return LinkType::ethernet;
  return format.framing->typed ? LinkType::ppp_with_direction : LinkType::ppp;
}

Octets frame_of(const LinkFormat& format, bool reverse, const LinkPacket& packet) {
  if (format.encapsulation == Encapsulation::none) return packet.octets;
  if (format.encapsulation == Encapsulation::ethernet)
    return ethernet_frame(reverse ? kMacA : kMacB, reverse ? kMacB : kMacA, format.framing->ether_type, packet.octets);
  if (!format.framing->typed) return ppp_frame(format.framing->ppp[format.ppp_variant].protocol, packet.octets);
  const bool is_feedback = packet.type == HEADROOM_TYPE_DEFAULT;  // nothing else goes without a type
  Octets frame = ppp_frame(is_feedback ? format.framing->feedback_type : packet.type, packet.octets);
  frame.insert(frame.begin(), reverse ? kReceived : kSent);
  return frame;
}

// A packet in a frame of Ethernet. `type` is 0 for IP, or for what nothing is known of. Types below 0x0600 are those of
// the scheme alone, and are in the comment.
Octets ethernet_frame_of(bool reverse, std::uint16_t type, OctetView octets, std::string& comment) {
  if (type == kEtherTypeFrame) return {octets.begin(), octets.end()};
  std::uint16_t ether_type = type;
  if (type == HEADROOM_TYPE_DEFAULT) {
    const int version = octets.empty() ? 0 : octets[0] >> 4;
    ether_type = version == 4 ? kEtherTypeIpv4 : version == 6 ? kEtherTypeIpv6 : kEtherTypeExperimental;
  } else if (type < kSmallestEtherType) {
    ether_type = kEtherTypeExperimental;
    comment += (comment.empty() ? "type " : ", type ") + std::to_string(type);
  }
  return ethernet_frame(reverse ? kMacA : kMacB, reverse ? kMacB : kMacA, ether_type, octets);
}

}  // namespace

// Feedback has no carrier: the way back is in the frames of the inner scheme, where it has one.
Captures::Captures(const Job& job)
    : has_ether_types_((job.carrier ? job.inner : job.format).framing->carries_ether_types),
      formats_{job.format, job.carrier && job.path == sim::FeedbackPath::own ? job.inner : job.format} {
  const Outputs& outputs = job.outputs;
  const auto open = [](std::optional<PcapngWriter>& file, const std::optional<std::string>& path) {
    if (path) file.emplace(*path);
    return path.has_value();
  };
  const LinkType packets = has_ether_types_ ? LinkType::ethernet : LinkType::raw_ip;
  if (open(source_, outputs.source)) source_->add_interface(packets, "source");
  if (open(decompressed_, outputs.decompressed)) decompressed_->add_interface(packets, "decompressed");
  if (!open(link_, outputs.link)) return;
  link_interfaces_[0] = link_->add_interface(link_type_of(formats_[0]), "forward");
  link_interfaces_[1] = link_->add_interface(link_type_of(formats_[1]), "reverse");
}

void Captures::write_packet(std::optional<PcapngWriter>& file, bool reverse, std::uint64_t time_ns, std::uint16_t type,
                            OctetView octets) {
  if (!file) return;
  std::string comment = reverse ? "reverse" : "";
  if (has_ether_types_) {
    const Octets frame = ethernet_frame_of(reverse, type, octets, comment);
    file->write(0, time_ns, frame, comment);
  } else {
    file->write(0, time_ns, octets, comment);
  }
}

void Captures::source(bool reverse, std::uint64_t time_ns, std::uint16_t type, OctetView octets) {
  write_packet(source_, reverse, time_ns, type, octets);
}

void Captures::decompressed(bool reverse, std::uint64_t time_ns, std::uint16_t type, OctetView octets) {
  write_packet(decompressed_, reverse, time_ns, type, octets);
}

void Captures::link(bool reverse, std::uint64_t time_ns, const LinkPacket& packet, const std::string& comment) {
  if (link_) link_->write(link_interfaces_[reverse], time_ns, frame_of(formats_[reverse], reverse, packet), comment);
}

Json Captures::close() {
  Json written = Json::object();
  const auto close = [&](const char* key, std::optional<PcapngWriter>& file) {
    if (file) written[key] = file->close();
  };
  close("source", source_);
  close("link", link_);
  close("decompressed", decompressed_);
  return written;
}

}  // namespace headroom::replay
