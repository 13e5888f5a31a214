#include "cli/man_page.h"

#include <algorithm>

#include "cli/help.h"
#include "cli/reference.h"
#include "kml/core/text.h"

namespace kml::cli {

namespace {

/// Text that roff prints as it is.
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

std::string options_of(const Command& command) {
  std::string text;
  for (const Option& option : command.options) {
    std::string names = option.names;
    if (size_t comma = names.find(','); comma != std::string::npos) names.replace(comma, 1, ", ");
    text += ".TP\n\\fB" + escaped(names) + "\\fR" +
            (option.value_name.empty() ? ""
             : option.implied.empty()  ? " \\fI" + escaped(option.value_name) + "\\fR"
                                       : "[=\\fI" + escaped(option.value_name) + "\\fR]") +
            "\n" + escaped(option.help) + "\n";
  }
  return text;
}

std::string example_block(const std::string& examples) {
  return ".nf\n" + escaped(examples) + "\n.fi\n";
}

std::string definitions(const std::vector<Entry>& entries) {
  std::string text;
  for (const auto& [name, meaning] : entries)
    text += ".TP\n\\fB" + escaped(name) + "\\fR\n" + escaped(meaning) + "\n";
  return text;
}

std::string sweep_sections() {
  return ".SH THE FILE OF A SWEEP\n" +
         escaped(
             "A document of apiVersion kml.dev/v1, kind Sweep, with its name in metadata.name. "
             "examples/sweep.yaml of kml's sources has all of it. An unknown field is an error. Under "
             "spec:\n") +
         definitions(sweep_fields()) + ".SH WHAT IS FILLED IN FOR A TRIAL\n" + definitions(sweep_holes()) +
         ".PP\n" + escaped("Other braces stay as they are.\n") + ".SH FORMS OF \\-\\-param\n" +
         definitions(sweep_param_forms()) + ".SH NUMBERS IN A TRIAL'S LOG\n" +
         definitions(sweep_metric_forms());
}

std::string title(const std::string& name) {
  std::string upper = name;
  std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return std::toupper(c); });
  return ".TH " + escaped(upper) + " 1 \"\" kml kml\n.SH NAME\n" + escaped(name) + " \\- ";
}

std::string page(const Command& command, const std::string& name, const std::string& path) {
  std::string text = title(name) + escaped(command.summary) + "\n.SH SYNOPSIS\n";
  if (command.subcommands.empty()) text += "\\fB" + escaped(usage_line(command, path)) + "\\fR\n";
  for (const Command& sub : command.subcommands)
    if (!sub.hidden) text += "\\fB" + escaped(usage_line(sub, path + " " + sub.name)) + "\\fR\n.br\n";
  if (!command.description.empty()) text += ".SH DESCRIPTION\n" + escaped(command.description) + "\n";
  if (command.manual_section.second)
    text += ".SH " + command.manual_section.first + "\n" + escaped(command.manual_section.second()) + "\n";
  if (!command.words.name.empty())
    text += ".SH ARGUMENTS\n.TP\n\\fI" + escaped(command.words.name) + "\\fR\n" +
            escaped(command.words.help) + "\n";
  if (!command.options.empty()) text += ".SH OPTIONS\n" + options_of(command);
  for (const Command& sub : command.subcommands) {
    if (sub.hidden) continue;
    text += ".SH " + escaped(path + " " + sub.name) + "\n" + escaped(sub.summary) + ".\n";
    if (!sub.description.empty()) text += ".PP\n" + escaped(sub.description) + "\n";
    text += options_of(sub);
  }
  if (name == "kml-why") text += ".SH CAUSES\n" + definitions(causes());
  if (name == "kml-sweep") text += sweep_sections();
  if (!command.examples.empty()) text += ".SH EXAMPLES\n" + example_block(command.examples);
  return text + ".SH SEE ALSO\n\\fBkml\\fR(1)\n";
}

std::string root_page(const Command& root) {
  std::string text = title("kml") + escaped(root.summary) +
                     "\n.SH SYNOPSIS\n\\fBkml\\fR \\fICOMMAND\\fR [flags]\n.SH DESCRIPTION\n" +
                     escaped(root.description) + "\n.SH COMMANDS\n";
  for (const Command& command : root.subcommands)
    if (!command.hidden)
      text += ".TP\n\\fBkml\\-" + escaped(command.name) + "\\fR(1)\n" + escaped(command.summary) + "\n";
  text += ".SH FLAGS OF EVERY COMMAND\n" + options_of(root);
  text += ".SH ENVIRONMENT\n" + definitions(environment_variables());
  text += ".SH FILES\n" + definitions(files());
  text += ".SH CREDENTIALS AND PROXIES\n" + definitions(credentials_and_proxies());
  text += ".SH EXIT STATUS\n" + definitions(exit_codes());
  text += ".SH EXIT STATUS OF A JOB'S COMMAND\n" + definitions(command_exit_codes());
  return text + ".SH EXAMPLES\n" + example_block(root.examples);
}

}  // namespace

std::vector<ManPage> man_pages(const Command& root) {
  std::vector<ManPage> pages = {{"kml.1", root_page(root)}};
  for (const Command& command : root.subcommands)
    if (!command.hidden)
      pages.push_back(
          {"kml-" + command.name + ".1", page(command, "kml-" + command.name, "kml " + command.name)});
  return pages;
}

}  // namespace kml::cli
