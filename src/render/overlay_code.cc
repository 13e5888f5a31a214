#include <fmt/format.h>

#include "kml/core/error.h"
#include "render/overlay.h"

namespace kml::render {

namespace {

constexpr const char* kCode = "/kml/code";

/// Unpacks the parts, in the order of their folders' names.
constexpr const char* kUnpack =
    R"(for program in cat gzip tar; do
  command -v $program >/dev/null || { echo "the image has no $program, which --code needs"; exit 1; }
done
cat /kml/parts/*/code | gzip -dc | tar -xof - -C /kml/code)";

/// What an admission check may ask of every container, less the devices.
Json like(const Json& container) {
  Json copy = {{"name", "kml-code"}};
  for (const char* key : {"image", "imagePullPolicy", "securityContext"})
    if (container.contains(key)) copy[key] = container[key];
  for (const char* side : {"requests", "limits"})
    for (const auto& [name, amount] : object_at(container, {"resources", side}).items())
      if (name.find('/') == std::string::npos) copy["resources"][side][name] = amount;
  return copy;
}

}  // namespace

void overlay_code(const spec::SubmitSpec& spec, Json& pod, Json& container) {
  if (spec.code_secrets.empty()) return;
  Json unpack = like(container);
  unpack["command"] = {"sh", "-c", kUnpack};
  // So that what is missing in the image is said in the pod's status.
  unpack["terminationMessagePolicy"] = "FallbackToLogsOnError";
  pod["volumes"].push_back({{"name", "kml-code"}, {"emptyDir", Json::object()}});
  unpack["volumeMounts"].push_back({{"name", "kml-code"}, {"mountPath", kCode}});
  for (size_t i = 0; i < spec.code_secrets.size(); ++i) {
    const std::string name = fmt::format("kml-part-{:02}", i);
    pod["volumes"].push_back({{"name", name}, {"secret", {{"secretName", spec.code_secrets[i]}}}});
    unpack["volumeMounts"].push_back(
        {{"name", name}, {"mountPath", fmt::format("/kml/parts/{:02}", i)}, {"readOnly", true}});
  }
  Json& first = pod["initContainers"];
  if (!first.is_array()) first = Json::array();
  first.insert(first.begin(), std::move(unpack));
  container["volumeMounts"].push_back({{"name", "kml-code"}, {"mountPath", kCode}});
  if (spec.working_folder.empty()) container["workingDir"] = kCode;
}

}  // namespace kml::render
