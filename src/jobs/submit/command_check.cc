#include "jobs/submit/command_check.h"

#include <unistd.h>

#include <algorithm>
#include <optional>

#include "kml/core/error.h"
#include "kml/core/text.h"

namespace kml::jobs {

namespace {

namespace fs = std::filesystem;

bool is_assignment(const std::string& word) {
  const size_t equals = word.find('=');
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return equals != std::string::npos && equals > 0 && !(word[0] >= '0' && word[0] <= '9') &&
         std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(equals), fits);
}

/// The program that runs such a file; empty for other types of files.
std::optional<std::string> interpreter_of(const fs::path& file) {
  if (file.extension() == ".py") return "python3";
  if (file.extension() == ".sh") return "sh";
  return std::nullopt;
}

void refuse_assignments(const std::vector<std::string>& command) {
  const auto program = std::find_if_not(command.begin(), command.end(), is_assignment);
  if (program == command.begin()) return;
  std::vector<std::string> right;
  for (auto word = command.begin(); word != program; ++word) right.insert(right.end(), {"--env", *word});
  right.emplace_back("--");
  right.insert(right.end(), program, command.end());
  throw usage_error("\"" + command[0] + "\" is not a program",
                    "only a shell would set the variable, but a job runs without a shell",
                    "kml submit " + shell_quoted(right));
}

void refuse_script(const std::vector<std::string>& command, const fs::path& folder) {
  const std::optional<std::string> interpreter = interpreter_of(command[0]);
  const fs::path file = folder / command[0];
  std::error_code ignored;
  if (!interpreter || folder.empty() || !fs::is_regular_file(file, ignored)) return;
  const bool has_slash = command[0].find('/') != std::string::npos;
  if (has_slash && ::access(file.c_str(), X_OK) == 0) return;
  std::vector<std::string> right = {*interpreter};
  right.insert(right.end(), command.begin(), command.end());
  throw usage_error("\"" + command[0] + "\" cannot be run as a program",
                    has_slash ? "the file is not executable"
                              : "a name without a slash is searched in PATH, not in the working folder",
                    "-- " + shell_quoted(right));
}

}  // namespace

void check_command(const std::vector<std::string>& command, const fs::path& folder) {
  if (command.empty()) return;
  refuse_assignments(command);
  const std::string line(trim(command[0]));
  // Without the quotes, the user's own shell would act on these characters.
  const bool is_for_shell = line.find_first_of("&|;<>$`()*?~#\n") != std::string::npos;
  std::error_code ignored;
  if (command.size() == 1 && line.find(' ') != std::string::npos && !fs::exists(folder / command[0], ignored))
    throw usage_error("\"" + command[0] + "\" is not a program",
                      "it is a single argument with spaces, and a job runs without a shell",
                      (is_for_shell ? "" : "without the quotes: -- " + line + "; ") +
                          "for a shell: -- sh -c " + shell_quoted(std::vector<std::string>{line}));
  refuse_script(command, folder);
}

}  // namespace kml::jobs
