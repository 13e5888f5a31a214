#include "pod/ssh/ssh_server.h"

#include <map>
#include <string>
#include <string_view>

#include "kml/base/error.h"
#include "kml/base/text.h"
#include "pod/copy/pod_shell.h"

namespace kml::pod {

namespace {

/// Removes the file of the connection $2 from the folder $1. If no other connection uses the folder, removes
/// the folder, and the renamed folders that a killed script has left.
///
/// A connection's file contains the process id of its shell; while the connection is being prepared, the file
/// is empty. A killed process keeps its id until its parent has waited for it; until then, its state is Z.
constexpr std::string_view kLeave = R"sh(runs() {
  kill -0 "$1" 2>/dev/null && ! grep -q '^State:[[:space:]]*Z' "/proc/$1/status" 2>/dev/null
}
leave() {
  trap '' HUP INT QUIT TERM
  cd "$1" || return
  rm -f "connection.$2"
  find . -name 'connection.*' -size 0 -mmin +5 -exec rm -f {} + 2>/dev/null
  for file in connection.*; do
    [ -f "$file" ] || continue
    pid=$(cat "$file" 2>/dev/null)
    [ -n "$pid" ] && ! runs "$pid" || return
  done
  mv "$1" "$1.$2" 2>/dev/null
  rm -rf "$1".*
}
)sh";

/// $1 is the pod's UID, $2 is the public key, and $3 is the connection. If $4 is "config", only prints the
/// report. Two clients may run this at the same time. If another connection has just removed the folder, the
/// script starts again.
///
/// Debian's sshd does not start without /run/sshd, which normally its service creates. sshd would not pass on
/// the container's environment, such as the image's PATH and the paths of CUDA's libraries, so SetEnv
/// (OpenSSH 7.8) sets it. In sshd's settings, quotes and line breaks cannot be escaped, so variables that
/// contain them are left out.
///
/// sshd starts sessions in the user's home. ForceCommand (OpenSSH 4.4) makes them start where this script
/// does, which is the container's working folder. ForceCommand also replaces sshd's own SFTP server, so the
/// script leaves it out if no other SFTP server is installed.
constexpr std::string_view kPrepare = R"sh(umask 077
fail() { echo "sshd: $1" >&2; exit 1; }
sshd=
for at in "$(command -v sshd)" /usr/sbin/sshd /usr/local/sbin/sshd /sbin/sshd; do
  if [ -x "$at" ]; then sshd=$at; break; fi
done
if [ -z "$sshd" ]; then echo "sshd none"; echo end; exit 0; fi
start=$(pwd) sftp=
for at in "$(command -v sftp-server)" /usr/lib/openssh/sftp-server /usr/libexec/openssh/sftp-server \
  /usr/lib/ssh/sftp-server /usr/lib64/ssh/sftp-server /usr/libexec/sftp-server; do
  if [ -x "$at" ]; then sftp=$at; break; fi
done
user=$(id -un 2>/dev/null) || fail "user $(id -u) has no name in /etc/passwd, and sshd needs one"
for base in "$XDG_RUNTIME_DIR" "$TMPDIR" /tmp; do
  if [ -n "$base" ] && [ -w "$base" ]; then break; fi
