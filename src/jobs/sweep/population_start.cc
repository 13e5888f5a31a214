#include "jobs/sweep/population_start.h"

#include <string_view>
#include <utility>

#include "kml/api/container.h"
#include "kml/api/object.h"
#include "kml/core/error.h"

namespace kml::jobs {

namespace {

/// Arguments: the folder, its parent or nothing, and the command. The copy gets its name last, so that it is
/// complete even if the pod is killed. Of several pods of a trial, the first one wins.
constexpr std::string_view kStart = R"(own=$1 parent=$2; shift 2
if [ ! -d "$own" ]; then
  part=$own.part-$(hostname)-$$
  mkdir -p "${own%/*}" && rm -rf "$part" || exit
  if [ -n "$parent" ]; then cp -R "$parent" "$part"; else mkdir "$part"; fi || exit
  mv -T "$part" "$own" 2>/dev/null || rm -rf "$part"
  [ -d "$own" ] || { echo "kml: cannot make $own" >&2; exit 1; }
fi
exec "$@")";

}  // namespace

void start_from_checkpoint(Json& pod, const std::string& own, const std::string& parent) {
  for (Json& container : pod["spec"]["containers"]) {
    if (!container.contains("command"))
      throw usage_error("the trial's container " + api::entry_name(container) + " has no command",
                        "population based training copies checkpoints by a shell script around the command",
                        "add the image's command to the manifest");
    Json command = {"sh", "-c", kStart, "sh", own, parent};
    for (const Json& word : api::command_of(container)) command.push_back(word);
    container["command"] = std::move(command);
  }
}

}  // namespace kml::jobs
