// SPDX-License-Identifier: Apache-2.0
#include "capture/writer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/error.h"

namespace headroom {
namespace {

constexpr std::uint32_t kSnapLength = 262'144;

// Block types and options of pcapng.
constexpr std::uint32_t kSectionHeader = 0x0A0D0D0A, kInterfaceDescription = 1, kEnhancedPacket = 6;
constexpr std::uint32_t kByteOrderMagic = 0x1A2B3C4D;
constexpr std::uint16_t kOptionEnd = 0, kOptionComment = 1, kOptionInterfaceName = 2, kOptionTimeResolution = 9;
constexpr std::size_t kLongestComment = 60'000;  // an option's length is 16 bits

// pcapng and pcap say in their first words which byte order they have: the host's own is right.
template <typename Int>
void append(Octets& block, Int value) {
  for (const std::uint8_t octet : std::bit_cast<std::array<std::uint8_t, sizeof value>>(value)) block.push_back(octet);
}

void append_padded(Octets& block, OctetView octets) {
  block.insert(block.end(), octets.begin(), octets.end());
  while (block.size() % 4 != 0) block.push_back(0);
}

void append_option(Octets& block, std::uint16_t code, OctetView value) {
  append(block, code);
  append(block, static_cast<std::uint16_t>(value.size()));
  append_padded(block, value);
}

OctetView view(const std::string& text) { return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}; }

Octets start_block(std::uint32_t type) {
  Octets block;
  append(block, type);
  append(block, std::uint32_t{0});  // the length, set by finish_block
  return block;
}

const Octets& finish_block(Octets& block) {
  const auto length = static_cast<std::uint32_t>(block.size() + 4);
  std::memcpy(&block[4], &length, sizeof length);
  append(block, length);
  return block;
}

}  // namespace

