#include "kml/pipeline/language/artifact_name.h"

#include "kml/base/error.h"

namespace kml::pipeline {

ArtifactName parse_artifact_name(const std::string& text) {
  if (!text.empty() && text.find_first_of("/.") == std::string::npos)
    return {text, std::string(ArtifactName::kPutStep), text};
  const size_t slash = text.find('/'), dot = text.find('.', slash == std::string::npos ? 0 : slash);
  if (slash == std::string::npos || dot == std::string::npos || slash == 0 || dot == slash + 1 ||
      dot + 1 == text.size())
    throw usage_error("\"" + text + "\" is not the name of an artifact",
                      "the name of an artifact is RUN/STEP.OUTPUT, or the NAME given to `kml artifact put`",
                      "`kml artifact list` shows all artifacts");
  return {text.substr(0, slash), text.substr(slash + 1, dot - slash - 1), text.substr(dot + 1)};
}

}  // namespace kml::pipeline