done
folder=$base/kml-ssh-$1
prepare() {
  mkdir "$folder" 2>/dev/null
  [ -d "$folder" ] && [ ! -L "$folder" ] && [ -O "$folder" ] && cd "$folder" || fail "cannot use the folder $folder"
  : >"connection.$3"
  if [ ! -s host ]; then
    ssh-keygen -q -t ed25519 -N '' -C '' -f host.$$ </dev/null >&2 || fail "ssh-keygen failed"
    ln host.$$ host 2>/dev/null
    rm -f host.$$ host.$$.pub
  fi
  grep -qxF "$2" authorized_keys 2>/dev/null || echo "$2" >>authorized_keys
  variables=$(cat /proc/self/environ | tr '\n\0' '\001\n' | sed -n -E '/[[:cntrl:]"\\]/d
    /^(HOME|USER|LOGNAME|SHELL|TERM|MAIL|PWD|OLDPWD|SHLVL|_|SSH_[A-Z]*)=/d
    s/^[A-Za-z_][A-Za-z0-9_]*=.*/ "&"/p' | tr -d '\n')
  [ -n "$variables" ] || fail "cannot read the container's environment"
  printf '%s\n' "$start" >start.$$ && mv start.$$ start
  cat >session.$$ <<'EOF'
cd "$(cat "${0%/*}/start")" || cd
case $SSH_ORIGINAL_COMMAND in
  '') exec "$SHELL" -l ;;
  internal-sftp) exec "$1" ;;
  *) exec "$SHELL" -c "$SSH_ORIGINAL_COMMAND" ;;
esac
EOF
  mv session.$$ session
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
SetEnv$variables
${sftp:+ForceCommand exec sh "$folder/session" "$sftp"}
EOF
  mv config.$$ config
  [ "$(id -u)" != 0 ] || [ -d /run/sshd ] || mkdir -p -m 755 /run/sshd
  errors=$("$sshd" -t -f "$folder/config" 2>&1) || fail "$errors"
  key=$(ssh-keygen -y -f host) && [ -e "$folder/connection.$3" ] || fail "the folder $folder was removed"
  echo "sshd $sshd"
  echo "user $user"
  echo "folder $folder"
  echo "key $key"
  echo end
}
for try in 1 2 3; do
  (prepare "$@") && code=0 || code=1
  [ ! -e "$folder/connection.$3" ] || break
done
[ $code = 0 ] && [ -z "$4" ] || leave "$folder" "$3"
exit $code
)sh";

/// $1 is sshd, $2 is the folder, and $3 is the connection. The trap makes the shell wait for sshd, which
/// receives the signal, too.
constexpr std::string_view kServe = R"sh(trap : HUP INT QUIT TERM
echo $$ >"$2/connection.$3"
"$1" -i -e -f "$2/config"
code=$?
leave "$2" "$3"
exit $code
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

SshServer parse_ssh_server(std::string_view report, const std::string& rank, const std::string& connection) {
  constexpr std::string_view kKeyType = "ssh-ed25519 ";
  std::map<std::string, std::string> parts;
  for (const std::string& line : split(report, '\n'))
    if (const size_t space = line.find(' '); space != std::string::npos)
      parts[line.substr(0, space)] = trim(line.substr(space + 1));
  if (parts["sshd"] == "none")
    throw Error(ErrorCode::failure, tried_in(rank), "its container has no sshd",
                "install OpenSSH in the image or, for a job on this machine, here (Debian: openssh-server); "
                "for a shell only: kml shell " +
                    rank);
  const std::string &user = parts["user"], &key = parts["key"];
  const bool is_valid = parts["sshd"].starts_with('/') && parts["folder"].starts_with('/') &&
                        has_only(user, "._-") && user[0] != '-' && key.starts_with(kKeyType) &&
                        has_only(std::string_view(key).substr(kKeyType.size()), "+/=");
  if (!is_valid) throw garbled(tried_in(rank));
  return {.user = user,
          .host_key = key,
          .command = {"sh", "-c", std::string(kLeave).append(kServe), "kml", parts["sshd"], parts["folder"],
                      connection}};
}

SshServer prepare_ssh_server(kube::Client& client, const RunningRank& rank, const std::string& public_key,
                             SshUse use, const job::Interrupt& interrupt) {
  PodShell shell(client, rank, rank.name(), interrupt);
  const std::string connection = random_hex(8);
  const std::string script = std::string(kLeave).append(kPrepare);
  const std::string flag = use == SshUse::config ? "config" : "";
  try {
    const std::string report = shell.output_of(
        {.script = script, .arguments = {rank.pod_uid, public_key, connection, flag}}, tried_in(rank.name()));
    return parse_ssh_server(report, rank.name(), connection);
  } catch (const Error& error) {
    if (!is_without_shell(error)) throw;
    throw Error(ErrorCode::failure, tried_in(rank.name()), error.why,
                "ssh needs an image with a shell and OpenSSH's server; for a look into the pod: kml debug " +
                    rank.name());
  }
}

}  // namespace kml::pod
