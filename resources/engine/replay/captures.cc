// SPDX-License-Identifier: Apache-2.0
#include "replay/captures.h"

namespace headroom::replay {

Captures::Captures(const Job& job)
    : encapsulation_(job.encapsulation),
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
  const LinkType type = encapsulation_ == Encapsulation::ppp ? LinkType::ppp : LinkType::ethernet;
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

void Captures::link(bool reverse, std::uint64_t time_ns, OctetView octets, const std::string& comment) {
  if (!link_) return;
  const Octets frame = encapsulation_ == Encapsulation::ppp
                           ? ppp_frame(type_, octets)
                           : ethernet_frame(reverse ? kMacA : kMacB, reverse ? kMacB : kMacA, type_, octets);
  link_->write(link_interfaces_[reverse], time_ns, frame, comment);
}

void Captures::close() {
  for (std::optional<PcapngWriter>* file : {&source_, &link_, &decompressed_}) {
    if (*file) (*file)->close();
  }
}

}  // namespace headroom::replay
