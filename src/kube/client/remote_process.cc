#include "kml/kube/client/remote_process.h"

#include <charconv>

#include "kml/base/memory.h"
#include "kml/kube/objects/object.h"
#include "kube/client/channels.h"
#include "kube/client/request_parts.h"
#include "kube/client/weak_stream.h"

namespace kml::kube {

namespace {

constexpr size_t kLongestStatus = size_t{64} << 10;

/// The channel, which is the first byte of each message.
enum Channel : char { kInput = 0, kOutput = 1, kErrorOutput = 2, kStatus = 3, kResize = 4, kClose = '\xff' };

std::string tried(const RemoteCommand& command) {
  return (command.command.empty() ? "cannot attach to pod \"" : "cannot run a command in pod \"") +
         command.pod + "\"";
}

std::string path_of(const RemoteCommand& command) {
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
  return query.text();
}

/// The exit code in the last message about a process. Throws Error if the process ended in a different way.
int exit_code_in(const std::string& text, const std::string& what) {
  const Json status = parse_json(text, "the server's report about how the command ended");
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

/// Shared, so that a callback may destroy the process.
struct RemoteProcess::State {
  State(RemoteCommand its_command, RemoteHandler its_handler)
      : command(std::move(its_command)), handler(std::move(its_handler)) {}

  void open() {
    if (handler.on_open) handler.on_open();
  }
  bool take(char channel, std::string_view content);
  void end(const Error* error);

  RemoteCommand command;
  RemoteHandler handler;
  std::string status;  ///< the server's message about how the process ended
  std::unique_ptr<Channels> channels;
};

bool RemoteProcess::State::take(char channel, std::string_view content) {
  if (channel == kStatus) status += content.substr(0, kLongestStatus - status.size());
  if ((channel == kOutput || channel == kErrorOutput) && !content.empty())
    handler.on_output(channel == kErrorOutput, content);
  return true;
}

void RemoteProcess::State::end(const Error* error) {
  std::optional<int> code;
  std::optional<Error> failure;
  if (!channels->is_open() || (error && error->reason == kTooLarge)) {
    failure = *error;
  } else if (status.empty()) {
    failure =
        Error(ErrorCode::unreachable,
              "the connection to pod \"" + command.pod + "\" closed before the command finished",
              error ? error->why
                    : "the server did not report the command's exit code, and its output may be incomplete",
              "the command may still run: see what runs with kml exec … -- ps");
  } else {
    try {
      code = exit_code_in(status, tried(command));
    } catch (const Error& told) {
      failure = told;
    }
  }
  handler.on_end(code, failure ? &*failure : nullptr);
}

RemoteProcess::RemoteProcess(Client& client, RemoteCommand command, RemoteHandler handler)
    : state_(std::make_shared<State>(std::move(command), std::move(handler))) {
  state_->channels = std::make_unique<Channels>(
      client,
      Channels::Options{.path = path_of(state_->command),
                        .protocol = "v5.channel.k8s.io",
                        .tried = tried(state_->command),
                        .fix = "Kubernetes supports this protocol by default since version 1.30; a proxy in "
                               "between may not support it"},
      weak_channels<State>(state_));
}

/// If a callback is running, it keeps the rest of the state alive.
RemoteProcess::~RemoteProcess() {
  state_->channels.reset();
}

void RemoteProcess::send(std::string_view bytes) {
  state_->channels->send(kInput, bytes);
}

void RemoteProcess::close_input() {
  state_->channels->send_message(std::string{kClose, kInput});
}

void RemoteProcess::resize(int columns, int rows) {
  const Json size = {{"Width", columns}, {"Height", rows}};
  state_->channels->send(kResize, size.dump());
}

size_t RemoteProcess::unsent() const {
  return state_->channels->unsent();
}

void RemoteProcess::pause(bool on) {
  state_->channels->pause(on);
}

}  // namespace kml::kube
