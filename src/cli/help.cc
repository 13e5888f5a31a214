#include "cli/help.h"

#include <algorithm>

#include "kml/core/text.h"

namespace kml::cli {

namespace {

/// Two columns, the right one aligned; a left cell that is too long stands on a line of its own.
std::string columns(const std::vector<std::pair<std::string, std::string>>& rows) {
  constexpr size_t kWidest = 30;
  size_t width = 0;
  for (const auto& [left, right] : rows)
    if (left.size() <= kWidest) width = std::max(width, left.size());
  std::string text;
  for (const auto& [left, right] : rows) {
    text += "  " + left;
    if (left.size() > width)
      text += "\n" + std::string(width + 4, ' ') + right + "\n";
    else
      text += std::string(width + 2 - left.size(), ' ') + right + "\n";
  }
  return text;
}

std::string left_cell(const Option& option) {
  std::string names = option.names;
  if (size_t comma = names.find(','); comma != std::string::npos) names.replace(comma, 1, ", ");
  return (names.starts_with("--") ? "    " : "") + names +
         (option.value_name.empty() ? ""
          : !option.implied.empty() ? "[=" + option.value_name + "]"
                                    : " " + option.value_name);
}

}  // namespace

std::string usage_line(const Command& command, const std::string& path) {
  std::string line = path;
  if (!command.run && !command.subcommands.empty()) return line + " COMMAND";
  if (!command.options.empty()) line += " [flags]";
  if (!command.words.name.empty()) {
    std::string word =
        command.words.name +
        (command.words.max > 1 && command.words.name.find(' ') == std::string::npos ? "..." : "");
    line += command.words.min == 0 ? " [" + word + "]" : " " + word;
  }
  if (command.argv) line += " -- COMMAND...";
  return line;
}

std::string help_text(const Command& command, const std::string& path) {
  std::string text = command.summary + "\n\nUsage: " + usage_line(command, path) + "\n";
  if (!command.description.empty()) text += "\n" + command.description + "\n";
  std::vector<std::pair<std::string, std::string>> rows;
  for (const Command& sub : command.subcommands)
    if (!sub.hidden) rows.push_back({sub.name, sub.summary});
  if (!rows.empty()) text += "\nCommands:\n" + columns(rows);
  if (!command.words.name.empty()) text += "\n" + columns({{command.words.name, command.words.help}});
  rows.clear();
  for (const Option& option : command.options) rows.push_back({left_cell(option), option.help});
  if (!rows.empty()) text += "\nFlags:\n" + columns(rows);
  if (!command.examples.empty()) text += "\nExamples:\n" + command.examples + "\n";
  if (path == "kml")
    text += "\n`kml COMMAND --help` says more.\n";
  else
    text += "\nFlags of every command: see `kml --help`.\n";
  return text;
}

}  // namespace kml::cli
