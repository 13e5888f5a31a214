#include "sweep/runner/shown_metrics.h"

#include <algorithm>
#include <string_view>

#include "kml/kube/objects/container.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "sweep/runner/wrapped_command.h"

namespace kml::sweep {

namespace {

/// The arguments are the file, then the command. Prints what the command appends to the file, but not what an
/// earlier trial left in it. Prints a file from its beginning if it became shorter. Passes SIGTERM and SIGINT
/// on to the command, both as SIGTERM, and exits with its exit code.
constexpr std::string_view kShowFile = R"(file=$1; shift
size_of_file() { if [ -f "$file" ]; then wc -c <"$file"; else echo 0; fi; }
show() {
  size=$(size_of_file)
  [ "$size" -ge "$shown" ] || shown=0
  [ "$size" -gt "$shown" ] || return 0
  tail -c +$((shown + 1)) "$file" | head -c $((size - shown))
  shown=$size
}

shown=$(size_of_file)
)";

/// Like the script above, but for the event files in a folder, see kEventMark. For each event file, a file in
/// a separate folder contains the size up to which it was printed.
constexpr std::string_view kShowEvents = R"(folder=$1; shift
command -v base64 >/dev/null || echo "kml: base64 is not in the image, so event files cannot be read" >&2
sizes=$(mktemp -d)
each_file() {
  [ ! -d "$folder" ] || find "$folder" -type f -name '*tfevents*' | while IFS= read -r file; do
    seen=$sizes/$(printf %s "$file" | tr / _)
    size=$(wc -c <"$file"); shown=$(cat "$seen" 2>/dev/null || echo 0)
    if [ "$1" = print ] && [ "$size" -gt "$shown" ]; then
      tail -c +$((shown + 1)) "$file" | head -c $((size - shown)) | base64 |
        while IFS= read -r part; do printf 'kml-events %s %s\n' "$part" "$file"; done
    fi
    echo "$size" >"$seen"
  done
}
show() { each_file print; }

each_file skip
trap 'rm -rf "$sizes"' EXIT
)";

constexpr std::string_view kRun = R"("$@" & child=$!
trap 'kill -TERM $child' TERM INT
while kill -0 $child 2>/dev/null; do show; sleep 1; done
wait $child; code=$?
show; exit $code)";

/// The container whose metrics are read.
Json& main_container(Json& pod, const std::string& name) {
  Json& containers = pod["spec"]["containers"];
  const auto found = std::find_if(containers.begin(), containers.end(),
                                  [&](const Json& each) { return api::entry_name(each) == name; });
  return found == containers.end() ? containers[0] : *found;
}

/// Mounts an empty volume at the folder, unless the folder is the root or not an absolute path, or the
/// manifest mounts a volume there or above. As in Katib, pkg/webhook/v1beta1/pod/utils.go,
/// mutateMetricsCollectorVolume().
void add_volume(Json& pod, Json& container, std::string folder) {
  while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
  const auto is_there = [&](const Json& mount) {
    const std::string path = api::mount_path_of(mount);
    return path == folder || (folder + "/").starts_with(path + "/");
  };
  const Json& mounts = api::mounts_of(container);
  if (!folder.starts_with('/') || folder == "/" || std::any_of(mounts.begin(), mounts.end(), is_there))
    return;
  pod["spec"]["volumes"].push_back({{"name", "kml-metrics"}, {"emptyDir", Json::object()}});
  container["volumeMounts"].push_back({{"name", "kml-metrics"}, {"mountPath", folder}});
}

}  // namespace

void show_metrics(Json& pod, const SweepRunnerOptions& options, const std::string& path) {
  Json& container = main_container(pod, options.conditions.container);
  const bool are_events = options.collector.reads_events;
  wrap_command(container, std::string(are_events ? kShowEvents : kShowFile).append(kRun), {path},
               "metrics in " + path + " are read by a shell script around the command",
               "add the image's command to the manifest, or print the metrics to the log");
  if (options.collector.has_volume)
    add_volume(pod, container, are_events ? path : path.substr(0, path.rfind('/')));
}

}  // namespace kml::sweep
