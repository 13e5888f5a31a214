#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kml/core/files.h"
#include "kml/core/json.h"

namespace kml::local {

/// How the server asks a pod's shim for a further command in a container, as `kubectl exec` does: it connects
/// to a socket in the pod's folder and sends one message. The shim hands connection and message on to the
/// container's keeper, which starts the command beside the program, and answers. What the command reads and
/// writes goes directly between it and the server. The connection's end ends the command.
struct CommandRequest {
  std::string container;
  std::vector<std::string> argv;
  bool terminal = false;  ///< the descriptors are a terminal, which is to be the command's own
};

Json to_json(const CommandRequest& request);
CommandRequest command_request_from_json(const Json& json);

/// Of a command, from its keeper.
struct CommandAnswer {
  enum Kind : int { started, refused, ended } kind;
  int exit_code = 0;  ///< of `ended`, 128 + the number where a signal ended it
  char text[512] = {};
};

struct Message {
  std::string text;
  std::vector<Fd> descriptors;  ///< that came with it
};

/// One message of a SOCK_SEQPACKET socket, with descriptors. False, with errno, if it cannot be sent now.
bool send_message(int socket, std::string_view text, std::span<const int> descriptors = {});
/// Empty at the end of the connection, and where nothing is there yet (errno EAGAIN).
std::optional<Message> receive_message(int socket);

/// A socket in the folder that only this user can open; the path may be of any length.
Fd listen_for_commands(const std::filesystem::path& path);
/// Empty, with errno, if nobody listens.
Fd connect_for_commands(const std::filesystem::path& path);

/// Whether the other end is this user's and outside containers: a pod's program must neither ask for commands
/// nor answer in a shim's place.
bool is_trusted_peer(int socket);

}  // namespace kml::local
