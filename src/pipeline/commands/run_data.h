#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/context.h"
#include "kml/job/spec/setting.h"
#include "kml/pipeline/engine/key.h"
#include "kml/pipeline/language/pipeline.h"

namespace kml::cli {

/// The data of a pipeline's steps (`data`), each in the version that it had when this command first asked for
/// it.
class RunData {
 public:
  /// The context must outlive this object.
  explicit RunData(Context& context) : context_(context) {}

  /// Returns the text SOURCE:/path with the current version of the source added. Throws Error if the source
  /// does not exist.
  std::string pinned(const std::string& text);
  /// The parts of a step's key for its data: the data of the step itself, and the data in kml.yaml.
  pipeline::KeyParts parts_of(const pipeline::Step& step, const std::vector<spec::Setting>& defaults);

 private:
  std::string pinned_of_step(const std::string& step, const std::string& text);

  Context& context_;
  std::map<std::string, std::string> known_;
};

}  // namespace kml::cli
