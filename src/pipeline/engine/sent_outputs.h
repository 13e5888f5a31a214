#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "kml/base/json.h"
#include "kml/pipeline/store/store.h"
#include "pipeline/engine/step_job.h"

namespace kml::pipeline {

/// Packs a file or folder for kml-step. The same content always gives the same bytes.
std::string packed_tree(const std::filesystem::path& path);

/// Stores the outputs that kml-step packed in a pod of the job (see src/step), as if an attempt on this
/// machine had made them. Returns them like StepRunner::made_by(). If an output is missing or does not match
/// its digest, throws Error and does not store that output.
Json keep_sent(const std::string& packed, const std::string& run, const StepJob& job,
               const LocalStore& store);

/// Like keep_sent(), for files and folders that stay where the step wrote them. `place_of` returns what to
/// record about each of them besides its digest. Does not compare the files with their digests.
Json read_sent(const std::string& packed, const StepJob& job,
               const std::function<Json(const Output& output, const std::string& digest)>& place_of);

}  // namespace kml::pipeline
