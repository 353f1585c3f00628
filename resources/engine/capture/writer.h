// SPDX-License-Identifier: Apache-2.0
//
// Writes capture files: pcapng (IETF draft-ietf-opsawg-pcapng) with interfaces and comments, and classic pcap for tools
// that support nothing else.
#ifndef HEADROOM_CAPTURE_WRITER_H
#define HEADROOM_CAPTURE_WRITER_H

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "base/json_reader.h"
#include "base/octets.h"
#include "base/sha256.h"
#include "capture/frame.h"

namespace headroom {

// OutputFile is a file that is written sequentially. Every failure, including a full disk, is an Error(output) and
// leaves no truncated file. Where an adapter has changed the file's descriptor, its sentence is that of a closed one.
class OutputFile {
 public:
  // The time at which the file appears under its name. `growing`: with the first packet, so that readers can follow the
  // file, and a process that dies leaves its packets. `whole`: when the file is closed; until then an earlier file
  // remains.
  enum class Appears { growing, whole };

  explicit OutputFile(const std::string& path, Appears appears = Appears::growing);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  void write(const void* data, std::size_t size);
  // Flushes and closes the file, and reports failures. REQUIRES: the caller calls it; otherwise the file may be
  // incomplete without an error. Returns {"octets", "sha256"} of what was written: an adapter can change the file
  // later.
  Json close();

 private:
  // What an open descriptor refers to, and how.
  struct Identity {
    std::uint64_t device = 0, inode = 0;
    int flags = 0;
    bool operator==(const Identity&) const = default;
  };

  [[noreturn]] void fail(const char* what);
  void remove() noexcept;
  [[nodiscard]] Identity identity() const noexcept;
  [[nodiscard]] bool is_as_opened() const noexcept;

  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string path_;
  std::string written_;  // name of the file while it is written; empty once there is nothing to remove
  Appears appears_;
  std::unique_ptr<std::FILE, Close> file_;
  Identity opened_;
  Sha256 sha256_;
  std::uint64_t octets_ = 0;
};

class PcapngWriter {
 public:
  explicit PcapngWriter(const std::string& path);

  // Adds an interface and returns its number, from 0. REQUIRES: called before the interface's first packet.
  std::uint32_t add_interface(LinkType type, const std::string& name);
  void write(std::uint32_t interface, std::uint64_t time_ns, OctetView octets, const std::string& comment = {});
  Json close() { return file_.close(); }

 private:
  OutputFile file_;
  std::uint32_t interfaces_ = 0;
};

// PcapWriter writes a classic pcap file, which appears as a whole or not at all.
class PcapWriter {
 public:
  PcapWriter(const std::string& path, LinkType type);

  // Writes a packet. Times are rounded down to microseconds, the form that every reader supports.
  void write(std::uint64_t time_ns, OctetView octets);
  Json close() { return file_.close(); }

 private:
  OutputFile file_;
};

// Returns an Ethernet frame around `payload`, without padding, because a compressed packet does not contain its own
// length.
[[nodiscard]] Octets ethernet_frame(const MacAddress& destination, const MacAddress& source, std::uint16_t ether_type,
                                    OctetView payload);

// Returns a PPP frame around `payload` with address and control field, without flags and FCS (HDLC-like framing, RFC
// 1662).
[[nodiscard]] Octets ppp_frame(std::uint16_t protocol, OctetView payload);

// The addresses of a link's ends in the engine's captures: locally administered addresses.
inline constexpr MacAddress kMacA = {0x02, 0, 0, 0, 0, 0x0A};
inline constexpr MacAddress kMacB = {0x02, 0, 0, 0, 0, 0x0B};

}  // namespace headroom

#endif  // HEADROOM_CAPTURE_WRITER_H
