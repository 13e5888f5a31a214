#include "sweep/runner/population_start.h"

#include <string_view>

#include "sweep/runner/wrapped_command.h"

namespace kml::sweep {

namespace {

/// The arguments are the trial's folder, the folder to copy (empty if there is none), and the command. The
/// copy gets its final name last, so that it is never incomplete, even if the pod is killed. If several pods
/// of a trial make a copy, the first complete copy is kept.
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
  for (Json& container : pod["spec"]["containers"])
    wrap_command(container, kStart, {own, parent},
                 "population-based training copies checkpoints with a shell script around the command");
}

}  // namespace kml::sweep
