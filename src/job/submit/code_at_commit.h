#pragma once

#include <filesystem>
#include <optional>

#include "kml/base/json.h"
#include "kml/job/submit/code.h"

namespace kml::job {

/// The folder's code at a recorded commit, with the recorded diff applied. `git` is the result of
/// GitState::take(). Empty if the commit no longer exists, or if the diff is incomplete or does not apply.
/// Files that git did not track are missing, so the caller must compare the digest. Changes neither the
/// folder nor its repository.
std::optional<Code> code_at_commit(const std::filesystem::path& folder, const Json& git);

}  // namespace kml::job
