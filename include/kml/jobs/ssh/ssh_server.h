#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kml/jobs/streams/running_rank.h"
#include "kml/jobs/views/interrupt.h"
#include "kml/kube/client.h"

namespace kml::jobs {

/// The OpenSSH server of a pod's image, set up for one user. It never listens: each connection runs `command`
/// and speaks over its standard input and output (sshd(8), -i).
struct SshServer {
  std::string user;      ///< the only user that it can let in, the container's own
  std::string host_key;  ///< "ssh-ed25519 AAAA…"; the same for all connections to the container
  std::vector<std::string> command;
};

/// Lets `public_key` in, a line of authorized_keys(5). Writes the server's settings and, the first time, its
/// host key to a private folder in the container's /tmp; the key never leaves the container. Throws Error if
/// the image has no sshd, or if it does not work there.
SshServer prepare_ssh_server(kube::Client& client, const RunningRank& rank, const std::string& public_key,
                             const Interrupt& interrupt);

/// What the script in the container reported. Throws Error if a part is missing, or could mean more than a
/// name or a key in ssh_config(5), because a container cannot be trusted.
SshServer parse_ssh_server(std::string_view report, const std::string& rank);

}  // namespace kml::jobs
