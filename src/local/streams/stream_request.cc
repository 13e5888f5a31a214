#include "local/streams/stream_request.h"

#include <fmt/format.h>
#include <strings.h>

#include <algorithm>

#include "kml/base/json.h"
#include "kml/base/text.h"
#include "local/api/api_error.h"

namespace kml::local {

std::string choose_protocol(const HttpRequest& request, std::initializer_list<std::string_view> offered) {
  const UpgradeHeaders& asked = request.upgrade;
  if (asked.to.starts_with("SPDY/"))
    throw bad_request(
        "kml's embedded server does not speak SPDY; use kubectl 1.31 or later, which speaks WebSocket");
  if (::strcasecmp(asked.to.c_str(), "websocket") != 0) throw bad_request("Upgrade request required");
  if (asked.version != "13" || asked.key.empty())
    throw bad_request("the headers for WebSocket version 13 are missing");
  for (const std::string& protocol : split(asked.protocols, ',')) {
    const std::string name(trim(protocol));
    if (std::find(offered.begin(), offered.end(), name) != offered.end()) return name;
  }
  throw bad_request(fmt::format("unknown WebSocket subprotocol: \"{}\"; known here: {}", asked.protocols,
                                fmt::join(offered, ", ")));
}

void send_on(WebSocket& socket, Channel channel, std::string_view bytes) {
  std::string message(1, static_cast<char>(channel));
  socket.send(message.append(bytes));
}

std::string success_text() {
  return R"({"metadata":{},"status":"Success"})";
}

std::string exit_code_text(const std::string& command, int exit_code) {
  const std::string code = std::to_string(exit_code);
  return compact_text(
      {{"metadata", Json::object()},
       {"status", "Failure"},
       {"message",
        fmt::format("command terminated with non-zero exit code: error executing command [{}], exit code {}",
                    command, code)},
       {"reason", "NonZeroExitCode"},
       {"details", {{"causes", Json::array({{{"reason", "ExitCode"}, {"message", code}}})}}}});
}

std::string internal_error_text(const std::string& why) {
  return compact_text({{"metadata", Json::object()},
                       {"status", "Failure"},
                       {"message", "Internal error occurred: " + why},
                       {"reason", "InternalError"},
                       {"details", {{"causes", Json::array({{{"message", why}}})}}},
                       {"code", 500}});
}

}  // namespace kml::local
