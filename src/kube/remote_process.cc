#include "kml/kube/remote_process.h"

#include <charconv>

#include "kml/api/object.h"
#include "kube/request_parts.h"

namespace kml::kube {

namespace {

using http::websocket::Opcode;
using http::websocket::Role;

constexpr const char* kProtocol = "v5.channel.k8s.io";
/// The first byte of a message.
enum Channel : char { kInput = 0, kOutput = 1, kErrorOutput = 2, kStatus = 3, kResize = 4, kClose = '\xff' };

/// Servers read no larger frames (golang.org/x/net/websocket of the API server).
constexpr size_t kLongestFrame = 32 << 10;
/// Load balancers close connections on which nothing comes for a minute.
constexpr std::chrono::seconds kBetweenPings{25};

std::string tried(const RemoteCommand& command) {
  return (command.command.empty() ? "cannot attach to pod \"" : "cannot run a command in pod \"") +
         command.pod + "\"";
}

http::Request open_request(const RemoteCommand& command, const std::string& key) {
  const char* subresource = command.command.empty() ? "attach" : "exec";
  Query query(api::find_kind("v1", "Pod")->path(command.namespace_name, command.pod, subresource));
  query.add_if("container", command.container);
  for (const std::string& word : command.command) query.add("command", word);
  if (command.has_input) query.add("stdin", "true");
  query.add("stdout", "true");
  if (command.has_terminal)
    query.add("tty", "true");
  else
    query.add("stderr", "true");
  return {.path = query.text(), .headers = http::websocket::request_headers(key, kProtocol)};
}

/// The exit code that the last message of a process gives; throws where it ended otherwise.
int exit_code_in(const std::string& text, const std::string& what) {
  const Json status = parse_json(text, "what the server says of the command's end");
  if (string_at(status, {"status"}) == "Success") return 0;
  if (string_at(status, {"reason"}) == "NonZeroExitCode")
    for (const Json& cause : array_at(status, {"details", "causes"}))
      if (string_at(cause, {"reason"}) == "ExitCode") {
        const std::string code = string_at(cause, {"message"});
        int number = 0;
        if (std::from_chars(code.data(), code.data() + code.size(), number).ec == std::errc()) return number;
      }
  Error error(ErrorCode::failure, what, string_at(status, {"message"}));
  error.reason = string_at(status, {"reason"});
  throw error;
}

}  // namespace

/// Shared, since a callback may destroy the process.
struct RemoteProcess::State : std::enable_shared_from_this<RemoteProcess::State> {
  State(Client& its_client, RemoteCommand its_command, RemoteHandler its_handler)
      : client(its_client), command(std::move(its_command)), handler(std::move(its_handler)) {}

  void open();
  void answered(const http::Response& response);
  bool take(std::string_view bytes);
  bool take_message(Opcode opcode, std::string_view payload);
  void ended(const http::Response& response, const Error* broken);
  void end(std::optional<int> exit_code, const Error* error);
  void send_message(Opcode opcode, std::string_view payload) {
    connection->send(frame(Role::client, opcode, payload));
  }
  void ping_later();

  Client& client;
  RemoteCommand command;
  RemoteHandler handler;
  http::websocket::Reader reader{Role::client};
  std::string key = http::websocket::new_key();
  std::string status;  ///< what the server said of the end
  bool is_open = false, is_over = false;
  std::unique_ptr<http::Connection> connection;
  std::unique_ptr<http::Timer> ping;
};

void RemoteProcess::State::open() {
  connection = client.transport().upgrade(
      open_request(command, key),
      {.on_open = [this](const http::Response& response) { answered(response); },
       .on_data = [this](std::string_view bytes) { return take(bytes); },
       .on_end = [this](const http::Response& response, const Error* broken) { ended(response, broken); }});
}

void RemoteProcess::State::answered(const http::Response& response) {
  const bool is_right = response.header("sec-websocket-accept") == http::websocket::accept_of(key) &&
                        response.header("sec-websocket-protocol") == kProtocol;
  if (!is_right) {
    const Error error(ErrorCode::unreachable, tried(command),
                      "the server does not speak " + std::string(kProtocol),
                      "Kubernetes speaks it from version 1.29 on; a proxy in between may cut it");
    return end({}, &error);
  }
  is_open = true;
  ping_later();
  if (handler.on_open) handler.on_open();
}

void RemoteProcess::State::ping_later() {
  ping = client.transport().after(kBetweenPings, [this] {
    send_message(Opcode::ping, "");
    ping_later();
  });
}

bool RemoteProcess::State::take(std::string_view bytes) {
  const std::shared_ptr<State> alive = shared_from_this();
  if (is_over) return false;
  try {
    reader.feed(bytes, [&](Opcode opcode, std::string_view payload) {
      return take_message(opcode, payload) && !is_over;
    });
  } catch (const Error& error) {
    Error named(ErrorCode::unreachable, tried(command), error.message + ": " + error.why);
    end({}, &named);
  }
  return !is_over;
}

bool RemoteProcess::State::take_message(Opcode opcode, std::string_view payload) {
  if (opcode == Opcode::ping) {
    send_message(Opcode::pong, payload);
    return true;
  }
  if (opcode == Opcode::close) {
    ended({}, nullptr);
    return false;
  }
  if (opcode == Opcode::pong || payload.empty()) return true;
  const std::string_view content = payload.substr(1);
  switch (payload[0]) {
    case kOutput:
    case kErrorOutput:
      if (!content.empty()) handler.on_output(payload[0] == kErrorOutput, content);
      break;
    case kStatus: status += content; break;
    default: break;
  }
  return true;
}

void RemoteProcess::State::ended(const http::Response& response, const Error* broken) {
  if (is_over) return;
  try {
    if (!is_open && broken) throw *broken;
    if (!is_open) throw response_error(tried(command), response);
    if (status.empty())
      throw Error(
          ErrorCode::unreachable, "the connection to pod \"" + command.pod + "\" ended before the command",
          broken ? broken->why : "the server did not say how the command ended, and its output may be cut",
          "the command may still run: see what runs with kml exec … -- ps");
    const int code = exit_code_in(status, tried(command));
    end(code, nullptr);
  } catch (const Error& error) {
    end({}, &error);
  }
}

void RemoteProcess::State::end(std::optional<int> exit_code, const Error* error) {
  is_over = true;
  ping.reset();
  handler.on_end(exit_code, error);
}

RemoteProcess::RemoteProcess(Client& client, RemoteCommand command, RemoteHandler handler)
    : state_(std::make_shared<State>(client, std::move(command), std::move(handler))) {
  state_->open();
}

RemoteProcess::~RemoteProcess() {
  state_->is_over = true;
  state_->ping.reset();
  state_->connection.reset();
}

void RemoteProcess::send(std::string_view bytes) {
  for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), kLongestFrame - 1)))
    state_->send_message(Opcode::binary,
                         std::string(1, kInput) + std::string(bytes.substr(0, kLongestFrame - 1)));
}

void RemoteProcess::close_input() {
  state_->send_message(Opcode::binary, std::string{kClose, kInput});
}

void RemoteProcess::resize(int columns, int rows) {
  const Json size = {{"Width", columns}, {"Height", rows}};
  state_->send_message(Opcode::binary, std::string(1, kResize) + size.dump());
}

size_t RemoteProcess::unsent() const {
  return state_->connection->unsent();
}

void RemoteProcess::pause(bool on) {
  state_->connection->pause(on);
}

}  // namespace kml::kube
