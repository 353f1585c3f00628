// SPDX-License-Identifier: Apache-2.0
//
// Capture files of our own making: pcapng (IETF draft-ietf-opsawg-pcapng) with interfaces and comments, and classic
// pcap for tools that know nothing else.
#ifndef HEADROOM_CAPTURE_WRITER_H
#define HEADROOM_CAPTURE_WRITER_H

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "base/octets.h"
#include "capture/frame.h"

namespace headroom {

// A file that is written in order. Every failure, a full disk included, is an Error(output), and leaves no cut file.
class OutputFile {
 public:
  // The time at which the file appears under its name. `growing`: with the first packet, so that readers can follow it,
  // and a process that dies leaves its packets. `whole`: when it is closed; an earlier file stays until then.
  enum class Appears { growing, whole };

  explicit OutputFile(const std::string& path, Appears appears = Appears::growing);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  void write(const void* data, std::size_t size);
  // Flushes and closes, and reports failures. Without it the file may be incomplete without an error.
  void close();

 private:
  [[noreturn]] void fail(const char* what);
  void remove() noexcept;

  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string path_;
  std::string written_;  // the name under which it is written; empty once there is nothing of it to remove
  Appears appears_;
  std::unique_ptr<std::FILE, Close> file_;
};

class PcapngWriter {
 public:
  explicit PcapngWriter(const std::string& path);

  // Returns the number of the interface, from 0. To be called before its first packet.
  std::uint32_t add_interface(LinkType type, const std::string& name);
  void write(std::uint32_t interface, std::uint64_t time_ns, OctetView octets, const std::string& comment = {});
  void close() { file_.close(); }

 private:
  OutputFile file_;
  std::uint32_t interfaces_ = 0;
};

// Is there whole, or not at all.
class PcapWriter {
 public:
  PcapWriter(const std::string& path, LinkType type);

  // Times are kept in microseconds, the form that every reader knows.
  void write(std::uint64_t time_ns, OctetView octets);
  void close() { file_.close(); }

 private:
  OutputFile file_;
};

// An Ethernet frame around `payload`. Not padded: a compressed packet does not know its own length.
[[nodiscard]] Octets ethernet_frame(const MacAddress& destination, const MacAddress& source, std::uint16_t ether_type,
                                    OctetView payload);

// A PPP frame around `payload`, with address and control field: HDLC-like framing without flags and FCS (RFC 1662).
[[nodiscard]] Octets ppp_frame(std::uint16_t protocol, OctetView payload);

// The ends of a link in the captures that the engine writes: locally administered addresses.
inline constexpr MacAddress kMacA = {0x02, 0, 0, 0, 0, 0x0A};
inline constexpr MacAddress kMacB = {0x02, 0, 0, 0, 0, 0x0B};

}  // namespace headroom

#endif  // HEADROOM_CAPTURE_WRITER_H
