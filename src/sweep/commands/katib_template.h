#pragma once

#include "cli/context.h"
#include "kml/base/json.h"

namespace kml::cli {

/// As Katib does, replaces a sweep's spec.trialTemplate.configMap ({configMapName, configMapNamespace,
/// templatePath}) by the trialSpec in that ConfigMap. Does nothing if the document has no configMap. Throws
/// Error if the ConfigMap or its key does not exist, or if its text is not a single manifest. Also throws
/// Error if the ConfigMap is on the embedded server, that server is not running, and `may_start` is false.
void fetch_trial_template(Context& context, Json& document, bool may_start);

}  // namespace kml::cli
