#include "cli/typed_command.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "cli/near_flag.h"
#include "kml/base/text.h"
#include "kml/job/submit/command_check.h"

namespace kml::cli {

namespace {

/// The option that the word sets. The word may include the value: "--name=bert".
const Option* option_of(const Command& command, const std::string& word) {
  return command.find(word.substr(0, word.find('=')));
}

/// The last flag in a word of one-letter flags, such as -t in "-it", or -n in "-nteam". nullptr if one of the
/// letters is not a flag.
const Option* last_letter(const Command& root, const Command& command, const std::string& word) {
  if (word.size() < 3 || word[0] != '-' || word[1] == '-') return nullptr;
  const Option* last = nullptr;
  for (size_t i = 1; i < word.size(); ++i) {
    const std::string flag = std::string("-") + word[i];
    last = command.find(flag) ? command.find(flag) : root.find(flag);
    if (!last || last->takes_next()) return last;
  }
  return last;
}

/// Whether the word already has the flag's value: "--name=bert", "-nteam".
bool includes_value(const Option& option, const std::string& word) {
  if (word.find('=') != std::string::npos) return true;
  return !option.has_name(word) && !option.has_name(std::string("-") + word.back());
}

/// The word, with a misspelled flag's name replaced by the nearest name of one of the command's flags.
std::string flag_meant_by(const std::string& word, const Command& command) {
  std::vector<std::string> names;
  for (const Option& option : command.options) names.push_back(option.long_name());
  const size_t end = std::min(word.find('='), word.size());
  const std::string flag = word.substr(0, end);
  return near_flag(flag, names).value_or(flag) + word.substr(end);
}

}  // namespace

std::string with_dashes(const Command& root, const Command& command, const std::string& path,
                        const std::vector<std::string>& before, const std::vector<std::string>& after) {
  const bool sets_variables = command.find("--env") != nullptr;
  std::vector<std::string> own, program;
  const std::string named = command.words.by_flag ? *command.words.by_flag : "";
  size_t names = 0;
  for (size_t i = 0; i < before.size(); ++i) {
    const std::string& word = before[i];
    const Option* option = option_of(command, word);
    if (!option) option = option_of(root, word);
    if (!option) option = last_letter(root, command, word);
    if (word.starts_with("-") && option) {
      own.push_back(word);
      if (option->takes_next() && !includes_value(*option, word) && i + 1 < before.size())
        own.push_back(before[++i]);
    } else if (names < command.words.max && program.empty() && (named.empty() || word == named) &&
               !(sets_variables && word.find('=') != std::string::npos)) {
      own.push_back(word);
      ++names;
      // a parameter of the template, or a misspelled flag
    } else if (word.starts_with("--") && command.unknown_flags && program.empty()) {
      own.push_back(flag_meant_by(word, command));
      if (word.find('=') == std::string::npos && i + 1 < before.size()) own.push_back(before[++i]);
    } else {
      program.push_back(word);
    }
  }
  if (!after.empty() && !program.empty()) {
    const bool is_variable = sets_variables && program[0].find('=') != std::string::npos;
    const bool may_be_name = program.size() == 1 && program[0] == before[0] && command.words.max == 0 &&
                             command.find("--name") &&
                             std::isalpha(static_cast<unsigned char>(program[0][0])) != 0 &&
                             std::find(own.begin(), own.end(), "--name") == own.end();
    if (!is_variable && !may_be_name) return "leave out \"" + join(program, "\", \"") + "\"";
    if (!is_variable) {  // "kml submit bert -- python train.py"
      own.insert(own.end(), {"--name", program[0]});
      program.clear();
    }
  }
  program.insert(program.end(), after.begin(), after.end());
  const auto is_manifest = [&] {
    if (program.size() != 1 || !command.find("--file")) return false;
    const std::string extension = std::filesystem::path(program[0]).extension();
    return extension == ".yaml" || extension == ".yml" || extension == ".json";
  };
  const std::string start = own.empty() ? path : path + " " + shell_quoted(own);
  if (is_manifest()) return start + " -f " + shell_quoted(program);
  if (sets_variables)
    return start + " " + job::runnable(program, std::filesystem::current_path()).flags_and_line();
  return start + " -- " + (program.size() == 1 ? program[0] : shell_quoted(program));
}

}  // namespace kml::cli
