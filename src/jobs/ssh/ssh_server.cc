#include "kml/jobs/ssh/ssh_server.h"

#include <map>
#include <string>
#include <string_view>

#include "jobs/copy/pod_shell.h"
#include "kml/core/error.h"
#include "kml/core/text.h"

namespace kml::jobs {

namespace {

/// For $1, the pod's UID, and $2, the public key. Two clients may run it at once. SetEnv (OpenSSH 7.8) gives
/// sessions the container's environment, which sshd would not pass on: without it, the image's PATH and
/// CUDA's libraries are missing. sshd's settings have no escape for a quote or a line break, so that such
/// variables are left out. Debian's sshd refuses to start without /run/sshd, which only its service creates.
constexpr std::string_view kPrepare = R"sh(umask 077
fail() { echo "sshd: $1" >&2; exit 1; }
sshd=
for at in "$(command -v sshd)" /usr/sbin/sshd /usr/local/sbin/sshd /sbin/sshd; do
  if [ -x "$at" ]; then sshd=$at; break; fi
done
if [ -z "$sshd" ]; then echo "sshd none"; echo end; exit 0; fi
user=$(id -un 2>/dev/null) || fail "user $(id -u) has no name in /etc/passwd, and sshd needs one"
folder=${TMPDIR:-/tmp}/kml-ssh-$1
mkdir "$folder" 2>/dev/null
[ -d "$folder" ] && [ ! -L "$folder" ] && [ -O "$folder" ] && cd "$folder" || fail "cannot use the folder $folder"
if [ ! -s host ]; then
  ssh-keygen -q -t ed25519 -N '' -C '' -f host.$$ </dev/null >&2 || fail "ssh-keygen failed"
  ln host.$$ host 2>/dev/null
  rm -f host.$$ host.$$.pub
fi
grep -qxF "$2" authorized_keys 2>/dev/null || echo "$2" >>authorized_keys
variables=$(cat /proc/self/environ | tr '\n\0' '\001\n' | awk '/[[:cntrl:]"\\]/ { next }
  /^(HOME|USER|LOGNAME|SHELL|TERM|MAIL|PWD|OLDPWD|SHLVL|_|SSH_[A-Z]*)=/ { next }
  /^[A-Za-z_][A-Za-z0-9_]*=/ { printf " \"%s\"", $0 }')
cat >config.$$ <<EOF
HostKey "$folder/host"
AuthorizedKeysFile "$folder/authorized_keys"
AuthenticationMethods publickey
StrictModes no
UsePAM no
PidFile none
PrintMotd no
LogLevel ERROR
AcceptEnv LANG LC_*
Subsystem sftp internal-sftp
${variables:+SetEnv$variables}
EOF
mv config.$$ config
[ "$(id -u)" != 0 ] || [ -d /run/sshd ] || mkdir -p -m 755 /run/sshd
errors=$("$sshd" -t -f "$folder/config" 2>&1) || fail "$errors"
echo "sshd $sshd"
echo "user $user"
echo "config $folder/config"
echo "key $(ssh-keygen -y -f host)"
echo end
)sh";

/// Whether the text has only ASCII letters, digits and these characters.
bool has_only(std::string_view text, std::string_view others) {
  constexpr std::string_view kAlways = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  return !text.empty() && text.find_first_not_of(std::string(kAlways).append(others)) == std::string::npos;
}

std::string tried_in(const std::string& rank) {
  return "cannot start an SSH server in " + rank;
}

}  // namespace

SshServer parse_ssh_server(std::string_view report, const std::string& rank) {
  constexpr std::string_view kKeyType = "ssh-ed25519 ";
  std::map<std::string, std::string> parts;
  for (const std::string& line : split(report, '\n'))
    if (const size_t space = line.find(' '); space != std::string::npos)
      parts[line.substr(0, space)] = trim(line.substr(space + 1));
  if (parts["sshd"] == "none")
    throw Error(ErrorCode::failure, tried_in(rank), "its image has no sshd",
                "install OpenSSH in the image (Debian: openssh-server); for a shell only: kml shell " + rank);
  const std::string &user = parts["user"], &key = parts["key"];
  const bool is_valid = parts["sshd"].starts_with('/') && parts["config"].starts_with('/') &&
                        has_only(user, "._-") && user[0] != '-' && key.starts_with(kKeyType) &&
                        has_only(std::string_view(key).substr(kKeyType.size()), "+/=");
  if (!is_valid) throw garbled(tried_in(rank));
  return {.user = user, .host_key = key, .command = {parts["sshd"], "-i", "-e", "-f", parts["config"]}};
}

SshServer prepare_ssh_server(kube::Client& client, const RunningRank& rank, const std::string& public_key,
                             const Interrupt& interrupt) {
  PodShell shell(client, rank, rank.name(), interrupt);
  const std::string report =
      shell.output_of({.script = kPrepare, .arguments = {rank.pod_uid, public_key}}, tried_in(rank.name()));
  return parse_ssh_server(report, rank.name());
}

}  // namespace kml::jobs
