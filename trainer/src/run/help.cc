#include <string>

#include "run/flags.h"

namespace trainer {

std::string help_text() {
  std::string text =
      "Usage: kml-trainer [FLAG]...\n"
      "Trains the network of TensorFlow's mnist_with_summaries demo, and prints \"Accuracy at step N: A\" "
      "every ten\n"
      "steps. On SIGTERM, training ends with status 143. With --checkpoint-dir, it first saves a "
      "checkpoint,\n"
      "and resumes from there when you start it again, with exactly the same result.\n\n";
  for (const Flag& flag : flags()) {
    text += std::string("  --") + flag.name + (flag.value ? std::string(" ") + flag.value : "") + "\n      ";
    for (const char* c = flag.help; *c; ++c)
      text += *c == '\n' ? std::string("\n      ") : std::string(1, *c);
    text += "\n";
  }
  return text +
         "\nIn the names of flags, - and _ are the same. --name value and --name=value are the same, "
         "too.\nExit status: 0 done, 1 error, 2 wrong usage, 143 stopped by SIGTERM, 130 by SIGINT,\n134 a "
         "GPU failed: start again, 138 another rank was stopped or lost, or the ranks\ncould not connect: "
         "start all ranks again.\n";
}

}  // namespace trainer
