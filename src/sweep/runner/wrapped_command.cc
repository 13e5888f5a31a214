#include "sweep/runner/wrapped_command.h"

#include <utility>

#include "kml/base/error.h"
#include "kml/kube/objects/container.h"
#include "kml/kube/objects/object.h"

namespace kml::sweep {

void wrap_command(Json& container, std::string_view script, const std::vector<std::string>& arguments,
                  const std::string& why, const std::string& fix) {
  if (!container.contains("command"))
    throw usage_error("the trial's container " + api::entry_name(container) + " has no command", why, fix);
  Json command = {"sh", "-c", script, "sh"};
  for (const std::string& argument : arguments) command.push_back(argument);
  for (const Json& word : api::command_of(container)) command.push_back(word);
  container["command"] = std::move(command);
}

}  // namespace kml::sweep
