// SPDX-License-Identifier: Apache-2.0
#include "replay/captures.h"

namespace headroom::replay {
namespace {

// LINKTYPE_PPP_WITH_DIR: the octet in front of a frame, as the forward compressor's end sees it.
constexpr std::uint8_t kReceived = 0, kSent = 1;

}  // namespace

Captures::Captures(const Job& job)
    : encapsulation_(job.encapsulation),
      typed_(job.framing->typed),
      type_(encapsulation_ == Encapsulation::ppp ? job.framing->ppp[job.ppp_variant].protocol
                                                 : job.framing->ether_type) {
  const Outputs& outputs = job.outputs;
  const auto open = [](std::optional<PcapngWriter>& file, const std::optional<std::string>& path) {
    if (path) file.emplace(*path);
    return path.has_value();
  };
  if (open(source_, outputs.source)) source_->add_interface(LinkType::raw_ip, "source");
  if (open(decompressed_, outputs.decompressed)) decompressed_->add_interface(LinkType::raw_ip, "decompressed");
  if (!open(link_, outputs.link)) return;
  // Who reads packets of several types keeps a state for each direction.
  const LinkType ppp = typed_ ? LinkType::ppp_with_direction : LinkType::ppp;
  const LinkType type = encapsulation_ == Encapsulation::ppp ? ppp : LinkType::ethernet;
  link_interfaces_ = {link_->add_interface(type, "forward"), link_->add_interface(type, "reverse")};
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
  if (!link_) return;
  Octets frame;
  if (encapsulation_ == Encapsulation::ethernet) {
    frame = ethernet_frame(reverse ? kMacA : kMacB, reverse ? kMacB : kMacA, type_, packet.octets);
  } else {
    frame = ppp_frame(typed_ ? packet.type : type_, packet.octets);
    if (typed_) frame.insert(frame.begin(), reverse ? kReceived : kSent);
  }
  link_->write(link_interfaces_[reverse], time_ns, frame, comment);
}

void Captures::close() {
  for (std::optional<PcapngWriter>* file : {&source_, &link_, &decompressed_}) {
    if (*file) (*file)->close();
  }
}

}  // namespace headroom::replay
