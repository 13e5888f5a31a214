#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace kml::job {

/// A command that a job can run without a shell.
struct RunnableCommand {
  std::vector<std::string> variables;  ///< "K=V", for --env
  std::string line;                    ///< the program and its arguments, quoted for a shell
  /// the fault in the typed command; if empty, the fault is that its first word is not a program
  std::string what = {};
  /// why the command cannot run as it was typed; empty if it can
  std::string why = {};

  /// The complete text: "--env K=V -- PROGRAM ARGUMENT".
  std::string flags_and_line() const;
};

/// Corrects commands that could not run: a line given as one word, assignments of variables, a task's number
/// or a word such as "&&" without a shell, and a script in `folder` that is not executable. `folder` is the
/// command's working folder, or empty if its files are not known here.
RunnableCommand runnable(const std::vector<std::string>& command, const std::filesystem::path& folder);

/// Throws usage Error if the command cannot run as it is. `typed` is the text before the command, such as
/// "kml submit --gpus 1", with which the correction starts; it may be empty.
void check_command(const std::vector<std::string>& command, const std::filesystem::path& folder,
                   const std::string& typed);

}  // namespace kml::job
