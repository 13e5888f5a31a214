#include "local/kubelet/security_context.h"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include "local/kubelet/pod_environment.h"
#include "local/store/object.h"

namespace kml::local {

namespace {

const Json* security_field(const Json& pod, const Json& container, const char* name) {
  if (const Json* own = find(container, {"securityContext", name})) return own;
  return find(pod, {"spec", "securityContext", name});
}

std::optional<int64_t> id_field(const Json& pod, const Json& container, const char* name) {
  const Json* value = security_field(pod, container, name);
  return value && value->is_number_integer() ? value->get<int64_t>() : std::optional<int64_t>();
}

/// As container runtimes do: the user's group, and root's for a user that the system does not know.
int64_t group_of(int64_t user) {
  const passwd* entry = ::getpwuid(static_cast<uid_t>(user));
  return entry ? entry->pw_gid : 0;
}

/// pkg/kubelet/kuberuntime/security_context.go: verifyRunAsNonRoot.
void require_non_root(const Json& pod, const Json& container, const std::optional<int64_t>& user) {
  const Json* wanted = security_field(pod, container, "runAsNonRoot");
  if (!wanted || *wanted != true || user.value_or(::geteuid()) != 0) return;
  throw config_error(fmt::format("{} (pod: \"{}_{}({})\", container: {})",
                                 user ? "container's runAsUser breaks non-root policy"
                                      : "container has runAsNonRoot and image will run as root",
                                 name_of(pod), namespace_of(pod), uid_of(pod),
                                 string_at(container, {"name"})));
}

}  // namespace

Privileges privileges_of(const Json& pod, const Json& container) {
  Privileges privileges;
  if (::geteuid() == 0) {
    privileges.user = id_field(pod, container, "runAsUser");
    privileges.group = id_field(pod, container, "runAsGroup");
    if (privileges.user && !privileges.group) privileges.group = group_of(*privileges.user);
    for (const Json& group : array_at(pod, {"spec", "securityContext", "supplementalGroups"}))
      privileges.groups.push_back(group.get<int64_t>());
  }
  require_non_root(pod, container, privileges.user);
  const Json* escalation = find(container, {"securityContext", "allowPrivilegeEscalation"});
  privileges.no_new = escalation && *escalation == false;
  privileges.read_only_root = bool_at(container, {"securityContext", "readOnlyRootFilesystem"});
  for (const Json& name : array_at(container, {"securityContext", "capabilities", "drop"}))
    privileges.dropped.push_back(name.get<std::string>());
  return privileges;
}

}  // namespace kml::local
