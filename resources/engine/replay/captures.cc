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
  Octets frame = ppp_frame(packet.type, packet.octets);
  frame.insert(frame.begin(), reverse ? kReceived : kSent);
  return frame;
}

}  // namespace

// Feedback has no carrier: the way back is in the frames of the inner scheme, where it has one.
Captures::Captures(const Job& job)
    : formats_{job.format, job.carrier && job.path == FeedbackPath::own ? job.inner : job.format} {
  const Outputs& outputs = job.outputs;
  const auto open = [](std::optional<PcapngWriter>& file, const std::optional<std::string>& path) {
    if (path) file.emplace(*path);
    return path.has_value();
  };
  if (open(source_, outputs.source)) source_->add_interface(LinkType::raw_ip, "source");
  if (open(decompressed_, outputs.decompressed)) decompressed_->add_interface(LinkType::raw_ip, "decompressed");
  if (!open(link_, outputs.link)) return;
  link_interfaces_[0] = link_->add_interface(link_type_of(formats_[0]), "forward");
  link_interfaces_[1] = link_->add_interface(link_type_of(formats_[1]), "reverse");
}

void Captures::write_raw(std::optional<PcapngWriter>& file, bool reverse, std::uint64_t time_ns, OctetView octets) {
  if (file) file->write(0, time_ns, octets, reverse ? "reverse" : "");
}

void Captures::source(bool reverse, std::uint64_t time_ns, OctetView octets) {
  write_raw(source_, reverse, time_ns, octets);
}

void Captures::decompressed(bool reverse, std::uint64_t time_ns, OctetView octets) {
  write_raw(decompressed_, reverse, time_ns, octets);
}

void Captures::link(bool reverse, std::uint64_t time_ns, const LinkPacket& packet, const std::string& comment) {
  if (link_) link_->write(link_interfaces_[reverse], time_ns, frame_of(formats_[reverse], reverse, packet), comment);
}

void Captures::close() {
  for (std::optional<PcapngWriter>* file : {&source_, &link_, &decompressed_}) {
    if (*file) (*file)->close();
  }
}

}  // namespace headroom::replay
