#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kml/job/views/interrupt.h"
#include "kml/kube/client/client.h"
#include "kml/pod/streams/running_rank.h"

namespace kml::pod {

/// The OpenSSH server of a pod's image, set up for one user. It never listens: each connection runs `command`
/// and speaks over its standard input and output (sshd(8), -i).
struct SshServer {
  std::string user;      ///< the only user that it can let in, the container's own
  std::string host_key;  ///< "ssh-ed25519 AAAA…"; the same for connections at the same time
  std::vector<std::string> command;
};

/// The purpose for which an SSH server is prepared. `config` only finds out its user, and leaves nothing in
/// the container.
enum class SshUse { connection, config };

/// Lets `public_key` in, a line of authorized_keys(5). Writes the server's settings and its host key to a
/// private folder of the container, in its XDG_RUNTIME_DIR, TMPDIR or /tmp; the key never leaves the
/// container. Connections at the same time share the folder, and the last one's `command` removes it. Throws
/// Error if the image has no shell or no sshd, or if sshd does not work there.
SshServer prepare_ssh_server(kube::Client& client, const RunningRank& rank, const std::string& public_key,
                             SshUse use, const job::Interrupt& interrupt);

/// The report of the script in the container; `connection` is the name of a file in its folder. Throws Error
/// if a part is missing, or could mean more than a name or a key in ssh_config(5), because a container cannot
/// be trusted.
SshServer parse_ssh_server(std::string_view report, const std::string& rank, const std::string& connection);

}  // namespace kml::pod
