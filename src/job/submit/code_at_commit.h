#pragma once

#include <filesystem>
#include <optional>

#include "kml/base/json.h"
#include "kml/job/submit/code.h"

namespace kml::job {

/// The code of a folder at a recorded commit with the recorded diff; `git` is the result of GitState::take().
/// Nothing if the commit is gone, or the diff is cut or does not apply. It lacks files that git did not
/// track, so compare its digest. Changes nothing in the folder and its repository.
std::optional<Code> code_at_commit(const std::filesystem::path& folder, const Json& git);

}  // namespace kml::job
