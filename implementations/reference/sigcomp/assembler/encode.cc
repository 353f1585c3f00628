// SPDX-License-Identifier: Apache-2.0
#include "sigcomp/assembler/encode.h"

namespace headroom::sigcomp::assembler {
namespace {

using udvm::Encoding;
using udvm::Encodings;
using udvm::OperandKind;

const Encodings& encodings_of(OperandKind kind) {
  switch (kind) {
    case OperandKind::kLiteral:
      return udvm::kLiteralEncodings;
    case OperandKind::kReference:
      return udvm::kReferenceEncodings;
    case OperandKind::kMultitype:
    case OperandKind::kAddress:
      break;
  }
  return udvm::kMultitypeEncodings;
}

// True if the octets that begin with `first` can say `integer`; if so, appends them.
bool try_first(std::uint8_t first, const Encoding& e, std::uint16_t integer, std::vector<std::uint8_t>& octets) {
  if (integer < e.base) return false;
  const unsigned rest = integer - e.base;
  if ((rest & ~unsigned{e.mask}) != 0) return false;
  // rest = (two octets >> shift) & mask, so that the two octets are rest << shift; of them, length - 1 are written.
  const unsigned two = rest << e.shift;
  octets.push_back(first);
  if (e.length > 1) octets.push_back(static_cast<std::uint8_t>(two >> 8));
  if (e.length > 2) octets.push_back(static_cast<std::uint8_t>(two));
  return true;
}

}  // namespace

void encode_operand(OperandKind kind, bool in_memory, std::uint16_t integer, std::size_t least,
                    std::vector<std::uint8_t>& octets) {
  const Encodings& encodings = encodings_of(kind);
  for (std::size_t length = least; length <= 3; ++length) {
    for (unsigned first = 0; first < encodings.size(); ++first) {
      const Encoding& e = encodings[first];
      if (e.length == length && e.in_memory == in_memory &&
          try_first(static_cast<std::uint8_t>(first), e, integer, octets)) {
        return;
      }
    }
  }
}

}  // namespace headroom::sigcomp::assembler