OutputFile::OutputFile(const std::string& path, Appears appears) : path_(path), appears_(appears) {
  std::error_code unknown;
  const auto kind = std::filesystem::symlink_status(path, unknown).type();
  const bool ours = kind == std::filesystem::file_type::regular || kind == std::filesystem::file_type::not_found;
  if (!ours) appears_ = Appears::growing;  // a pipe, a device: nothing to put another file in the place of
  if (appears_ == Appears::whole) {
    written_ = path + "." + std::to_string(getpid()) + ".part";
    file_.reset(std::fopen(written_.c_str(), "wb"));
  }
  if (!file_) {  // not asked for, or the folder takes no new file, but the one that is there may be written
    appears_ = Appears::growing;
    written_.clear();
    file_.reset(std::fopen(path.c_str(), "wb"));
    if (!file_) fail("cannot be created");
    if (ours) written_ = path;
  }
  opened_ = identity();
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      written_(std::exchange(other.written_, {})),
      appears_(other.appears_),
      file_(std::move(other.file_)),
      opened_(other.opened_),
      sha256_(other.sha256_),
      octets_(other.octets_) {}

OutputFile::~OutputFile() {
  if (appears_ == Appears::whole) remove();
}

void OutputFile::remove() noexcept {
  if (!written_.empty()) std::remove(written_.c_str());
  written_.clear();
}

OutputFile::Identity OutputFile::identity() const noexcept {
  const int descriptor = fileno(file_.get());
  struct stat now {};
  if (fstat(descriptor, &now) != 0) return {};
  return {now.st_dev, now.st_ino, fcntl(descriptor, F_GETFL)};
}

bool OutputFile::is_as_opened() const noexcept {
  const off_t position = lseek(fileno(file_.get()), 0, SEEK_CUR);  // -1 of a pipe
  return identity() == opened_ && position <= static_cast<off_t>(octets_);
}

void OutputFile::fail(const char* what) {
  const int number = errno;
  const std::string reason = std::strerror(file_ && !is_as_opened() ? EBADF : number);
  remove();
  throw Error(ErrorKind::output, "the file " + path_ + " " + what + ": " + reason + ".");
}

void OutputFile::write(const void* data, std::size_t size) {
  octets_ += size;
  if (std::fwrite(data, 1, size, file_.get()) != size) fail("cannot be written");
  sha256_.update({static_cast<const std::uint8_t*>(data), size});
}

Json OutputFile::close() {
  if (std::fflush(file_.get()) != 0 || std::fclose(file_.release()) != 0) fail("cannot be written to its end");
  if (appears_ == Appears::whole && std::rename(written_.c_str(), path_.c_str()) != 0) fail("cannot be put in place");
  written_.clear();
  return {{"octets", octets_}, {"sha256", sha256_.finish()}};
}

PcapngWriter::PcapngWriter(const std::string& path) : file_(path) {
  Octets block = start_block(kSectionHeader);
  append(block, kByteOrderMagic);
  append(block, std::uint16_t{1});  // version 1.0
  append(block, std::uint16_t{0});
  append(block, ~std::uint64_t{0});  // length of the section: not known
  finish_block(block);
  file_.write(block.data(), block.size());
}

std::uint32_t PcapngWriter::add_interface(LinkType type, const std::string& name) {
  Octets block = start_block(kInterfaceDescription);
  append(block, static_cast<std::uint16_t>(type));
  append(block, std::uint16_t{0});
  append(block, kSnapLength);
  append_option(block, kOptionInterfaceName, view(name));
  const std::uint8_t nanoseconds = 9;
  append_option(block, kOptionTimeResolution, {&nanoseconds, 1});
  append_option(block, kOptionEnd, {});
  finish_block(block);
  file_.write(block.data(), block.size());
  return interfaces_++;
}

void PcapngWriter::write(std::uint32_t interface, std::uint64_t time_ns, OctetView octets, const std::string& comment) {
  Octets block = start_block(kEnhancedPacket);
  append(block, interface);
  append(block, static_cast<std::uint32_t>(time_ns >> 32));
  append(block, static_cast<std::uint32_t>(time_ns));
  append(block, static_cast<std::uint32_t>(octets.size()));
  append(block, static_cast<std::uint32_t>(octets.size()));
  append_padded(block, octets);
  if (!comment.empty()) {
    append_option(block, kOptionComment, view(comment.substr(0, kLongestComment)));
    append_option(block, kOptionEnd, {});
  }
  finish_block(block);
  file_.write(block.data(), block.size());
}

PcapWriter::PcapWriter(const std::string& path, LinkType type) : file_(path, OutputFile::Appears::whole) {
  Octets header;
  append(header, std::uint32_t{0xA1B2C3D4});
  append(header, std::uint16_t{2});  // version 2.4
  append(header, std::uint16_t{4});
  append(header, std::uint64_t{0});
  append(header, kSnapLength);
  append(header, static_cast<std::uint32_t>(type));
  file_.write(header.data(), header.size());
}

void PcapWriter::write(std::uint64_t time_ns, OctetView octets) {
  Octets record;
  append(record, static_cast<std::uint32_t>(time_ns / 1'000'000'000u));
  append(record, static_cast<std::uint32_t>(time_ns % 1'000'000'000u / 1'000u));
  append(record, static_cast<std::uint32_t>(octets.size()));
  append(record, static_cast<std::uint32_t>(octets.size()));
  record.insert(record.end(), octets.begin(), octets.end());
  file_.write(record.data(), record.size());
}

Octets ppp_frame(std::uint16_t protocol, OctetView payload) {
  Octets frame = {0xFF, 0x03, static_cast<std::uint8_t>(protocol >> 8), static_cast<std::uint8_t>(protocol)};
  frame.insert(frame.end(), payload.begin(), payload.end());
  return frame;
}

Octets ethernet_frame(const MacAddress& destination, const MacAddress& source, std::uint16_t ether_type,
                      OctetView payload) {
  Octets frame(destination.begin(), destination.end());
  frame.insert(frame.end(), source.begin(), source.end());
  frame.push_back(static_cast<std::uint8_t>(ether_type >> 8));
  frame.push_back(static_cast<std::uint8_t>(ether_type));
  frame.insert(frame.end(), payload.begin(), payload.end());
  return frame;
}

}  // namespace headroom
