#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kml/job/views/interrupt.h"
#include "kml/kube/client/client.h"
#include "kml/pod/streams/running_rank.h"

namespace kml::pod {

/// The OpenSSH server in a pod's image, set up for a single user. It never listens: each connection runs
/// `command`, and uses its standard input and output (sshd(8), -i).
struct SshServer {
  std::string user;  ///< the only user that the server can accept, which is the container's
  std::string
      host_key;  ///< the public host key, such as "ssh-ed25519 AAAA…"; simultaneous connections share it
  std::vector<std::string> command;
};

/// The purpose for which the SSH server is prepared. `config` only finds out the user and the host key, and
/// removes the folder again, unless connections use it.
enum class SshUse { connection, config };

/// Prepares the server to accept `public_key`, a line of authorized_keys(5). Writes the server's settings and
/// its host key to a private folder in the container, in its XDG_RUNTIME_DIR, TMPDIR or /tmp. The private key
/// never leaves the container. Simultaneous connections share the folder, and the `command` of the last one
/// removes it. Throws Error if the image has no shell or no sshd, or if sshd does not work there.
SshServer prepare_ssh_server(kube::Client& client, const RunningRank& rank, const std::string& public_key,
                             SshUse use, const job::Interrupt& interrupt);

/// Parses the report of the script in the container. `connection` is the name of a file in its folder. A
/// container cannot be trusted, so this throws Error if a part is missing, or could be more than a name or a
/// key in ssh_config(5).
SshServer parse_ssh_server(std::string_view report, const std::string& rank, const std::string& connection);

}  // namespace kml::pod
