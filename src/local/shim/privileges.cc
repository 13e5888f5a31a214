#include "local/shim/privileges.h"

#include <fmt/format.h>
#include <grp.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <string_view>
#include <vector>

namespace kml::local {

namespace {

// The index of each name is the capability's number in linux/capability.h.
constexpr std::string_view kCapabilities[] = {"CHOWN",
                                              "DAC_OVERRIDE",
                                              "DAC_READ_SEARCH",
                                              "FOWNER",
                                              "FSETID",
                                              "KILL",
                                              "SETGID",
                                              "SETUID",
                                              "SETPCAP",
                                              "LINUX_IMMUTABLE",
                                              "NET_BIND_SERVICE",
                                              "NET_BROADCAST",
                                              "NET_ADMIN",
                                              "NET_RAW",
                                              "IPC_LOCK",
                                              "IPC_OWNER",
                                              "SYS_MODULE",
                                              "SYS_RAWIO",
                                              "SYS_CHROOT",
                                              "SYS_PTRACE",
                                              "SYS_PACCT",
                                              "SYS_ADMIN",
                                              "SYS_BOOT",
                                              "SYS_NICE",
                                              "SYS_RESOURCE",
                                              "SYS_TIME",
                                              "SYS_TTY_CONFIG",
                                              "MKNOD",
                                              "LEASE",
                                              "AUDIT_WRITE",
                                              "AUDIT_CONTROL",
                                              "SETFCAP",
                                              "MAC_OVERRIDE",
                                              "MAC_ADMIN",
                                              "SYSLOG",
                                              "WAKE_ALARM",
                                              "BLOCK_SUSPEND",
                                              "AUDIT_READ",
                                              "PERFMON",
                                              "BPF",
                                              "CHECKPOINT_RESTORE"};

std::string problem_with(std::string_view what) {
  return fmt::format("{}: {}", what, std::strerror(errno));
}

/// Removes the capability from the bounding set, which limits the capabilities of programs that root starts.
std::optional<std::string> drop_capability(std::string_view name) {
  const bool all = name == "ALL";
  if (name.starts_with("CAP_")) name.remove_prefix(4);
  if (!all && std::find(std::begin(kCapabilities), std::end(kCapabilities), name) == std::end(kCapabilities))
    return fmt::format("unknown capability to drop: {}", name);
  // The kernel may know more capabilities than this list.
  for (int number = 0; ::prctl(PR_CAPBSET_READ, number, 0, 0, 0) >= 0; ++number) {
    const bool is_named =
        number < static_cast<int>(std::size(kCapabilities)) && kCapabilities[number] == name;
    // Only root's programs have capabilities to drop, so EPERM is not treated as an error.
    if ((all || is_named) && ::prctl(PR_CAPBSET_DROP, number, 0, 0, 0) != 0 && errno != EPERM)
      return problem_with("cannot drop a capability");
  }
  return {};
}

/// Clears the inheritable capabilities, which exec() would otherwise add.
void clear_inheritable() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[2] = {};
  ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  if (::syscall(SYS_capget, &header, data) != 0) return;
  data[0].inheritable = data[1].inheritable = 0;
  ::syscall(SYS_capset, &header, data);
}

}  // namespace

std::optional<std::string> give_up_privileges(const Privileges& privileges) {
  for (const std::string& name : privileges.dropped)
    if (auto problem = drop_capability(name)) return problem;
  if (!privileges.dropped.empty()) clear_inheritable();
  const std::vector<gid_t> groups(privileges.groups.begin(), privileges.groups.end());
  if (privileges.user || privileges.group || !groups.empty()) {
    if (::setgroups(groups.size(), groups.data()) != 0) return problem_with("cannot set the groups");
  }
  const auto group = static_cast<gid_t>(privileges.group.value_or(0));
  if (privileges.group && ::setresgid(group, group, group) != 0)
    return problem_with(fmt::format("cannot run as group {}", group));
  const auto user = static_cast<uid_t>(privileges.user.value_or(0));
  if (privileges.user && ::setresuid(user, user, user) != 0)
    return problem_with(fmt::format("cannot run as user {}", user));
  if (privileges.no_new && ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    return problem_with("cannot forbid new privileges");
  return {};
}

}  // namespace kml::local
