#include "job/submit/file_here.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "job/spec/python_module.h"
#include "kml/base/text.h"

namespace kml::job {

namespace {

constexpr size_t kFirstWords = 8;  // torchrun --nnodes 2 --nproc-per-node 8 train.py

bool is_file_here(const std::string& word) {
  std::error_code none;
  return word.find_first_of("./") != std::string::npos && !word.starts_with('/') && !word.starts_with('-') &&
         std::filesystem::is_regular_file(word, none);
}

/// The note about the word with this index; empty if the word names no file or module of this folder.
std::string note_on_word(const std::vector<std::string>& words, size_t i) {
  const std::string& word = words[i];
  const bool is_module = i > 0 && words[i - 1] == "-m" && spec::is_module_of(".", word);
  if (!is_module && !is_file_here(word)) return {};
  return word + " is a " + (is_module ? "module" : "file") +
         " of this folder; a pod has it only if the image contains it; --code . sends the folder";
}

/// Whether the word has a special meaning for a shell, so that kml cannot tell what the program gets.
bool has_special_characters(std::string_view word) {
  return word.find_first_of("\"'\\`$*?[]{}~#!()<>|&;") != std::string_view::npos;
}

bool runs_files(const std::string& program) {
  const std::string name = std::filesystem::path(program).filename();
  return name.starts_with("python") || name.ends_with("sh") || name == "torchrun" || name == "accelerate" ||
         name == "deepspeed" || name == "." || name == "source";
}

/// Whether the word may stand before a program: a variable with its value, or a word such as "exec".
bool precedes_program(std::string_view word) {
  constexpr std::string_view kBefore[] = {"do", "else", "exec", "nohup", "then", "time"};
  return word.find('=') != std::string_view::npos ||
         std::find(std::begin(kBefore), std::end(kBefore), word) != std::end(kBefore);
}

/// Programs and their arguments in a shell's text, as far as they are plain words: ends at the first word
/// that the shell would change, and at a "cd", after which names mean other files.
std::vector<std::vector<std::string>> plain_commands_in(const std::string& text) {
  std::vector<std::vector<std::string>> commands;
  for (const std::string& line : split(text, '\n')) {
    commands.emplace_back();
    for (std::string word : split(line, ' ')) {
      const bool is_joint = word == "&&" || word == "||" || word == "|", ends = word.ends_with(';');
      if (ends) word.pop_back();
      if (!is_joint && (has_special_characters(word) || (commands.back().empty() && word == "cd")))
        return commands;
      if (!word.empty() && !is_joint && !(commands.back().empty() && precedes_program(word)))
        commands.back().push_back(std::move(word));
      if (is_joint || ends) commands.emplace_back();
    }
  }
  return commands;
}

/// The note about a file that the text of `sh -c` runs. Ignores the arguments of programs such as echo, which
/// may be names that mean no files.
std::string note_on_shell_text(const std::string& text) {
  for (const std::vector<std::string>& command : plain_commands_in(text)) {
    if (command.empty()) continue;
    const size_t most = runs_files(command[0]) ? std::min(kFirstWords, command.size()) : 1;
    for (size_t i = 0; i < most; ++i)
      if (std::string note = note_on_word(command, i); !note.empty()) return note;
  }
  return {};
}

/// Whether the word is the text of `sh -c`, or of `bash -ec`.
bool is_shell_text(const std::vector<std::string>& command, size_t i) {
  if (i != 2) return false;
  const std::string& flag = command[1];
  return std::filesystem::path(command[0]).filename().string().ends_with("sh") && flag.starts_with('-') &&
         !flag.starts_with("--") && flag.ends_with('c');
}

}  // namespace

std::string note_on_file_here(const std::vector<std::string>& command) {
  for (size_t i = 0; i < std::min(kFirstWords, command.size()); ++i)
    if (std::string note =
            is_shell_text(command, i) ? note_on_shell_text(command[i]) : note_on_word(command, i);
        !note.empty())
      return note;
  return {};
}

}  // namespace kml::job
