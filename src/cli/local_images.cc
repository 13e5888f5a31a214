#include "cli/local_images.h"

#include <memory>
#include <ostream>

#include "cli/context.h"
#include "kml/core/text.h"
#include "kml/local/daemon.h"

namespace kml::cli {

namespace {

struct ImageOptions {
  std::vector<std::string> words;
  std::vector<std::string> command;
};

int run_image(Context& context, const ImageOptions& options) {
  const std::string& word = options.words[0];
  size_t equals = word.find('=');
  std::string image = word.substr(0, equals);
  std::vector<std::string> command = options.command;
  if (equals == std::string::npos && command.empty())
    throw usage_error("no command for image \"" + image + "\"", "",
                      "IMAGE=PROGRAM, or IMAGE -- PROGRAM ARGUMENT...; IMAGE= takes it away");
  if (std::string program = equals == std::string::npos ? "" : word.substr(equals + 1); !program.empty())
    for (const std::string& part : split(program, ' '))
      if (!part.empty()) command.push_back(part);
  local::set_image({}, image, command);
  context.streams().out << "image " << image
                        << (command.empty() ? " stands for nothing now"
                                            : " stands for " + shell_quoted(command))
                        << "\n";
  return 0;
}

}  // namespace

Command local_image_command() {
  auto options = std::make_shared<ImageOptions>();
  Command command{"image", "Say which program an image stands for on this machine"};
  command.description = "For manifests that leave the command to the image. IMAGE= takes it away.";
  command.takes("IMAGE=PROGRAM", options->words, "the image as manifests name it, and a program", 1, 1);
  command.argv = &options->command;
  command.run = [options](Context& context) { return run_image(context, *options); };
  return command;
}

}  // namespace kml::cli
