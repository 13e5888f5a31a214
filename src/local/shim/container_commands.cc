#include "local/shim/container_commands.h"

#include <signal.h>

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

#include "kml/base/exception_text.h"
#include "kml/base/process.h"
#include "local/shim/command_channel.h"
#include "local/shim/process_tree.h"
#include "local/shim/program.h"

namespace kml::local {

namespace {

void tell(const Fd& connection, CommandAnswer::Kind kind, int exit_code, const std::string& text) {
  CommandAnswer answer{kind, exit_code};
  text.copy(answer.text, sizeof answer.text - 1);
  send_message(connection.get(), {reinterpret_cast<const char*>(&answer), sizeof answer});
}

/// The descriptor at that index of the message, or -1. The first one is the connection.
int descriptor(const Message& message, size_t index) {
  return index < message.descriptors.size() ? message.descriptors[index].get() : -1;
}

}  // namespace

ContainerCommands::ContainerCommands(const KeeperSettings& settings, Fd requests)
    : settings_(settings), requests_(std::move(requests)) {}

void ContainerCommands::add_sources(std::vector<pollfd>& sources) const {
  if (requests_) sources.push_back({requests_.get(), POLLIN, 0});
  for (const Command& command : running_) sources.push_back({command.connection.get(), POLLIN, 0});
}

void ContainerCommands::look(std::span<const pollfd> sources) {
  bool has_request = false;
  for (const pollfd& source : sources) {
    if (source.revents == 0) continue;
    has_request = has_request || source.fd == requests_.get();
    // The server sends nothing more on such a connection, so any event means that the connection has ended.
    const auto gone = std::find_if(running_.begin(), running_.end(), [&](const Command& command) {
      return command.connection.get() == source.fd;
    });
    if (gone == running_.end()) continue;
    kill_session(gone->pid);
    running_.erase(gone);
  }
  // Done last, because a new connection may get the number of a connection in `sources` that was closed
  // meanwhile.
  if (has_request) take_request();
}

void ContainerCommands::take_request() {
  auto message = receive_message(requests_.get());
  if (!message) {
    requests_ = Fd();
    return;
  }
  if (message->descriptors.empty()) return;
  std::string problem;
  const pid_t pid = start(*message, problem);
  Fd connection = std::move(message->descriptors.front());
  tell(connection, pid > 0 ? CommandAnswer::started : CommandAnswer::refused, 0, problem);
  if (pid > 0) running_.push_back({pid, std::move(connection)});
}

/// Never throws, because an error here must not end the keeper, and the container with it.
pid_t ContainerCommands::start(const Message& message, std::string& problem) const {
  try {
    const CommandRequest request = command_request_from_json(parse_json(message.text, "a command"));
    // A terminal is sent as one descriptor, which is used for stdin, stdout and stderr.
    const int in = descriptor(message, 1);
    return start_program(settings_,
                         {request.argv, in, request.terminal ? in : descriptor(message, 2),
                          request.terminal ? in : descriptor(message, 3), request.terminal},
                         problem);
  } catch (const std::exception& error) {
    problem = exception_text(error);
    return 0;
  }
}

void ContainerCommands::reaped(pid_t pid, int wait_status) {
  const auto ended = std::find_if(running_.begin(), running_.end(),
                                  [&](const Command& command) { return command.pid == pid; });
  if (ended == running_.end()) return;
  const int code = exit_code_of_status(wait_status);
  tell(ended->connection, CommandAnswer::ended, code, {});
  running_.erase(ended);
}

}  // namespace kml::local
