#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/commands.h"
#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/process.h"
#include "kml/base/text.h"
#include "kml/job/views/interrupt.h"
#include "pod/commands/enter.h"
#include "pod/commands/named_rank.h"
#include "pod/ssh/ssh_server.h"
#include "pod/streams/session.h"

namespace kml::cli {

namespace fs = std::filesystem;

namespace {

struct SshOptions {
  std::vector<std::string> names;
  std::string container;
  bool prints_config = false;
};

/// An SSH server in a pod that accepts this user, and the files with which ssh connects to it.
struct SshHost {
  pod::RunningRank rank;
  pod::SshServer server;
  std::string place;  ///< the JOB[/RANK] that will still refer to this rank later
  fs::path identity, known_hosts;
};

fs::path ssh_folder() {
  return state_folder() / "ssh";
}

/// kml's own key, which is used for all pods. It is created once, and never leaves this machine.
fs::path identity_file() {
  fs::path file = ssh_folder() / "id_ed25519";
  if (fs::exists(file)) return file;
  make_private_folder(ssh_folder());
  const fs::path made = ssh_folder() / ("new-" + random_hex(16));
  const ProcessResult result =
      run_process({"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "kml", "-f", made.string()},
                  {.inherit_errors = true});
  if (result.exit_code != 0)
    throw Error(
        ErrorCode::failure, "cannot create a key for SSH",
        result.exit_code == 127 ? "this machine has no ssh-keygen" : "ssh-keygen failed",
        "install OpenSSH's client (Debian: openssh-client); " + ssh_folder().string() + " must be writable");
  // Another kml process may have created a key in the meantime; then that key is used.
  std::error_code exists;
  fs::create_hard_link(made, file, exists);
  fs::remove(made);
  fs::remove(made.string() + ".pub");
  return file;
}

std::string public_key_of(const fs::path& identity) {
  const ProcessResult result = run_process({"ssh-keygen", "-y", "-f", identity.string()});
  if (result.exit_code != 0)
    throw Error(ErrorCode::failure, "cannot read the SSH key " + identity.string(), "ssh-keygen failed",
                "check that ssh-keygen runs; if it does, delete the file, and kml creates a new key");
  return std::string(trim(result.out));
}

/// "bert-3.kml" for "bert/3".
std::string ssh_host_name(std::string place) {
  std::replace(place.begin(), place.end(), '/', '-');
  return place + ".kml";
}

/// Prepares the SSH server. Its key comes through the API server, so ssh does not know the key in advance.
/// This process writes it to ssh's known_hosts file in time: ssh reads that file only after the server's
/// first line.
SshHost prepared_host(Context& context, const std::string& typed, const std::string& container,
                      pod::SshUse use, const job::Interrupt& interrupt) {
  SshHost host;
  host.rank = named_rank(context, typed, container);
  host.place = lasting_name(context, typed, host.rank);
  host.identity = identity_file();
  host.server =
      pod::prepare_ssh_server(context.client(), host.rank, public_key_of(host.identity), use, interrupt);
  make_private_folder(ssh_folder() / "hosts");
  const std::string where = context.place().context + "_" + host.rank.namespace_name + "_" + host.place +
                            (container.empty() ? "" : "_" + container);
  host.known_hosts = ssh_folder() / "hosts" / path_component(where);
  const std::string line = ssh_host_name(host.place) + " " + host.server.host_key + "\n";
  if (read_file_if_exists(host.known_hosts) != line) write_file_atomically(host.known_hosts, line);
  return host;
}

/// ssh_config(5): a % starts a token.
std::string without_tokens(const std::string& text) {
  return join(split(text, '%'), "%%");
}

/// The command with which any program, such as an editor, connects to the same server. That program may have
/// a different KUBECONFIG and current context than this process.
std::string proxy_command(Context& context, const SshHost& host, const std::string& container) {
  GlobalOptions target = context.options();
  target.context = context.place().context;
  target.namespace_name = host.rank.namespace_name;
  if (target.kubeconfig.empty()) target.kubeconfig = environment("KUBECONFIG");
  if (contains(target.kubeconfig, ":")) target.kubeconfig.clear();  // the flag only accepts a single file
  if (!target.kubeconfig.empty()) target.kubeconfig = fs::absolute(target.kubeconfig).string();
  std::vector<std::string> words = {"ssh", host.place};
  if (!container.empty()) words.push_back("--container=" + container);
  return without_tokens(shell_quoted(same_kml(target, words)));
}

int run_ssh(Context& context, const SshOptions& options) {
  const std::string& typed = options.names[0];
  if (options.prints_config) {
    print_ssh_host(context, typed, options.container);
    return 0;
  }
  if (::isatty(STDIN_FILENO) == 1)
    throw usage_error("kml ssh is not for a terminal: it carries the bytes between ssh and the pod",
                      "ssh starts it, as ~/.ssh/config says",
                      "kml shell " + typed + "; to use ssh: kml ssh " + typed + " --config");
  const SshHost host = [&] {
    const job::Interrupt interrupt;
    return prepared_host(context, typed, options.container, pod::SshUse::connection, interrupt);
  }();
  return pod::run_session(context.client(), host.rank,
                          {.command = host.server.command,
                           .has_input = true,
                           .note = [&context](const std::string& text) { context.note(text); }});
}

}  // namespace

void print_ssh_host(Context& context, const std::string& typed, const std::string& container) {
  const job::Interrupt interrupt;
  const SshHost host = prepared_host(context, typed, container, pod::SshUse::config, interrupt);
  context.streams().out << "Host " << ssh_host_name(typed.starts_with('@') ? host.place : typed) << "\n"
                        << "  User " << host.server.user << "\n"
                        << "  ProxyCommand " << proxy_command(context, host, container) << "\n"
                        << "  IdentityFile \"" << without_tokens(host.identity.string()) << "\"\n"
                        << "  IdentitiesOnly yes\n"
                        << "  HostKeyAlias " << ssh_host_name(host.place) << "\n"
                        << "  UserKnownHostsFile \"" << without_tokens(host.known_hosts.string()) << "\"\n"
                        << "  GlobalKnownHostsFile none\n"
                        << "  StrictHostKeyChecking yes\n";
}

Command ssh_command() {
  auto options = std::make_shared<SshOptions>();
  Command command{"ssh", "Connect ssh, and editors that use it, to a job's running pod"};
  command.description =
      R"(`kml ssh JOB --config` prints an entry for ~/.ssh/config with the host JOB.kml. With this entry,
`ssh JOB.kml`, sftp, rsync, and the remote windows of VS Code and PyCharm work. Such ssh connections go through the API
server, as those of `kml exec` do.

The image needs the OpenSSH server, sshd (Debian: openssh-server). For each connection, kml starts an sshd that listens
on no port. The sshd accepts only the user that the container runs as, with a key that kml creates once on this
machine. The pod creates its host key, and kml passes the public part to ssh, so that ssh never asks whether to trust
the key. When the last connection to a pod closes, the key and the sshd settings are removed.

A session has the container's environment, except for variables with a double quote, a backslash or a control
character, and for those that a login sets, such as HOME. The session starts in the container's working directory, as
in `kml shell`, if the image also has sftp-server (Debian: openssh-sftp-server).

kml does not change ~/.ssh/config. Put the line "Include kml" at the top of ~/.ssh/config once, and let kml write
~/.ssh/kml.)";
  command.examples = R"(# The host bert.kml, for ssh and editors
kml ssh bert --config >~/.ssh/kml
# One more: the host bert-3.kml, which is rank 3
kml ssh bert/3 --config >>~/.ssh/kml)";
  takes_rank(command, options->names);
  takes_container(command, options->container);
  command.flag("--config", options->prints_config, "print the entry for ~/.ssh/config")
      .details(
          "Print the ~/.ssh/config entry for this pod. The entry contains the path of the kml in use, the "
          "context "
          "and the "
          "namespace, and stays valid when the job gets a new pod.");
  command.run = [options](Context& context) { return run_ssh(context, *options); };
  return command;
}

}  // namespace kml::cli
