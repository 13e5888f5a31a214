#include "kml/base/agent.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "kml/base/clean.h"
#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/text.h"

namespace kml {

namespace {

namespace fs = std::filesystem;

bool is_agents_file(const fs::path& agents_folder, const std::string& file) {
  if (file.starts_with('~')) return false;
  std::error_code failed;
  const fs::path folder = fs::canonical(agents_folder, failed);
  if (failed) return false;
  const fs::path path = fs::weakly_canonical(fs::absolute(file, failed), failed).lexically_relative(folder);
  if (failed || path.empty()) return false;
  return path == "." || std::none_of(path.begin(), path.end(),
                                     [](const fs::path& name) { return name.native().starts_with('.'); });
}

bool is_allowed(const std::string& word) {
  const std::vector<std::string> allowed = split(environment(kAgentSecrets), ',');
  return std::find(allowed.begin(), allowed.end(), word) != allowed.end();
}

}  // namespace

bool runs_for_agent() {
  return std::getenv(kAgentFolder) != nullptr;
}

const char* variable_for_job(const std::string& name) {
  if (runs_for_agent() && !is_allowed(name))
    throw usage_error("kml mcp does not copy the variable " + name + " into a job",
                      "the model could read its value in the job's log",
                      "ask the user, who can allow it: kml mcp --secret-names " + name);
  return std::getenv(name.c_str());
}

bool agent_may_use(const std::string& object) {
  constexpr std::string_view kSecret = "secret/";
  return !runs_for_agent() || is_allowed(object) ||
         (object.starts_with(kSecret) && is_allowed(object.substr(kSecret.size())));
}

void require_agents_file(const std::string& file) {
  const char* folder = std::getenv(kAgentFolder);
  if (!folder || is_agents_file(folder, file)) return;
  throw usage_error(
      "kml mcp does not read " + clean(file),
      "its content could reach the model, so kml mcp reads only files below the folder in which it was "
      "started, and none with a name that starts with a dot",
      "copy the file to such a place, or ask the user to run the command");
}

}  // namespace kml
