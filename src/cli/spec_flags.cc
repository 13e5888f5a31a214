#include "cli/spec_flags.h"

#include <algorithm>
#include <cctype>
#include <map>

namespace kml::cli {

namespace {

/// Short forms of flags of the spec.
std::string names_of(const spec::Flag& flag) {
  static const std::map<std::string_view, std::string> kShort = {
      {"template", "-t"}, {"chdir", "-D"}, {"param", "-p"}};
  auto found = kShort.find(flag.name);
  std::string name = "--" + std::string(flag.name);
  return found == kShort.end() ? name : found->second + "," + name;
}

/// Help texts begin with a small letter, as kubectl's do; "GPUs" and the like stay.
std::string lower_first(std::string_view text) {
  std::string lower(text);
  bool is_word = lower.size() < 2 || std::islower(static_cast<unsigned char>(lower[1]));
  if (!lower.empty() && is_word)
    lower[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(lower[0])));
  return lower;
}

}  // namespace

void add_spec_flags(Command& command, std::vector<spec::Setting>& settings) {
  for (const spec::Flag& flag : spec::submit_flags()) {
    std::string name(flag.name);
    auto accept = [&settings, name](const std::string& value) {
      settings.push_back({name, value, {spec::Source::flag, "--" + name}});
    };
    // A command's own --param leaves the template's its short form.
    const auto is_taken =
        std::any_of(command.options.begin(), command.options.end(),
                    [&](const Option& option) { return option.long_name() == "--" + name; });
    const std::string names = names_of(flag);
    command.options.push_back({is_taken ? names.substr(0, names.find(',')) : names,
                               std::string(flag.value),
                               lower_first(flag.help),
                               flag.repeats,
                               {},
                               accept});
  }
}

}  // namespace kml::cli
