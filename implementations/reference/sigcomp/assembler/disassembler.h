// SPDX-License-Identifier: Apache-2.0
//
// The disassembler, which translates bytecode into the mnemonic language of RFC 4464, and the tracer.
#pragma once

#include <functional>
#include <string>

#include "sigcomp/octets.h"
#include "sigcomp/udvm/udvm.h"

namespace headroom::sigcomp::assembler {

// Returns a source that assembles to the same octets and start as `code` at address `origin`. Octets that are reachable
// from `start` (by falling through, and by jumps to fixed addresses) become instructions, all others data; an
// instruction that the assembler would encode in another way becomes data with a comment. Addresses are numbers,
// because labels could make the assembler choose other octets. REQUIRES: origin + code.size() <= 65536.
[[nodiscard]] std::string disassemble(Octets code, std::uint16_t origin, std::uint16_t start);

// TracePrinter prints each instruction before it is executed, as one line: cycles used so far, address, mnemonic and
// operands. An operand in memory is followed by its current value: "[address]=value". A reference is marked by "$".
class TracePrinter final : public udvm::Trace {
 public:
  // `print` is called with each line, without a line feed.
  explicit TracePrinter(std::function<void(const std::string&)> print) : print_(std::move(print)) {}
  void instruction(const udvm::Memory& memory, std::uint16_t pc, std::uint64_t cycles) override;

 private:
  std::function<void(const std::string&)> print_;
};

}  // namespace headroom::sigcomp::assembler
