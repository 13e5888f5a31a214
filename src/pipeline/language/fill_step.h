#pragma once

#include <string>
#include <vector>

#include "kml/base/json.h"
#include "kml/job/render/evaluate.h"
#include "kml/job/spec/setting.h"
#include "kml/pipeline/language/pipeline.h"

namespace kml::pipeline {

/// A step with its placeholders filled in, in the form that a submit takes.
struct FilledStep {
  std::vector<std::string> command;
  std::vector<spec::Setting> settings;   ///< with their lines and columns in the file
  Json pod = Json::object();             ///< see Step::pod
  std::vector<spec::Setting> uses = {};  ///< the parts of `pod` that need trust, as settings
};

/// `file` is the name for problems. Throws one Error (usage) with every problem.
FilledStep fill(const Step& step, const std::string& file, const render::Scope& scope, Where where);

}  // namespace kml::pipeline
