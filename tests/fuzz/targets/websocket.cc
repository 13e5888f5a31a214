// WebSocket frames, for a client and for the embedded server: in two pieces, they give the same messages and
// the same fault as in one.
#include "kml/net/http/websocket.h"

#include "fuzz/input.h"

using namespace kml;
using namespace kml::http::websocket;

namespace {

std::string read(Role role, std::string_view first, std::string_view second) {
  Reader reader(role);
  std::string found;
  const auto add = [&](Opcode opcode, std::string_view payload) {
    found += static_cast<char>(opcode);
    found += payload;
    return true;
  };
  try {
    reader.feed(first, add);
    reader.feed(second, add);
  } catch (const Error& error) {
    found += error.why;
  }
  return found;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes = fuzz::text_of(data, size);
  if (bytes.empty()) return 0;
  const std::string_view rest = bytes.substr(1);
  const size_t cut = rest.empty() ? 0 : static_cast<size_t>(data[0]) % rest.size();
  for (const Role role : {Role::client, Role::server})
    fuzz::require(read(role, rest, "") == read(role, rest.substr(0, cut), rest.substr(cut)));
  return 0;
}
