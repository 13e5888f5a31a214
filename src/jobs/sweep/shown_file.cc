#include "jobs/sweep/shown_file.h"

#include "kml/core/error.h"

namespace kml::jobs {

namespace {

/// The file first, then the command. Only what is new is shown: nothing that an earlier trial left, and no
/// value twice. A signal goes on to the command, whose exit code is the container's.
constexpr std::string_view kShow = R"(file=$1; shift
size_of_file() { if [ -f "$file" ]; then wc -c <"$file"; else echo 0; fi; }
show() {
  size=$(size_of_file)
  [ "$size" -ge "$shown" ] || shown=0
  [ "$size" -gt "$shown" ] || return 0
  tail -c +$((shown + 1)) "$file" | head -c $((size - shown))
  shown=$size
}
shown=$(size_of_file)
"$@" & child=$!
trap 'kill -TERM $child' TERM INT
while kill -0 $child 2>/dev/null; do show; sleep 1; done
wait $child; code=$?
show; exit $code)";

}  // namespace

void show_file(Json& container, const std::string& path) {
  if (!container.contains("command"))
    throw usage_error("the trial's container " + string_at(container, {"name"}) + " has no command",
                      "metrics in file " + path + " are read by a shell around the command",
                      "write the image's own command into the manifest, or let the trial print its metrics");
  Json command = {"sh", "-c", kShow, "sh", path};
  for (const Json& word : container["command"]) command.push_back(word);
  container["command"] = std::move(command);
}

}  // namespace kml::jobs
