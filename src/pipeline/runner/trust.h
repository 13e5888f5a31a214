#pragma once

#include <vector>

#include "kml/job/spec/config.h"
#include "kml/job/spec/setting.h"
#include "kml/job/spec/trust.h"
#include "kml/pipeline/language/pipeline.h"

namespace kml::pipeline {

/// Without the user's trust, a pipeline file may only describe work in its own folder. Throws usage Error if
/// the file is not trusted and uses anything else: settings that an untrusted file must not choose,
/// artifacts, or inputs outside its folder, that steps would send to a cluster, or claims that steps would
/// remove. `settings` are the settings of the steps. Relative paths are relative to the file's folder.
void require_trust(const spec::ProjectFile& file, const Pipeline& pipeline,
                   std::vector<spec::Setting> settings, const spec::UsersOwn& own, bool is_local);

}  // namespace kml::pipeline
