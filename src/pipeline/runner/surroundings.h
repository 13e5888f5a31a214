#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "kml/base/clock.h"
#include "kml/job/spec/setting.h"
#include "kml/pipeline/engine/key.h"
#include "kml/pipeline/language/pipeline.h"
#include "kml/pipeline/store/store.h"
#include "pipeline/runner/code_list.h"
#include "pipeline/runner/file_digests.h"

namespace kml::pipeline {

/// Everything on which a step's result depends, apart from its file and its inputs: the files in its code
/// folder, the files that list its packages, the template, and the settings from kml.yaml. On this machine,
/// also the program in its command, and the Python packages that it may import. On a cluster, the image
/// contains the program and the packages, so other files on this machine only matter if `code` copies them.
/// Each call looks at the files again, and reads those that have changed; but a template is read only once,
/// and a list of thousands of files is made again only after a while.
class StepSurroundings {
 public:
  /// `file` is the pipeline file. It is not part of the surroundings, because the text of each step is
  /// compared separately. Relative folders are relative to the file's folder. `defaults` are the settings
  /// from kml.yaml and the environment.
  StepSurroundings(const LocalStore& store, std::filesystem::path file, std::vector<spec::Setting> defaults,
                   std::vector<std::filesystem::path> template_folders, bool is_local = true);

  /// `written` are the paths at which outputs are written, see written_paths(); on this machine, the files
  /// there are not code. For a cached step, throws Error if the files in the folder cannot be read, if there
  /// are too many to check each time, or if `code.paths` matches none of them.
  KeyParts of(const Step& step, const std::vector<std::string>& written = {});

  /// A time at which no file had been read yet, by the clock of file times.
  Time since() const { return since_; }

 private:
  /// A list that was made, and how long that took.
  struct KnownList {
    std::string text, digest;
    std::chrono::steady_clock::time_point made;
    std::chrono::steady_clock::duration took = {};
  };

  bool is_left_out(const std::filesystem::path& folder, const std::string& name) const;
  std::string digest_of(KnownList& known, const std::function<std::string()>& text) const;
  void add_code(const Step& step, const std::vector<std::string>& written, KeyParts& parts);
  std::string code_list(const std::filesystem::path& folder, const std::vector<std::string>& paths,
                        const std::vector<std::string>& written);
  void add_named_files(const Step& step, KeyParts& parts);
  void add_requirements(const Step& step, KeyParts& parts) const;
  void add_lock_elsewhere(const Step& step, KeyParts& parts) const;
  void add_program(const Step& step, KeyParts& parts);
  void add_python(const StepProgram& program, KeyParts& parts);
  bool may_use_python(const Step& step) const;
  void add_packages(std::vector<std::filesystem::path> interpreters, KeyParts& parts);
  void add_template(const Step& step, KeyParts& parts);
  void add_defaults(const Step& step, KeyParts& parts) const;

  const LocalStore& store_;
  const std::filesystem::path file_;
  const std::vector<spec::Setting> defaults_;
  const std::vector<std::filesystem::path> template_folders_;
  const bool is_local_;
  const Time since_;
  FileDigests digests_;
  CodeList code_;
  std::map<std::string, KnownList> lists_;
  std::map<std::string, std::string> known_;  ///< digests of templates
};

}  // namespace kml::pipeline
