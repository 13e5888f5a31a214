#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "kml/core/json.h"
#include "kml/pipeline/engine.h"
#include "kml/pipeline/store.h"

namespace kml::pipeline {

/// A file or folder, packed for kml-step: the same content gives the same bytes.
std::string packed_tree(const std::filesystem::path& path);

/// Takes over what kml-step packed in a pod of the job's (see src/step): files and folders go into the store,
/// as if an attempt on this machine had made them. As StepRunner::made_by(). Throws Error if something is
/// missing or is not what its digest says; then the store has nothing of it.
Json keep_sent(const std::string& packed, const std::string& run, const StepJob& job,
               const LocalStore& store);

/// The same where files and folders stayed where the step wrote them: `place_of` tells what is to be noted of
/// each beside its digest. Nothing is checked.
Json read_sent(const std::string& packed, const StepJob& job,
               const std::function<Json(const Output& output)>& place_of);

/// What a value's text stands for: the number or the truth that it is, else the text without white space
/// around it.
Json value_of_text(const std::string& text);

}  // namespace kml::pipeline
