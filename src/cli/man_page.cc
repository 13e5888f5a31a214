#include "cli/man_page.h"

#include <algorithm>

#include "cli/examples.h"
#include "cli/help.h"
#include "cli/wrap.h"
#include "kml/base/text.h"

namespace kml::cli {

namespace {

/// Escapes text so that roff prints it unchanged.
std::string escaped(std::string_view text) {
  std::string out;
  bool line_start = true;
  for (char c : text) {
    if (line_start && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
    line_start = c == '\n';
  }
  return out;
}

/// A description's paragraphs and list items, as roff.
std::string described(std::string_view text) {
  std::string roff;
  bool was_item = false;
  for (const Paragraph& part : paragraphs(text)) {
    if (part.is_item)
      roff += ".IP \\(bu 2\n";
    else if (!roff.empty() || was_item)
      roff += ".PP\n";
    roff += escaped(part.text) + "\n";
    was_item = part.is_item;
  }
  return roff;
}

std::string option_entry(const Option& option) {
  const std::string value = escaped(shown_value(option));
  return ".TP\n\\fB" + escaped(shown_names(option)) + "\\fR" +
         (option.value_name.empty() ? ""
          : option.implied.empty()  ? " \\fI" + value + "\\fR"
                                    : "[=\\fI" + value + "\\fR]") +
         "\n" + escaped(manual_text(option)) + "\n";
}

/// The command's own options in groups.
std::string options_of(const Command& command) {
  std::string text;
  for (const OptionGroup& group : option_groups(command)) {
    text += ".SS " + escaped(group.heading) + "\n";
    for (const Option* option : group.options) text += option_entry(*option);
  }
  return text;
}

/// Whether the command or any of its subcommands contacts a server.
bool any_has_target(const Command& command) {
  return (command.run && command.has_target) ||
         std::any_of(command.subcommands.begin(), command.subcommands.end(),
                     [](const Command& sub) { return !sub.hidden && sub.has_target; });
}

/// The flags that every command accepts, listed once per page.
std::string common_flags(const Command& root, const Command& command, const std::string& path) {
  std::string text = ".SH GLOBAL FLAGS\n";
  for (const Option& option : root.options)
    if (!option.is_of_target || any_has_target(command)) text += option_entry(option);
  for (const Command& sub : command.subcommands)
    if (!sub.hidden && !sub.has_target && any_has_target(command))
      text += ".PP\n" + escaped(path + " " + sub.name +
                                " contacts no server; of the global flags, it accepts only --no-color.\n");
  return text;
}

std::string manual_sections(const Command& command, const std::string& heading) {
  std::string text;
  if (command.manual)
    for (const ManualSection& section : command.manual())
      text += heading + escaped(heading == ".SH " ? upper(section.title) : section.title) + "\n" +
              described(section.text);
  return text;
}

std::string example_block(const Command& command) {
  constexpr size_t kWidth = 78;
  return ".nf\n" + escaped(examples_text(examples_of(command), kWidth)) + ".fi\n";
}

std::string definitions_of(const Command& command) {
  std::string text;
  for (const Definitions& list : command.definitions ? command.definitions() : std::vector<Definitions>()) {
    text += ".SH " + escaped(list.title) + "\n";
    if (!list.intro.empty()) text += escaped(list.intro) + "\n";
    for (const auto& [name, meaning] : list.entries)
      text += ".TP\n\\fB" + escaped(name) + "\\fR\n" + escaped(meaning) + "\n";
    if (!list.ending.empty()) text += ".PP\n" + escaped(list.ending) + "\n";
  }
  return text;
}

std::string title(const std::string& name) {
  return ".TH " + escaped(upper(name)) + " 1 \"\" kml kml\n.SH NAME\n" + escaped(name) + " \\- ";
}

std::string arguments_of(const Command& command) {
  return ".TP\n\\fI" + escaped(command.words.name) + "\\fR\n" + escaped(command.words.help) + "\n";
}

std::string subcommand_section(const Command& command, const std::string& path) {
  std::string text = ".SH " + escaped(path) + "\n" + escaped(command.summary) + ".\n";
  if (!command.description.empty()) text += ".PP\n" + described(command.description);
  if (!command.words.name.empty()) text += arguments_of(command);
  text += options_of(command) + manual_sections(command, ".SS ");
  if (!command.examples.empty()) text += ".SS Examples\n" + example_block(command);
  return text;
}

/// Removes the page's name from references to its own sections: See "Data" in kml-submit(1).
std::string without_own_name(std::string text, const std::string& name) {
  const std::string own = "\" in " + escaped(name) + "(1)";
  for (size_t at = 0; (at = text.find(own, at)) != std::string::npos;) text.erase(at + 1, own.size() - 1);
  return text;
}

std::string page(const Command& root, const Command& command, const std::string& name,
                 const std::string& path) {
  std::string text = title(name) + escaped(command.summary) + "\n.SH SYNOPSIS\n";
  if (command.subcommands.empty() || command.run)
    text += "\\fB" + escaped(usage_line(command, path)) + "\\fR\n" +
            (command.run && !command.subcommands.empty() ? ".br\n" : "");
  for (const Command& sub : command.subcommands)
    if (!sub.hidden) text += "\\fB" + escaped(usage_line(sub, path + " " + sub.name)) + "\\fR\n.br\n";
  if (!command.description.empty()) text += ".SH DESCRIPTION\n" + described(command.description);
  if (!command.words.name.empty()) text += ".SH ARGUMENTS\n" + arguments_of(command);
  if (const std::string options = options_of(command); !options.empty()) text += ".SH OPTIONS\n" + options;
  text += manual_sections(command, ".SH ");
  for (const Command& sub : command.subcommands)
    if (!sub.hidden) text += subcommand_section(sub, path + " " + sub.name);
  text += common_flags(root, command, path);
  text += definitions_of(command);
  if (!command.examples.empty()) text += ".SH EXAMPLES\n" + example_block(command);
  return without_own_name(text, name) + ".SH SEE ALSO\n\\fBkml\\fR(1)\n";
}

std::string root_page(const Command& root) {
  std::string text = title("kml") + escaped(root.summary) +
                     "\n.SH SYNOPSIS\n\\fBkml\\fR \\fICOMMAND\\fR [flags]\n.SH DESCRIPTION\n" +
                     described(root.description) + ".SH COMMANDS\n";
  std::string heading;
  for (const Command& command : root.subcommands) {
    if (command.hidden) continue;
    if (command.heading != heading) text += ".SS " + command.heading + "\n";
    heading = command.heading;
    text += ".TP\n\\fBkml\\-" + escaped(command.name) + "\\fR(1)\n" + escaped(command.summary) + "\n";
  }
  text += ".SH GLOBAL FLAGS\n";
  for (const Option& option : root.options) text += option_entry(option);
  text += definitions_of(root);
  return text + ".SH EXAMPLES\n" + example_block(root);
}

}  // namespace

std::vector<ManPage> man_pages(const Command& root) {
  std::vector<ManPage> pages = {{"kml.1", root_page(root)}};
  for (const Command& command : root.subcommands)
    if (!command.hidden)
      pages.push_back(
          {"kml-" + command.name + ".1", page(root, command, "kml-" + command.name, "kml " + command.name)});
  return pages;
}

}  // namespace kml::cli
