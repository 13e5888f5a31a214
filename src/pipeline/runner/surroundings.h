#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "kml/base/clock.h"
#include "kml/job/spec/setting.h"
#include "kml/pipeline/engine/key.h"
#include "kml/pipeline/language/pipeline.h"
#include "kml/pipeline/store/store.h"

namespace kml::pipeline {

/// Everything on which a step's result depends, apart from its file and its inputs: the files in its code
/// folder, the template, and the settings from kml.yaml. On this machine, also the program in its command,
/// and the packages in that program's virtual environment. On a cluster, the image contains the program and
/// the packages, so files on this machine only matter if `code` copies them. Everything is read only once.
class StepSurroundings {
 public:
  /// `file` is the pipeline file. It is not part of the surroundings, because the text of each step is
  /// compared separately. Relative folders are relative to the file's folder. `defaults` are the settings
  /// from kml.yaml and the environment.
  StepSurroundings(const LocalStore& store, std::filesystem::path file, std::vector<spec::Setting> defaults,
                   std::vector<std::filesystem::path> template_folders, bool is_local = true);

  /// Throws Error if the files in the folder cannot be read, if there are too many to check each time, or if
  /// `code.paths` matches none of them.
  KeyParts of(const Step& step);

  /// A time before which nothing was read, by the clock of file times.
  Time since() const { return since_; }

 private:
  void add_code(const Step& step, KeyParts& parts);
  std::string code_list(const std::filesystem::path& folder, const std::vector<std::string>& paths);
  void add_named_files(const Step& step, KeyParts& parts);
  void add_requirements(const Step& step, KeyParts& parts) const;
  void add_program(const Step& step, KeyParts& parts);
  void add_python(const StepProgram& program, KeyParts& parts);
  void add_packages(const std::filesystem::path& program, KeyParts& parts);
  void add_template(const Step& step, KeyParts& parts);
  void add_defaults(const Step& step, KeyParts& parts) const;

  const LocalStore& store_;
  const std::filesystem::path file_;
  const std::vector<spec::Setting> defaults_;
  const std::vector<std::filesystem::path> template_folders_;
  const bool is_local_;
  const Time since_;
  std::map<std::string, std::string> known_;               ///< digests that were already computed
  std::map<std::string, std::filesystem::path> programs_;  ///< the paths of programs, by name
};

}  // namespace kml::pipeline
