// SPDX-License-Identifier: Apache-2.0
#include "sigcomp/udvm/opcode.h"

namespace headroom::sigcomp::udvm {
namespace {

constexpr std::array<Signature, kOpcodes> kSignatures = {{
    {"DECOMPRESSION-FAILURE", ""},        // 9.4.1
    {"AND", "$%"},                        // 9.1.1
    {"OR", "$%"},                         //
    {"NOT", "$"},                         //
    {"LSHIFT", "$%"},                     //
    {"RSHIFT", "$%"},                     //
    {"ADD", "$%"},                        // 9.1.2
    {"SUBTRACT", "$%"},                   //
    {"MULTIPLY", "$%"},                   //
    {"DIVIDE", "$%"},                     //
    {"REMAINDER", "$%"},                  //
    {"SORT-ASCENDING", "%%%"},            // 9.1.3
    {"SORT-DESCENDING", "%%%"},           //
    {"SHA-1", "%%%"},                     // 9.1.4
    {"LOAD", "%%"},                       // 9.2.1
    {"MULTILOAD", "%#", "%", 1},          // 9.2.2
    {"PUSH", "%"},                        // 9.2.3
    {"POP", "%"},                         //
    {"COPY", "%%%"},                      // 9.2.4
    {"COPY-LITERAL", "%%$"},              // 9.2.5
    {"COPY-OFFSET", "%%$"},               // 9.2.6
    {"MEMSET", "%%%%"},                   // 9.2.7
    {"JUMP", "@"},                        // 9.3.1
    {"COMPARE", "%%@@@"},                 // 9.3.2
    {"CALL", "@"},                        // 9.3.3
    {"RETURN", ""},                       //
    {"SWITCH", "#%", "@", 0},             // 9.3.4
    {"CRC", "%%%@"},                      // 9.3.5
    {"INPUT-BYTES", "%%@"},               // 9.4.2
    {"INPUT-BITS", "%%@"},                // 9.4.3
    {"INPUT-HUFFMAN", "%@#", "%%%%", 2},  // 9.4.4
    {"STATE-ACCESS", "%%%%%%"},           // 9.4.5
    {"STATE-CREATE", "%%%%%"},            // 9.4.6
    {"STATE-FREE", "%%"},                 // 9.4.7
    {"OUTPUT", "%%"},                     // 9.4.8
    {"END-MESSAGE", "%%%%%%%"},           // 9.4.9
}};

}  // namespace

const std::array<Signature, kOpcodes>& signatures() noexcept { return kSignatures; }

const Signature* signature_of(std::uint8_t opcode) noexcept {
  return opcode < kOpcodes ? &kSignatures[opcode] : nullptr;
}

std::optional<std::uint8_t> opcode_of(std::string_view mnemonic) noexcept {
  for (std::uint8_t opcode = 0; opcode < kOpcodes; ++opcode) {
    if (kSignatures[opcode].mnemonic == mnemonic) return opcode;
  }
  return {};
}

}  // namespace headroom::sigcomp::udvm
