#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace kml::job {

/// A command in the form in which a job, which has no shell, can run it.
struct RunnableCommand {
  std::vector<std::string> variables;  ///< "K=V", for --env
  std::string line;                    ///< the program and its arguments, quoted for a shell
  std::string why;                     ///< why the command cannot run as it was typed; empty if it can

  /// "--env K=V -- PROGRAM ARGUMENT".
  std::string flags_and_line() const;
};

/// Corrects commands that could not run: a whole line as one word, variable assignments, a task's number
/// without a shell, and a script in `folder` that is not executable. `folder` is the command's working folder
/// if its files are known here; otherwise empty.
RunnableCommand runnable(const std::vector<std::string>& command, const std::filesystem::path& folder);

/// Throws Error (usage) if the command cannot run as it is. `typed` is what was typed before it, such as "kml
/// submit --gpus 1", and starts the correction; it may be empty.
void check_command(const std::vector<std::string>& command, const std::filesystem::path& folder,
                   const std::string& typed);

}  // namespace kml::job
