#include "kml/job/views/dev_session.h"

#include <algorithm>
#include <string>

#include "kml/base/text.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/objects/container.h"
#include "kml/kube/objects/pod.h"

namespace kml::job {

std::optional<std::chrono::seconds> idle_limit_of_session(const Json& pod) {
  for (const Json& container : api::containers_of(pod)) {
    const Json& words = api::command_of(container);
    const auto name = std::find(words.begin(), words.end(), kIdleGuardName);
    if (name == words.end()) continue;
    const bool has_limit = name + 1 != words.end() && name[1].is_string();
    return std::chrono::seconds(has_limit ? whole_number(name[1].get<std::string>()).value_or(0) : 0);
  }
  return {};
}

std::vector<std::string> without_idle_guard(const std::vector<std::string>& command) {
  constexpr size_t kGuard = 5;  // how many words come before the command: sh -c SCRIPT kml-dev SECONDS
  const bool is_guarded = command.size() >= kGuard && command[3] == kIdleGuardName;
  if (!is_guarded) return command;
  if (command.size() == kGuard) return {"kml", "dev"};
  return {command.begin() + kGuard, command.end()};
}

bool is_session(const Json& job) {
  bool is_guarded = false;
  each_pod_template(job, [&](const Json& pod, int) { is_guarded |= idle_limit_of_session(pod).has_value(); });
  return is_guarded;
}

}  // namespace kml::job
