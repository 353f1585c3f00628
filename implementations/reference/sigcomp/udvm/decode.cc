// SPDX-License-Identifier: Apache-2.0
#include "sigcomp/udvm/decode.h"

#include "sigcomp/udvm/operand.h"

namespace headroom::sigcomp::udvm {
namespace {

std::optional<DecodedOperand> operand_at(Octets memory, std::size_t at, OperandKind kind) {
  std::uint8_t octets[3] = {};
  for (std::size_t i = 0; i < 3 && at + i < memory.size(); ++i) octets[i] = memory[at + i];
  const Encodings& encodings = kind == OperandKind::kLiteral     ? kLiteralEncodings
                               : kind == OperandKind::kReference ? kReferenceEncodings
                                                                 : kMultitypeEncodings;
  const Encoding& e = encodings[octets[0]];
  if (!e.valid()) return {};
  return DecodedOperand{kind, e.in_memory, integer_of(e, octets), e.length};
}

}  // namespace

std::optional<Decoded> decode(Octets memory, std::uint16_t pc, std::size_t most) {
  Decoded decoded;
  decoded.opcode = memory[pc];
  decoded.length = 1;
  const Signature* const signature = signature_of(decoded.opcode);
  if (signature == nullptr) return {};
  std::size_t count = signature->operands.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (i == most) {
      decoded.is_complete = false;
      break;
    }
    const std::size_t fixed = signature->operands.size();
    const char kind =
        i < fixed ? signature->operands[i] : signature->repeated[(i - fixed) % signature->repeated.size()];
    const auto operand = operand_at(memory, pc + decoded.length, static_cast<OperandKind>(kind));
    if (!operand) return {};
    decoded.length += operand->length;
    decoded.operands.push_back(*operand);
    if (!signature->repeated.empty() && i == signature->counted_by) {
      count += signature->repeated.size() * operand->integer;
    }
  }
  return decoded;
}

}  // namespace headroom::sigcomp::udvm
