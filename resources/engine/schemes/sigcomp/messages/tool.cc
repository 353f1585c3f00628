// SPDX-License-Identifier: Apache-2.0
#include "schemes/sigcomp/messages/tool.h"

#include <memory>
#include <string>

#include "adapter/description.h"
#include "adapter/library.h"

namespace headroom::sigcomp::messages {

Json run_tool(const Json& document) {
  Object object(Value(document, ""));
  const Value path = object.required("library");
  const Value request = object.required("request");
  if (!request.json().is_object()) request.fail("a request is an object, such as {\"tool\": \"assemble\", …}.");
  object.finish();
  const std::shared_ptr<const Library> library = Library::open(path.text(), path.pointer());
  if (library->tools() == nullptr) {
    throw Error(ErrorKind::adapter, "the adapter " + library->path() + " has no tools.", path.pointer());
  }
  const std::string question = request.json().dump();
  const std::string text = fetch_text("tools.ask", [&](char* json, std::size_t capacity) {
    return library->tools()->ask(question.c_str(), json, capacity);
  });
  Json answer;
  try {
    answer = parse_json(text);
  } catch (const Error& error) {
    throw Error(ErrorKind::adapter, std::string("what the adapter's tool returns is wrong: ") + error.what());
  }
  if (!answer.is_object())
    throw Error(ErrorKind::adapter, "the adapter's tool returns something other than an object.");
  return answer;
}

}  // namespace headroom::sigcomp::messages
