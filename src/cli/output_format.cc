#include "cli/output_format.h"

#include <algorithm>

#include "kml/base/error.h"
#include "kml/base/flag_errors.h"
#include "kml/base/text.h"
#include "kml/ui/objects.h"

namespace kml::cli {

Option& add_output_format(Command& command, std::vector<std::string> formats, std::string& target,
                          std::string help) {
  formats.emplace_back(ui::kJsonPath);
  formats.emplace_back(ui::kCustomColumns);
  Option option{"-o,--output", join(formats, "|"), std::move(help), false, formats, {}};
  option.accept = [&target, formats](const std::string& value) {
    const bool is_template = value.starts_with(ui::kJsonPath) || value.starts_with(ui::kCustomColumns);
    if (is_template)
      ui::check_format(value);
    else if (std::find(formats.begin(), formats.end(), value) == formats.end())
      throw invalid_choice(value, "-o", formats);
    target = value;
  };
  return command.add(std::move(option));
}

}  // namespace kml::cli
