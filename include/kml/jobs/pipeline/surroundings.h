#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "kml/pipeline/key.h"
#include "kml/pipeline/pipeline.h"
#include "kml/pipeline/store.h"
#include "kml/spec/setting.h"

namespace kml::jobs {

/// What decides a step's result beside its file and inputs: the files of its code's folder, the template, and
/// what kml.yaml says; on this machine also the program that its command names and the packages of the
/// virtual environment that this is in. On a cluster the image has these, and files of this machine count
/// only where `code` takes them along. Everything is read once.
class StepSurroundings {
 public:
  /// `file` is the pipeline's, which is no part itself: what it says of a step is. Relative folders are so
  /// to its folder. `defaults` are kml.yaml's settings and the environment's.
  StepSurroundings(const pipeline::LocalStore& store, std::filesystem::path file,
                   std::vector<spec::Setting> defaults, std::vector<std::filesystem::path> template_folders,
                   bool is_local = true);

  /// Throws Error if the folder's files cannot be read, are too many to be looked at each time, or
  /// `code.paths` names none of them.
  pipeline::KeyParts of(const pipeline::Step& step);

 private:
  void add_code(const pipeline::Step& step, pipeline::KeyParts& parts);
  std::string code_list(const std::filesystem::path& folder, const std::vector<std::string>& paths);
  void add_named_files(const pipeline::Step& step, pipeline::KeyParts& parts);
  void add_program(const pipeline::Step& step, pipeline::KeyParts& parts);
  void add_template(const pipeline::Step& step, pipeline::KeyParts& parts);
  void add_defaults(const pipeline::Step& step, pipeline::KeyParts& parts) const;

  const pipeline::LocalStore& store_;
  const std::filesystem::path file_;
  const std::vector<spec::Setting> defaults_;
  const std::vector<std::filesystem::path> template_folders_;
  const bool is_local_;
  std::map<std::string, std::string> known_;               ///< digests, by what they are of
  std::map<std::string, std::filesystem::path> programs_;  ///< where the names of programs lead
};

}  // namespace kml::jobs
