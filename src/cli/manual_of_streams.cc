#include "cli/flag_text.h"

namespace kml::cli {

namespace {

constexpr FlagText kOfStreams[] = {
    {
        "--container",
        "Uses this container of the pod. The default is the pod's first container, or the one that its "
        "annotation kubectl.kubernetes.io/default-container names.",
    },
    {"--no-browser",
     "Prints the address and forwards the port, but opens no browser, as on a machine without a display."},
    {"--stdin", "Passes standard input on to the command, and its end too.", "kml exec"},
    {"--tty",
     "Runs the command in a terminal of the size of this one, and passes each key on. Standard input must be "
     "a terminal. Output and errors then come as one stream.",
     "kml exec"},
    {"--all-ranks",
     "Runs the command in all running pods of the job at the same time. Each line of output begins with the "
     "rank. The exit code is the highest of all; a pod that does not answer counts as 1.",
     "kml exec"},
    {"--for",
     "Waits for this time between the two looks. A longer time finds slow steps that a short one misses. The "
     "default is 3s.",
     "kml hang"},
    {"--output", "Prints the complete answer in this format, with what each rank does.", "kml hang"},
};

}  // namespace

std::span<const FlagText> flag_texts_of_streams() {
  return kOfStreams;
}

}  // namespace kml::cli
