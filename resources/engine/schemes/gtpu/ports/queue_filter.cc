// SPDX-License-Identifier: Apache-2.0
#include "schemes/gtpu/ports/queue_filter.h"

#include <cstddef>
#include <cstdint>

#include "capture/frame.h"
#include "schemes/gtpu/ports/inner_address.h"

namespace headroom::gtpu::ports {
namespace {

constexpr std::uint16_t kGtpuPort = 2152;
constexpr std::uint32_t kVersion1Gtp = 0x30, kGPdu = 255, kMoreOrOffset = 0x3FFF;
constexpr std::uint32_t kAnyOptional = 7, kHasExtension = 4;
constexpr std::uint32_t kGtpuAt = 8;  // after UDP's header

// Instructions in order. Jumps go forward: `join` lets them end at the next instruction.
class Assembler {
 public:
  void add(std::uint16_t code, std::uint32_t k = 0) { code_.push_back({code, 0, 0, k}); }
  // Octets of the packet from its first one on, or from X on.
  void load(std::uint16_t size, std::uint32_t at) { add(BPF_LD | BPF_ABS | size, kNet + at); }
  void load_x(std::uint16_t size, std::uint32_t at) { add(BPF_LD | BPF_IND | size, kNet + at); }
  // Goes on where A is `value`; other packets belong to no user.
  void require(std::uint32_t value) {
    add(BPF_JMP | BPF_JEQ | BPF_K, value);
    otherwise_.push_back(code_.size() - 1);
  }
  void refuse_any(std::uint32_t bits) {
    add(BPF_JMP | BPF_JSET | BPF_K, bits);
    if_set_.push_back(code_.size() - 1);
  }
  // A jump where `test` is not true (or always, BPF_JA), which `join` completes.
  [[nodiscard]] std::size_t unless(std::uint16_t test, std::uint32_t value) {
    add(BPF_JMP | test | BPF_K, value);
    return code_.size() - 1;
  }
  void join(std::size_t jump) {
    const auto distance = static_cast<std::uint8_t>(code_.size() - jump - 1);
    if (BPF_OP(code_[jump].code) == BPF_JA)
      code_[jump].k = distance;
    else
      code_[jump].jf = distance;
  }
  [[nodiscard]] std::vector<sock_filter> finish() {
    const auto to_end = [&](std::size_t jump) { return static_cast<std::uint8_t>(code_.size() - jump - 1); };
    for (const std::size_t jump : otherwise_) code_[jump].jf = to_end(jump);
    for (const std::size_t jump : if_set_) code_[jump].jt = to_end(jump);
    add(BPF_RET | BPF_K, 0);
    return code_;
  }

 private:
  static constexpr auto kNet = static_cast<std::uint32_t>(SKF_NET_OFF);

  std::vector<sock_filter> code_;
  std::vector<std::size_t> otherwise_, if_set_;
};

// X becomes where UDP begins in the outer packet.
void find_udp(Assembler& code) {
  code.add(BPF_LD | BPF_ABS | BPF_H, static_cast<std::uint32_t>(SKF_AD_OFF + SKF_AD_PROTOCOL));
  const std::size_t no_ipv6 = code.unless(BPF_JEQ, kEtherTypeIpv6);
  code.load(BPF_B, 6);
  code.require(kUdp);
  code.add(BPF_LDX | BPF_IMM, kIpv6Header);
  const std::size_t done = code.unless(BPF_JA, 0);
  code.join(no_ipv6);
  code.require(kEtherTypeIpv4);
  code.load(BPF_H, 6);
  code.refuse_any(kMoreOrOffset);
  code.load(BPF_B, 9);
  code.require(kUdp);
  code.add(BPF_LDX | BPF_B | BPF_MSH, static_cast<std::uint32_t>(SKF_NET_OFF));
  code.join(done);
}

// X, where UDP begins, becomes where the user's packet does.
void find_user_packet(Assembler& code) {
  code.load_x(BPF_H, 2);
  code.require(kGtpuPort);
  code.load_x(BPF_B, kGtpuAt + 1);
  code.require(kGPdu);
  code.load_x(BPF_B, kGtpuAt);
  code.add(BPF_ALU | BPF_AND | BPF_K, 0xF0);
  code.require(kVersion1Gtp);
  code.load_x(BPF_B, kGtpuAt);
  const std::size_t plain = code.unless(BPF_JSET, kAnyOptional);
  const std::size_t no_extension = code.unless(BPF_JSET, kHasExtension);
  code.load_x(BPF_B, kGtpuAt + 12);  // the first extension header's length in words
  code.add(BPF_ALU | BPF_LSH | BPF_K, 2);
  code.add(BPF_ALU | BPF_ADD | BPF_K, kGtpuAt + 12);
  code.add(BPF_ALU | BPF_ADD | BPF_X);
  code.add(BPF_MISC | BPF_TAX);
  code.load_x(BPF_B, static_cast<std::uint32_t>(-1));
  code.require(0);  // no other one follows
  const std::size_t done = code.unless(BPF_JA, 0);
  code.join(no_extension);
  code.add(BPF_LD | BPF_IMM, kGtpuAt + 12);
  const std::size_t with_fields = code.unless(BPF_JA, 0);
  code.join(plain);
  code.add(BPF_LD | BPF_IMM, kGtpuAt + 8);
  code.join(with_fields);
  code.add(BPF_ALU | BPF_ADD | BPF_X);
  code.add(BPF_MISC | BPF_TAX);
  code.join(done);
}

}  // namespace

std::vector<sock_filter> queue_filter(bool is_n6) {
  Assembler code;
  if (is_n6) {
    code.add(BPF_LDX | BPF_IMM, 0);
  } else {
    find_udp(code);
    find_user_packet(code);
  }
  code.load_x(BPF_B, 0);
  code.add(BPF_ALU | BPF_RSH | BPF_K, 4);
  const std::size_t no_ipv4 = code.unless(BPF_JEQ, 4);
  code.load_x(BPF_W, is_n6 ? 16 : 12);
  const std::size_t done = code.unless(BPF_JA, 0);
  code.join(no_ipv4);
  code.require(6);
  code.load_x(BPF_W, is_n6 ? 24 : 8);
  code.add(BPF_ALU | BPF_MUL | BPF_K, kHashFactor);
  code.add(BPF_ST, 0);
  code.load_x(BPF_W, is_n6 ? 28 : 12);
  code.add(BPF_LDX | BPF_MEM, 0);
  code.add(BPF_ALU | BPF_ADD | BPF_X);
  code.join(done);
  code.add(BPF_ALU | BPF_MUL | BPF_K, kHashFactor);
  code.add(BPF_MISC | BPF_TAX);
  code.add(BPF_ALU | BPF_RSH | BPF_K, 16);
  code.add(BPF_ALU | BPF_XOR | BPF_X);
  code.add(BPF_RET | BPF_A);
  return code.finish();
}

}  // namespace headroom::gtpu::ports
