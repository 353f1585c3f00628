// SPDX-License-Identifier: Apache-2.0
#include "base/lines.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace headroom {
namespace {

constexpr std::size_t kLongestLine = std::size_t{1} << 30;  // as the longest job

[[noreturn]] void fail() {
  throw Error(ErrorKind::input, std::string("requests cannot be read: ") + std::strerror(errno) + ".");
}

}  // namespace

std::optional<std::string> Lines::next(int signals) {
  std::size_t searched = 0;
  for (;;) {
    if (const std::size_t end = text_.find('\n', searched); end != std::string::npos) {
      std::string line = text_.substr(0, end);
      text_.erase(0, end + 1);
      return line;
    }
    searched = text_.size();
    if (!more(signals)) return std::nullopt;
  }
}

bool Lines::more(int signals) {
  std::array<pollfd, 2> waiting = {pollfd{signals, POLLIN, 0}, pollfd{descriptor_, POLLIN, 0}};
  while (poll(waiting.data(), waiting.size(), -1) < 0) {
    if (errno != EINTR) fail();
  }
  if (waiting[0].revents != 0) return false;
  std::array<char, 1 << 16> buffer;
  const ssize_t n = read(descriptor_, buffer.data(), buffer.size());
  if (n < 0 && errno != EINTR) fail();
  if (n > 0) text_.append(buffer.data(), static_cast<std::size_t>(n));
  if (text_.size() > kLongestLine) throw Error(ErrorKind::input, "a request is longer than 1 GiB.");
  return n != 0;
}

void write_line(int descriptor, const Json& document) {
  const std::string line = document.dump() + "\n";
  for (std::size_t written = 0; written < line.size();) {
    const ssize_t n = write(descriptor, line.data() + written, line.size() - written);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) throw Error(ErrorKind::output, std::string("a reply cannot be written: ") + std::strerror(errno) + ".");
    written += static_cast<std::size_t>(n);
  }
}

}  // namespace headroom
