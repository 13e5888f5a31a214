#pragma once

#include <vector>

#include "kml/job/spec/config.h"
#include "kml/job/spec/setting.h"
#include "kml/job/spec/trust.h"
#include "kml/pipeline/language/pipeline.h"

namespace kml::pipeline {

/// A pipeline's file that came with a folder may describe work. Throws usage Error if it uses anything else,
/// unless the user trusts the file: settings that an untrusted file must not choose, inputs outside its
/// folder that steps would send to a cluster, claims that they would remove. `settings` are those of the
/// steps; relative paths start at the file's folder.
void require_trust(const spec::ProjectFile& file, const Pipeline& pipeline,
                   std::vector<spec::Setting> settings, const spec::UsersOwn& own, bool is_local);

}  // namespace kml::pipeline
