// SPDX-License-Identifier: Apache-2.0
//
// The SIP sequences of traffic-profiles/sip as octets, for tests and benchmarks: lines end in CRLF, and {length} is
// that of the body (RFC 3261, 7 and 20.14). Ends the program when there is none: without messages nothing is proved.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "sigcomp/test/support/hex.h"

namespace headroom::sigcomp::test {

struct SipSequence {
  std::string name;
  std::vector<Bytes> messages;
  std::vector<bool> is_back;  // each of them: sent by the one who did not begin
};

[[nodiscard]] inline Bytes sip_message(const std::vector<std::string>& lines) {
  const auto blank = std::find(lines.begin(), lines.end(), "");
  std::string head;
  std::string body;
  for (auto line = lines.begin(); line != blank; ++line) head += *line + "\r\n";
  for (auto line = blank == lines.end() ? blank : blank + 1; line != lines.end(); ++line) body += *line + "\r\n";
  const std::string placeholder = "{length}";
  const auto at = head.find(placeholder);
  if (at != std::string::npos) head.replace(at, placeholder.size(), std::to_string(body.size()));
  return text_octets(head + "\r\n" + body);
}

[[nodiscard]] inline SipSequence sip_sequence(const std::filesystem::path& file) {
  SipSequence sequence;
  sequence.name = file.stem().string();
  std::ifstream in(file, std::ios::binary);
  std::vector<std::string> lines;
  const auto finish = [&] {
    if (sequence.is_back.size() > sequence.messages.size()) sequence.messages.push_back(sip_message(lines));
    lines.clear();
  };
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("#")) continue;
    if (line.starts_with(">>>") || line.starts_with("<<<")) {
      finish();
      sequence.is_back.push_back(line[0] == '<');
    } else {
      lines.push_back(line);
    }
  }
  finish();
  if (sequence.messages.empty()) {
    std::fprintf(stderr, "there are no SIP messages in %s\n", file.c_str());
    std::exit(1);
  }
  return sequence;
}

[[nodiscard]] inline std::vector<SipSequence> sip_sequences() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(HEADROOM_SIP_SEQUENCES)) {
    if (entry.path().extension() == ".txt") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  if (files.empty()) {
    std::fprintf(stderr, "there are no SIP sequences in %s\n", HEADROOM_SIP_SEQUENCES);
    std::exit(1);
  }
  std::vector<SipSequence> sequences;
  for (const auto& file : files) sequences.push_back(sip_sequence(file));
  return sequences;
}

}  // namespace headroom::sigcomp::test
