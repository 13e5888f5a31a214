#include "kml/job/submit/command_check.h"

#include <unistd.h>

#include <algorithm>
#include <span>
#include <string_view>

#include "kml/base/error.h"
#include "kml/base/text.h"

namespace kml::job {

namespace {

namespace fs = std::filesystem;

constexpr const char* kQuotes = "the quotes make it a single argument, and a job runs without a shell";
constexpr const char* kAssignment = "only a shell would set the variable, but a job runs without a shell";

constexpr std::string_view kTaskVariable = "$KML_TASK";
constexpr const char* kTask = "only a shell would replace $KML_TASK, but a job runs without a shell";

/// Whether the word is never a program's argument. "|" and ";" are not in this list, because a program may
/// have them as arguments.
bool is_for_shell(std::string_view word) {
  return word == "&&" || word == "||" || word == "2>&1";
}

bool is_shell_builtin(std::string_view word) {
  return word == "cd" || word == "export" || word == "source";
}

bool is_assignment(std::string_view word) {
  const size_t equals = word.find('=');
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return equals != std::string_view::npos && equals > 0 && !(word[0] >= '0' && word[0] <= '9') &&
         std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(equals), fits);
}

/// The program that runs files of this type; empty for other types.
std::string interpreter_of(const fs::path& file) {
  if (file.extension() == ".py") return "python3";
  if (file.extension() == ".sh") return "sh";
  return "";
}

/// If a script is not executable or not in PATH, puts its interpreter in front.
void run_script(RunnableCommand& command, const std::string& program, const fs::path& folder) {
  const std::string interpreter = interpreter_of(program);
  const fs::path file = folder / program;
  std::error_code ignored;
  if (interpreter.empty() || folder.empty() || !fs::is_regular_file(file, ignored)) return;
  const bool has_slash = program.find('/') != std::string::npos;
  if (has_slash && ::access(file.c_str(), X_OK) == 0) return;
  command.line = interpreter + " " + command.line;
  if (command.why.empty())
    command.why = has_slash ? "the file is not executable"
                            : "a name without a slash is looked up in PATH, not in the working folder";
}

bool is_shell(const std::string& program) {
  return fs::path(program).filename().string().ends_with("sh");
}

bool has_task_number(const std::string& word) {
  return word.find(kTaskVariable) != std::string::npos;
}

/// The program as a line for a shell. A word with the task's number is in double quotes, so that the shell
/// fills in the number. Words for the shell are not quoted.
std::string shell_line(std::span<const std::string> program) {
  std::vector<std::string> words;
  for (const std::string& word : program)
    words.push_back(is_for_shell(word)      ? word
                    : has_task_number(word) ? "\"" + word + "\""
                                            : shell_quoted({&word, 1}));
  return join(words, " ");
}

/// The first word that only a shell understands; empty if there is none.
std::string first_for_shell(std::span<const std::string> program) {
  if (!program.empty() && is_shell_builtin(program[0])) return program[0];
  const auto found = std::ranges::find_if(program, is_for_shell);
  return found == program.end() ? "" : *found;
}

/// Corrects a command line that was given as a single word.
RunnableCommand from_line(std::string_view line, const fs::path& folder) {
  // These characters are for a shell; without quotes, the user's own shell would have interpreted them.
  const bool needs_shell = line.find_first_of("&|;<>$`()*?~#\n") != std::string_view::npos;
  const bool has_quoted_value =
      is_assignment(line.substr(0, line.find(' '))) && line.find_first_of("\"'\\") != std::string_view::npos;
  if (needs_shell || has_quoted_value)
    return {{}, "sh -c " + shell_quoted(std::vector<std::string>{std::string(line)}), {}, kQuotes};
  RunnableCommand command;
  while (is_assignment(line.substr(0, line.find(' ')))) {
    const size_t space = line.find(' ');
    command.variables.emplace_back(line.substr(0, space));
    line = space == std::string_view::npos ? "" : trim(line.substr(space));
  }
  command.line = line;
  command.why = command.variables.empty() ? kQuotes : kAssignment;
  run_script(command, std::string(line.substr(0, line.find(' '))), folder);
  return command;
}

}  // namespace

std::string RunnableCommand::flags_and_line() const {
  std::string text;
  for (const std::string& variable : variables) text += "--env " + shell_quoted({&variable, 1}) + " ";
  return text + "-- " + line;
}

RunnableCommand runnable(const std::vector<std::string>& command, const fs::path& folder) {
  std::error_code ignored;
  if (command.size() == 1 && trim(command[0]).find(' ') != std::string_view::npos &&
      !fs::exists(folder / command[0], ignored))
    return from_line(trim(command[0]), folder);
  const auto program = std::find_if_not(command.begin(), command.end(), is_assignment);
  RunnableCommand right;
  right.variables.assign(command.begin(), program);
  const std::span<const std::string> words(program, command.end());
  const std::string for_shell = first_for_shell(words);
  const bool needs_number =
      std::ranges::any_of(words, has_task_number) && std::ranges::none_of(words, is_shell);
  const bool needs_shell = needs_number || !for_shell.empty();
  right.line = needs_shell ? shell_line(words) : shell_quoted(words);
  if (!right.variables.empty()) right.why = kAssignment;
  if (!words.empty()) run_script(right, words[0], folder);
  if (!needs_shell) return right;
  right.line = "sh -c " + shell_quoted({&right.line, 1});
  right.what =
      for_shell.empty() ? "the tasks would not get their numbers" : "\"" + for_shell + "\" is for a shell";
  right.why = for_shell.empty() ? kTask : "a job runs its command without a shell";
  return right;
}

void check_command(const std::vector<std::string>& command, const fs::path& folder,
                   const std::string& typed) {
  if (command.empty()) return;
  const RunnableCommand right = runnable(command, folder);
  if (!right.why.empty())
    throw usage_error(right.what.empty() ? "\"" + command[0] + "\" is not a program" : right.what, right.why,
                      (typed.empty() ? "" : typed + " ") + right.flags_and_line());
}

}  // namespace kml::job
