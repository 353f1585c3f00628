// SPDX-License-Identifier: Apache-2.0
#include "wire/serve.h"

#include <optional>
#include <string>

#include "base/lines.h"
#include "wire/ends_commands.h"

namespace headroom::wire {
namespace {

constexpr int kFailed = -32'000;  // JSON-RPC 2.0, 5.1: -32000 to -32099 are the server's own

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
