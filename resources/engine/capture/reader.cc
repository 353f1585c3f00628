// SPDX-License-Identifier: Apache-2.0
#include "capture/reader.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "base/error.h"
#include "base/hex.h"
#include "base/nth.h"

#ifdef HEADROOM_CAPTURES
#include <pcap/pcap.h>
#endif

namespace headroom {

std::optional<MacAddress> parse_mac(const std::string& text) {
  if (text.size() != 17) return std::nullopt;
  std::string digits;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i % 3 != 2) {
      digits += text[i];
    } else if (text[i] != ':') {
      return std::nullopt;
    }
  }
  const std::optional<Octets> octets = from_hex(digits);
  if (!octets || octets->size() != 6) return std::nullopt;
  MacAddress mac;
  std::copy(octets->begin(), octets->end(), mac.begin());
  return mac;
}

#ifdef HEADROOM_CAPTURES

namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
struct ClosePcap {
  void operator()(pcap_t* pcap) const { pcap_close(pcap); }
};

// The sender of a frame, as far as the frame says it.
struct FrameSender {
  std::optional<MacAddress> mac;
  FrameDirection direction = FrameDirection::unknown;
  bool operator==(const FrameSender&) const = default;
};

void take(LinkType type, OctetView frame, bool complete, std::uint64_t time_ns, const CaptureFilter& filter,
          std::optional<FrameSender>& first, Capture& capture) {
  const std::optional<FramePayload> payload = unwrap(type, frame);
  const std::uint16_t ether_type = payload ? payload->ether_type : 0;
  const bool is_link = filter.link != nullptr;
  const std::optional<std::size_t> variant =
      is_link && payload && payload->ppp_protocol ? filter.link->variant_of(*payload->ppp_protocol) : std::nullopt;
  const bool is_bare = is_link && payload && filter.link->link_type == type;
  const bool wanted = is_link ? is_bare || variant || (ether_type != 0 && ether_type == filter.link->ether_type)
                              : ether_type == kEtherTypeIpv4 || ether_type == kEtherTypeIpv6;
  if (!wanted || (filter.source_mac && payload->source_mac != filter.source_mac)) {
    ++capture.others;
    return;
  }
  if (filter.direction != FrameDirection::unknown && payload->direction != filter.direction) {
    ++capture.other_sender;
    return;
  }
  if (is_link && filter.one_sender) {
    const FrameSender sender = {payload->source_mac, payload->direction};
    if (!first) first = sender;
    if (sender != *first) {
      ++capture.other_sender;
      return;
    }
  }
  const bool typed = is_link && filter.link->typed;
  const std::size_t index = variant.value_or(filter.ppp_variant);
  if (is_link && !typed && index != filter.ppp_variant) {
    ++capture.other_variant;
    capture.other = &filter.link->ppp[index];
    return;
  }
  std::optional<OctetView> octets = payload->octets;
  if (!is_link) octets = trim_ip(payload->octets);
  const bool sized_by_frame = !is_link && octets && has_no_length(*octets);
  if (!octets && complete && !is_ip(payload->octets)) {
    ++capture.others;
    return;
  }
  if (!octets || octets->empty() || ((is_link || sized_by_frame) && !complete)) {
    ++capture.truncated;
    return;
  }
  if (octets->size() > 65'535) {
    ++capture.too_long;
    return;
  }
  capture.packets.push_back(
      {time_ns, Octets(octets->begin(), octets->end()), typed ? payload->ppp_protocol.value_or(0) : std::uint16_t{0}});
  if (!sized_by_frame) return;
  ++capture.without_length;
  write_length(capture.packets.back().octets);
}

// Why reading ended before the file did, and how to keep what was read. A killed tcpdump leaves such files.
[[noreturn]] void refuse_rest(const std::string& name, std::uint64_t whole, const std::string& reason) {
  const bool cut = reason.find("truncated") != std::string::npos;
  std::string sentence = name + " cannot be read to its end: " + nth("packet", whole) +
                         (cut ? " is cut short (" : " is damaged (") + reason + "). ";
  if (whole == 0) {
    sentence += "No packet before it is left.";
  } else {
    sentence +=
        (whole == 1 ? "The packet before it is whole: keep it with `editcap "
                    : "The " + std::to_string(whole) + " packets before it are whole: keep them with `editcap ") +
        name + " whole.pcapng`.";
  }
  throw Error(ErrorKind::input, sentence);
}

// Takes ownership of `file`.
Capture read_open_file(std::FILE* file, const std::string& name, const CaptureFilter& filter) {
  std::unique_ptr<std::FILE, CloseFile> owned(file);
  char reason[PCAP_ERRBUF_SIZE] = "";
  std::unique_ptr<pcap_t, ClosePcap> pcap(
      pcap_fopen_offline_with_tstamp_precision(file, PCAP_TSTAMP_PRECISION_NANO, reason));
  if (!pcap) throw Error(ErrorKind::input, name + " is no capture that can be read: " + reason + ".");
  owned.release();  // pcap_close closes it
  // libpcap gives most link types the numbers that files have; DLT_RAW is 12 where files say 101.
  const auto type = static_cast<LinkType>(pcap_datalink(pcap.get()));
  if (!is_known(type)) {
    throw Error(ErrorKind::input, name + " has the link type " + std::to_string(pcap_datalink(pcap.get())) +
                                      ", which is not read; convert it to Ethernet, PPP or raw IP.");
  }
  Capture capture;
  std::optional<FrameSender> first;
  std::uint64_t first_ns = 0;
  std::uint64_t last_ns = 0;
  std::size_t total = 0;
  for (std::uint64_t frames = 0;; ++frames) {
    pcap_pkthdr* header = nullptr;
    const u_char* octets = nullptr;
    const int result = pcap_next_ex(pcap.get(), &header, &octets);
    if (result == PCAP_ERROR_BREAK) return capture;
    if (result != 1) refuse_rest(name, frames, pcap_geterr(pcap.get()));
    const std::uint64_t ns =
        static_cast<std::uint64_t>(header->ts.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(header->ts.tv_usec);
    if (frames == 0) first_ns = ns;
    if (ns > first_ns && ns - first_ns > last_ns) last_ns = ns - first_ns;
    total += header->caplen;
    if (total > kMostCapturedOctets)
      throw Error(ErrorKind::input, name + " holds more than 4 GiB of packets; cut it into parts.");
    take(type, OctetView(octets, header->caplen), header->caplen >= header->len, last_ns, filter, first, capture);
  }
}

}  // namespace

Capture read_capture(const std::string& path, const CaptureFilter& filter) {
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr)
    throw Error(ErrorKind::input, "cannot open the capture " + path + ": " + std::strerror(errno) + ".");
  return read_open_file(file, path, filter);
}

Capture read_capture(OctetView file, const CaptureFilter& filter) {
  Octets copy(file.begin(), file.end());
  if (copy.empty()) throw Error(ErrorKind::input, "the capture is empty.");
  std::FILE* stream = fmemopen(copy.data(), copy.size(), "rb");
  if (stream == nullptr) throw Error(ErrorKind::internal, "cannot open a file in memory.");
  return read_open_file(stream, "the capture in memory", filter);
}

#else

namespace {

[[noreturn]] void refuse() {
  throw Error(ErrorKind::input,
              "this build of the engine reads no captures: it was configured with HEADROOM_CAPTURES=OFF.");
}

}  // namespace

Capture read_capture(const std::string&, const CaptureFilter&) { refuse(); }
Capture read_capture(OctetView, const CaptureFilter&) { refuse(); }

#endif

}  // namespace headroom
