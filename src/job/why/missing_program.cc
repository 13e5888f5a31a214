#include "job/why/missing_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "job/render/overlay.h"
#include "kml/base/text.h"
#include "kml/kube/objects/container.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"

namespace kml::job {

namespace {

/// The words of runc, crun and the embedded server.
bool tells_of_missing_shell(std::string_view text) {
  constexpr std::string_view kSigns[] = {"exec: \"sh\": ", "executable file `sh` not found"};
  return std::ranges::any_of(kSigns, [&](std::string_view sign) { return contains(text, sign); });
}

/// Unpacks the code before the other containers start, so the lack of a shell is noticed there first.
const Json* unpacking_container(const Json& pod) {
  for (const Json& container : api::containers_of(pod, "initContainers"))
    if (api::entry_name(container) == "kml-code") return &container;
  return nullptr;
}

const Json* installing_container(const Json& pod) {
  for (const Json& container : api::containers_of(pod))
    if (!render::words_before_command(container).empty()) return &container;
  return nullptr;
}

/// Whether the message is one that the programs of --uv and --code write for a missing program.
bool tells_of_missing_program(std::string_view message) {
  return message.starts_with("the image has no ") && contains(message, ", which --");
}

std::vector<Remedy> remedies_for(bool is_for_packages) {
  return {{is_for_packages ? "submit it again with an image that has sh and Python, such as python:3-slim"
                           : "submit it again with an image that has sh, cat, gzip and tar",
           "kml submit --image IMAGE …"},
          {"or add the files to the image, without running it", "kml image append IMAGE …"}};
}

}  // namespace

void name_missing_program(const Json& pod, Cause& cause) {
  if (tells_of_missing_program(cause.message))
    cause.remedies = remedies_for(!contains(cause.message, "--code"));
  if (!tells_of_missing_shell(cause.message)) return;
  const Json *unpacking = unpacking_container(pod), *installing = installing_container(pod);
  const Json* container = unpacking ? unpacking : installing;
  if (!container) return;
  const std::string needs = unpacking ? "which --code needs" : "which --uv, --requirements and --conda need";
  cause.brief = "the image has no sh, " + needs;
  cause.summary =
      fmt::format("image {} of pod {} has no sh, {}", api::image_of(*container), api::name_of(pod), needs);
  cause.remedies = remedies_for(installing != nullptr);
}

}  // namespace kml::job
