// SPDX-License-Identifier: Apache-2.0
#include "wire/serve.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string>

#include "wire/ends_commands.h"

namespace headroom::wire {
namespace {

constexpr std::size_t kLongestLine = std::size_t{1} << 30;  // as the longest job
constexpr int kFailed = -32'000;                            // JSON-RPC 2.0, 5.1: -32000 to -32099 are the server's own

// Lines of a descriptor.
class Lines {
 public:
  explicit Lines(int descriptor) : descriptor_(descriptor) {}

  // The next line; none at the end of the input, or when `signals` (-1: no descriptor) can be read.
  std::optional<std::string> next(int signals) {
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

 private:
  bool more(int signals) {
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

  [[noreturn]] static void fail() {
    throw Error(ErrorKind::input, std::string("requests cannot be read: ") + std::strerror(errno) + ".");
  }

  int descriptor_;
  std::string text_;
};

void write_line(int descriptor, const Json& reply) {
  const std::string line = reply.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  for (std::size_t written = 0; written < line.size();) {
    const ssize_t n = write(descriptor, line.data() + written, line.size() - written);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) throw Error(ErrorKind::output, std::string("a reply cannot be written: ") + std::strerror(errno) + ".");
    written += static_cast<std::size_t>(n);
  }
}

// A job over the ports that are open; the first one opens them.
Json answer(const Json& request, std::optional<Ends>& ends) {
  Object object(Value(request, ""));
  (void)object.required("jsonrpc").text();
  (void)object.required("id");
  std::vector<std::string_view> names;
  for (const EndsCommand& command : ends_commands()) names.push_back(command.name);
  const std::size_t method = object.required("method").choice(names);
  const Json& job = object.required("params").json();
  object.finish();
  return ends_commands()[method].run(job, ends);
}

}  // namespace

void serve(int input, int output) {
  Lines lines(input);
  std::optional<Ends> ends;
  while (const auto line = lines.next(ends ? ends->signals().descriptor() : -1)) {
    Json reply = {{"jsonrpc", "2.0"}, {"id", nullptr}};
    try {
      const Json request = parse_json(*line);
      if (request.is_object() && request.contains("id")) reply["id"] = request["id"];
      reply["result"] = answer(request, ends);
    } catch (const Error& error) {
      const Json about = {{"exception", name_of(error.kind())}, {"where", error.where()}};
      reply["error"] = {{"code", kFailed}, {"message", error.what()}, {"data", about}};
    }
    write_line(output, reply);
  }
}

}  // namespace headroom::wire
