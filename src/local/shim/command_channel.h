#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/files.h"
#include "kml/base/json.h"

namespace kml::local {

/// How the server asks a pod's shim to start one more command in a container, for `kubectl exec`. The server
/// connects to a socket in the pod's folder, and sends one message. The shim passes the connection and the
/// message to the container's keeper, which starts the command beside the program and responds. The command
/// exchanges its input and output directly with the server. When the connection ends, the command is killed.
struct CommandRequest {
  std::string container;
  std::vector<std::string> argv;
  bool terminal = false;  ///< the descriptor is a terminal, which the command controls
};

Json to_json(const CommandRequest& request);
CommandRequest command_request_from_json(const Json& json);

/// A keeper's report about a command.
struct CommandAnswer {
  enum Kind : int { started, refused, ended } kind;
  int exit_code = 0;  ///< set if `ended`; 128 plus the signal's number if a signal ended the command
  char text[512] = {};
};

struct Message {
  std::string text;
  std::vector<Fd> descriptors;  ///< descriptors that are sent with the text
};

/// Sends a message with descriptors through a SOCK_SEQPACKET socket. If it cannot be sent now, returns false
/// and sets errno.
bool send_message(int socket, std::string_view text, std::span<const int> descriptors = {});
/// Receives a message. Empty at the end of the connection, and if no message has arrived yet (errno is then
/// EAGAIN).
std::optional<Message> receive_message(int socket);

/// Creates a socket to which only this user can connect. The path may have any length.
Fd listen_for_commands(const std::filesystem::path& path);
/// Connects to a socket that listen_for_commands() has created. If no process listens, returns nothing and
/// sets errno.
Fd connect_for_commands(const std::filesystem::path& path);

/// Whether the process at the other end belongs to this user, and runs outside of containers. A pod's program
/// must not be able to start commands, or to respond in place of a shim.
bool is_trusted_peer(int socket);

}  // namespace kml::local
