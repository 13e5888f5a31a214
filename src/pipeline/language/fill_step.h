#pragma once

#include <string>
#include <vector>

#include "kml/base/json.h"
#include "kml/job/render/evaluate.h"
#include "kml/job/spec/setting.h"
#include "kml/pipeline/language/pipeline.h"

namespace kml::pipeline {

/// A step with its placeholders filled in, as settings for a submit.
struct FilledStep {
  std::vector<std::string> command;
  std::vector<spec::Setting> settings;  ///< settings with their lines and columns in the file
  Json pod = Json::object();            ///< see Step::pod
  /// the Secrets that `pod` uses, and the engine account of `serve`, in the form of settings: they need the
  /// user's trust
  std::vector<spec::Setting> uses = {};
};

/// `file` is the file's name in problems. Throws usage Error.
FilledStep fill(const Step& step, const std::string& file, const render::Scope& scope, Where where);

}  // namespace kml::pipeline
