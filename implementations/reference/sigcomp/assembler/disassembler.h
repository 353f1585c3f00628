// SPDX-License-Identifier: Apache-2.0
//
// From bytecode back to the mnemonic language of RFC 4464, and the tracer.
#pragma once

#include <functional>
#include <string>

#include "sigcomp/octets.h"
#include "sigcomp/udvm/udvm.h"

namespace headroom::sigcomp::assembler {

// Bytecode that is to be found at address `origin`, as a source that assembles to the same octets and start. What can
// be reached from `start` (by falling through, and by jumps to fixed addresses) becomes instructions, the rest data; an
// instruction that the assembler would encode in another way becomes data with a comment.
// Addresses are numbers: with labels, other octets could be as right. REQUIRES: origin +
// code.size() <= 65536.
[[nodiscard]] std::string disassemble(Octets code, std::uint16_t origin, std::uint16_t start);

// Prints each instruction before it is executed, as one line: cycles used so far, address, mnemonic, operands; behind
// those that lie in memory, the value that is there now: "[address]=value". A reference has its "$".
class TracePrinter final : public udvm::Trace {
 public:
  // `print` gets lines without a line feed.
  explicit TracePrinter(std::function<void(const std::string&)> print) : print_(std::move(print)) {}
  void instruction(const udvm::Memory& memory, std::uint16_t pc, std::uint64_t cycles) override;

 private:
  std::function<void(const std::string&)> print_;
};

}  // namespace headroom::sigcomp::assembler
