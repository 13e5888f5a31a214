#include "cli/help.h"

#include <algorithm>
#include <cctype>

#include "cli/examples.h"
#include "cli/wrap.h"
#include "kml/base/text.h"

namespace kml::cli {

namespace {

/// A name and its description.
using Row = std::pair<std::string, std::string>;

/// Formats two columns and aligns the right one. A left cell that is too long gets its own line. If the right
/// column would be too narrow, every left cell gets its own line.
std::string columns(const std::vector<Row>& rows, size_t width) {
  constexpr size_t kIndent = 2, kGap = 2, kWidestLeft = 26, kNarrowestRight = 32, kBelow = 8;
  size_t left_width = 0;
  for (const auto& [left, right] : rows)
    if (left.size() <= kWidestLeft) left_width = std::max(left_width, left.size());
  size_t column = kIndent + left_width + kGap;
  const bool is_stacked = left_width == 0 || column + kNarrowestRight > width;
  if (is_stacked) column = kBelow;
  std::string text;
  for (const auto& [left, right] : rows) {
    std::string cell(kIndent, ' ');
    cell += left;
    if (is_stacked || left.size() > left_width)
      text += wrapped_after(std::string(kIndent + left.size() - trim(left).size(), ' '), trim(left), width,
                            kBelow) +
              wrapped(right, width, column);
    else
      text += wrapped_after(cell + std::string(column - cell.size(), ' '), right, width, column);
  }
  return text;
}

Row row_of(const Option& option) {
  std::string left = shown_names(option);
  if (left.starts_with("--")) left.insert(0, "    ");
  if (!option.value_name.empty())
    left += option.implied.empty() ? " " + shown_value(option) : "[=" + shown_value(option) + "]";
  return {left, option.help + shown_choices(option)};
}

std::string flags_text(const OptionGroup& group, size_t width) {
  std::vector<Row> rows;
  for (const Option* option : group.options) rows.push_back(row_of(*option));
  return "\n" + group.heading + ":\n" + columns(rows, width);
}

/// The subcommands under their headings.
std::string subcommands_text(const Command& command, size_t width) {
  std::string text;
  std::vector<Row> rows;
  const auto& subs = command.subcommands;
  for (size_t i = 0; i < subs.size(); ++i) {
    if (!subs[i].hidden) rows.push_back({subs[i].name, subs[i].summary});
    if (i + 1 < subs.size() && subs[i + 1].heading == subs[i].heading) continue;
    if (!rows.empty()) text += "\n" + subs[i].heading + ":\n" + columns(rows, width);
    rows.clear();
  }
  return text;
}

std::string heading_in_help(const Command& command, const Option& option) {
  const Option* before = command.find(option.predecessor);
  return before ? heading_in_help(command, *before) : option.heading;
}

std::vector<const Option*> declared(const Command& command) {
  std::vector<const Option*> options;
  for (const Option& option : command.options) options.push_back(&option);
  return options;
}

/// The options in the order of declaration, except that an option with a predecessor directly follows its
/// predecessor.
std::vector<const Option*> in_order_of_help(const Command& command) {
  std::vector<const Option*> ordered, left = declared(command);
  while (!left.empty())
    std::erase_if(left, [&](const Option* option) {
      const Option* before = command.find(option->predecessor);
      const auto place = std::find(ordered.begin(), ordered.end(), before);
      if (before && place == ordered.end()) return false;  // later
      ordered.insert(before ? place + 1 : place, option);
      return true;
    });
  return ordered;
}

/// Turns a phrase into a sentence.
std::string sentence(std::string text) {
  if (text.empty()) return text;
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  const size_t bracket = text.find(" [default");
  const size_t end = bracket == std::string::npos ? text.size() : bracket;
  if (!text.substr(0, end).ends_with(".")) text.insert(end, ".");
  return text;
}

/// Whether the choices are short enough to replace the value's name.
bool shows_choices_as_value(const Option& option) {
  constexpr size_t kShort = 20;
  return option.value_name.size() <= kShort;
}

std::string hint_at_subcommands(const std::string& path, size_t width) {
  return wrapped("`" + path + " COMMAND --help` shows the flags and examples of a command.", width);
}

/// Names the sections that only `kml help COMMAND` shows. `path` starts with "kml ".
std::string hint_at_manual(const Command& command, const std::string& path, size_t width) {
  std::vector<std::string> titles;
  for (const ManualSection& section : command.manual()) titles.push_back(section.title);
  return wrapped("`kml help " + path.substr(path.find(' ') + 1) + "` also has: " + join(titles, "; ") + ".",
                 width);
}

}  // namespace

std::string shown_names(const Option& option) {
  std::string names = option.names;
  if (size_t comma = names.find(','); comma != std::string::npos) names.replace(comma, 1, ", ");
  return names;
}

std::string shown_value(const Option& option) {
  if (option.choices.empty() || shows_choices_as_value(option)) return option.value_name;
  if (option.has_name("--output") || option.has_name("-o")) return "FORMAT";
  if (option.has_name("--sort")) return "ORDER";
  std::string value = option.long_name();
  value.erase(0, value.find_first_not_of('-'));
  return upper(value);
}

std::string shown_choices(const Option& option) {
  if (option.choices.empty() ||
      (shows_choices_as_value(option) && option.value_name == join(option.choices, "|")))
    return "";
  return " [one of " + join(option.choices, ", ") + "]";
}

std::vector<OptionGroup> option_groups(const Command& command) {
  constexpr size_t kFew = 7;
  const bool has_few = command.options.size() <= kFew;
  std::vector<OptionGroup> groups;
  for (const std::string& heading : command.headings) groups.push_back({heading, {}});
  groups.push_back({has_few ? "Flags" : "Other flags", {}});
  for (const Option* option : has_few ? declared(command) : in_order_of_help(command)) {
    const auto named = std::find_if(groups.begin(), groups.end(), [&](const OptionGroup& group) {
      return group.heading == heading_in_help(command, *option);
    });
    (has_few || named == groups.end() ? groups.back() : *named).options.push_back(option);
  }
  std::erase_if(groups, [](const OptionGroup& group) { return group.options.empty(); });
  return groups;
}

OptionGroup global_options(const Command& root, const Command& command) {
  OptionGroup group{command.has_target ? "Connection" : "Global flags", {}};
  for (const Option& option : root.options)
    if (command.has_target || !option.is_of_target) group.options.push_back(&option);
  return group;
}

std::string manual_text(const Option& option) {
  return (option.sentences.empty() ? sentence(option.help) : option.sentences) + shown_choices(option);
}

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
  if (command.argv) line += command.needs_argv ? " -- COMMAND..." : " [-- COMMAND...]";
  return line;
}

