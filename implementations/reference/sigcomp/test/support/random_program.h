// SPDX-License-Identifier: Apache-2.0
//
// Programs made at random, for the verifier: few instructions, which use the same few words, jump among each other,
// modify themselves now and then, and so go round in all kinds of loops. Most end in failure, some in END-MESSAGE.
#pragma once

#include <cstdint>
#include <string>

namespace headroom::sigcomp::test {

// `below(n)` is a number from 0 to n - 1: from a generator of random numbers, or from a fuzzer's input.
template <typename Below>
class RandomProgram {
 public:
  explicit RandomProgram(Below below) : below_(below) {}

  // In the mnemonic language, from address 128 on.
  [[nodiscard]] std::string source() {
    count_ = 2 + below_(9);
    std::string text = "at (128)\n";
    // Byte copying within a small ring, any bit order, a stack: or nothing of these.
    if (below_(2) == 0)
      text += "MULTILOAD (64, 4, " + number({32, 600, 610}) + ", " + number({40, 650, 700}) + ", " + number({0, 1, 6}) +
              ", " + number({720, 320, 64}) + ")\n";
    for (unsigned i = 0; i < 3; ++i) text += "LOAD (" + word() + ", " + value() + ")\n";
    for (unsigned i = 0; i < count_; ++i) text += ":l" + std::to_string(i) + " " + instruction() + "\n";
    text += "JUMP (" + label() + ")\n:end END-MESSAGE (0, 0, 0, 0, 0, 0, 0)\n";
    return text;
  }

 private:
  [[nodiscard]] std::string number(std::initializer_list<int> some) {
    return std::to_string(some.begin()[below_(static_cast<std::uint32_t>(some.size()))]);
  }
  // The address of a word: a variable, a register, one in the ring or the code.
  [[nodiscard]] std::string word() {
    switch (below_(12)) {
      case 0:
        return number({33, 35, 37});
      case 1:
        return number({64, 66, 68, 70});
      case 2:
        return "l" + std::to_string(below_(count_));
      case 3:
        return "(l" + std::to_string(below_(count_)) + " + " + number({1, 2, 3}) + ")";
      default:
        return number({32, 34, 36, 38, 600, 610, 720, 722});
    }
  }
  [[nodiscard]] std::string small() { return number({0, 1, 2, 3, 7, 20, 255, 1000}); }
  [[nodiscard]] std::string value() {
    return below_(2) == 0 ? "$" + word() : below_(8) == 0 ? number({65535, 65534, 32768, 4096}) : small();
  }
  [[nodiscard]] std::string length() { return below_(6) == 0 ? "$" + word() : number({0, 1, 2, 5, 20}); }
  [[nodiscard]] std::string label() {
    return below_(8) == 0 ? "end" : below_(24) == 0 ? "$" + word() : "l" + std::to_string(below_(count_));
  }

  [[nodiscard]] std::string instruction() {
    switch (below_(30)) {
      case 0:
      case 1:
      case 2:
        return "ADD ($" + word() + ", " + value() + ")";
      case 3:
      case 4:
        return "SUBTRACT ($" + word() + ", " + value() + ")";
      case 5:
        return number({0, 1, 2, 3}) == "0" ? "NOT ($" + word() + ")" : "AND ($" + word() + ", " + value() + ")";
      case 6:
        return "RSHIFT ($" + word() + ", " + value() + ")";
      case 7:
        return "DIVIDE ($" + word() + ", " + value() + ")";
      case 8:
        return "REMAINDER ($" + word() + ", " + number({3, 5, 64}) + ")";
      case 9:
        return "SORT-ASCENDING (" + word() + ", " + number({1, 2}) + ", " + number({0, 2, 4}) + ")";
      case 10:
        return "SHA-1 (" + word() + ", " + length() + ", " + number({600, 604, 32}) + ")";
      case 11:
      case 12:
      case 13:
        return "LOAD (" + (below_(10) == 0 ? "$" + word() : word()) + ", " + value() + ")";
      case 14:
        return "MULTILOAD (" + word() + ", 2, " + value() + ", " + value() + ")";
      case 15:
        return "PUSH (" + value() + ")";
      case 16:
        return "POP (" + word() + ")";
      case 17:
        return "COPY (" + word() + ", " + length() + ", " + word() + ")";
      case 18:
        return "COPY-LITERAL (" + word() + ", " + length() + ", $" + word() + ")";
      case 19:
        return "COPY-OFFSET (" + small() + ", " + length() + ", $" + word() + ")";
      case 20:
        return "MEMSET (" + word() + ", " + length() + ", " + value() + ", " + value() + ")";
      case 21:
        return "JUMP (" + label() + ")";
      case 22:
      case 23:
      case 24:
        return "COMPARE (" + value() + ", " + value() + ", " + label() + ", " + label() + ", " + label() + ")";
      case 25:
        return below_(2) == 0 ? "CALL (" + label() + ")" : "RETURN";
      case 26:
        return "SWITCH (2, " + value() + ", " + label() + ", " + label() + ")";
      case 27:
        return "CRC (" + value() + ", " + word() + ", " + length() + ", " + label() + ")";
      case 28:
        return below_(4) == 0 ? "OUTPUT (" + word() + ", " + length() + ")"
                              : "INPUT-BYTES (" + number({0, 0, 1}) + ", " + word() + ", " + label() + ")";
      default:
        return below_(2) == 0 ? "INPUT-BITS (" + number({0, 0, 1, 8}) + ", " + word() + ", " + label() + ")"
                              : "INPUT-HUFFMAN (" + word() + ", " + label() + ", 1, " + number({0, 1}) + ", 0, 1, " +
                                    value() + ")";
    }
  }

  Below below_;
  std::uint32_t count_ = 0;
};

}  // namespace headroom::sigcomp::test
