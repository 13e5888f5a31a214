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

/// How the server asks a pod's shim to start one more command in a container, for `kubectl exec`: it connects
/// to a socket in the pod's folder and sends one message. The shim passes the connection and the message to
/// the container's keeper, which starts the command beside the program and answers. The command's input and
/// output go directly between it and the server. When the connection ends, the command is killed.
struct CommandRequest {
  std::string container;
  std::vector<std::string> argv;
  bool terminal = false;  ///< the descriptor is a terminal that becomes the command's own
};

Json to_json(const CommandRequest& request);
CommandRequest command_request_from_json(const Json& json);

/// A keeper's report about a command.
struct CommandAnswer {
  enum Kind : int { started, refused, ended } kind;
  int exit_code = 0;  ///< if `ended`; 128 + the signal's number if a signal ended it
  char text[512] = {};
};

struct Message {
  std::string text;
  std::vector<Fd> descriptors;  ///< sent with the text
};

/// Sends one message with descriptors through a SOCK_SEQPACKET socket. Returns false, with errno, if it
/// cannot be sent now.
bool send_message(int socket, std::string_view text, std::span<const int> descriptors = {});
/// Receives one message. Empty at the end of the connection, or if no message has arrived yet (errno EAGAIN).
std::optional<Message> receive_message(int socket);

/// Makes a socket that only this user can open. The path may have any length.
Fd listen_for_commands(const std::filesystem::path& path);
/// Connects to such a socket. Empty, with errno, if no process listens.
Fd connect_for_commands(const std::filesystem::path& path);

/// Whether the process at the other end belongs to this user and runs outside containers: a pod's program
/// must neither start commands nor answer in place of a shim.
bool is_trusted_peer(int socket);

}  // namespace kml::local
