#include <memory>

#include "cli/commands.h"
#include "cli/context.h"
#include "cli/output_format.h"
#include "kml/base/json.h"
#include "kml/job/submit/code.h"
#include "kml/ui/objects.h"

namespace kml::cli {

Command code_files_command() {
  auto words = std::make_shared<std::vector<std::string>>();
  auto output = std::make_shared<std::string>();
  Command command{"code-files",
                  "List the files that --code sends; used by the Python package to add a notebook's cell"};
  command.takes("DIR", *words, "the folder", 1, 1);
  add_output_format(command, {"json"}, *output, "print the names in this format");
  command.has_target = false;
  command.hidden = true;
  command.run = [words, output](Context& context) {
    Json names = Json::array();
    for (const job::CodeFile& file : job::files_to_pack(words->at(0))) names.push_back(file.name);
    ui::print_value(context.streams(), names, "json");
    return 0;
  };
  return command;
}

}  // namespace kml::cli