std::string help_text(const Command& root, const Command& command, const std::string& path,
                      const HelpForm& form) {
  const size_t width = form.width;
  const std::string typed = form.before + path;
  std::string text = wrapped(command.summary, width);
  text += "\n" + wrapped_after("Usage: ", usage_line(command, typed), width, 7);
  if (!command.description.empty()) text += "\n" + wrapped_description(command.description, width);
  if (command.manual && !form.is_whole) text += "\n" + hint_at_manual(command, path, width);
  text += subcommands_text(command, width);
  const bool has_subcommands = !command.subcommands.empty();
  if (has_subcommands && command.run) text += "\n" + hint_at_subcommands(typed, width);
  if (!command.words.name.empty())
    text += "\nArguments:\n" + columns({{command.words.name, command.words.help}}, width);
  const bool is_group = !command.run && &command != &root;
  if (&command != &root)
    for (const OptionGroup& group : option_groups(command)) text += flags_text(group, width);
  if (!is_group) text += flags_text(global_options(root, command), width);
  if (const auto examples = examples_of(command); !examples.empty())
    text += "\nExamples:\n" + examples_text(examples, width);
  if (has_subcommands && !command.run) text += "\n" + hint_at_subcommands(typed, width);
  if (command.manual && form.is_whole)
    for (const ManualSection& section : command.manual())
      text += "\n" + section.title + ":\n\n" + wrapped_description(section.text, width);
  return text;
}

}  // namespace kml::cli
