#include "job/logs/kept_lines.h"
#include "kml/kube/objects/container.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"

#include <algorithm>
#include <array>

namespace kml::job {

namespace {

constexpr std::array<std::string_view, 5> kPython = {"python", ".py", "torchrun", "accelerate", "deepspeed"};

bool names_python(std::string_view word) {
  return std::any_of(kPython.begin(), kPython.end(),
                     [word](std::string_view name) { return word.find(name) != std::string_view::npos; });
}

}  // namespace

bool may_keep_lines(const Json& pod, const std::string& name) {
  for (const Json& container : api::containers_of(pod)) {
    if (api::entry_name(container) != name) continue;
    for (const Json& variable : api::variables_of(container))
      if (api::entry_name(variable) == "PYTHONUNBUFFERED" && !string_at(variable, {"value"}, "1").empty())
        return false;
    bool any_word = false, is_python = false;
    for (const char* list : {"command", "args"})
      for (const Json& word : array_at(container, {list})) {
        if (word == "-u") return false;
        any_word = true;
        is_python |= word.is_string() && names_python(word.get_ref<const std::string&>());
      }
    return is_python || !any_word;
  }
  return false;  // the container is an init container or a sidecar
}

std::string silence_in_words(const std::string& job, bool keeps_lines) {
  const char* const why = "; Python buffers its output: set PYTHONUNBUFFERED=1 to see lines at once";
  return job + " has not printed anything yet" + (keeps_lines ? why : "");
}

}  // namespace kml::job
