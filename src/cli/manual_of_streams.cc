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
    {"--idle",
     "Ends the session after this time without activity: no input on its terminals, less than 5 % of one "
     "core used, its GPUs less than 5 % busy, and less than 2 KiB a minute sent to it through `kml port`, "
     "`kml open` or ssh. For this traffic, kml needs the permission to exec. Its terminals get a warning "
     "when a fifth of the time is "
     "left.",
     "kml dev"},
    {"--max", "Ends the session after this time, whatever it does.", "kml dev"},
    {"--jupyter",
     "Runs `jupyter lab` of the image in the session, forwards its port, prints the address with its token, "
     "and opens it in the browser, as `kml open` does. The session ends with JupyterLab.",
     "kml dev"},
    {"--sync",
     "Sends the code of this folder to the folder of the same name in the session's working directory, "
     "and each file that changes as long as the shell is open, as `kml sync` does. FOLDER:PATH names "
     "another folder of the session. Without PATH, does nothing on this machine, whose files the session "
     "has.",
     "kml dev"},
    {"--delete",
     "Also deletes those files in the pod that you delete here while kml runs, and folders that become "
     "empty by it. Other files in the pod stay.",
     "kml sync"},
    {"--once", "Returns as soon as the pod has every file, instead of waiting for changes.", "kml sync"},
    {"--ssh",
     "Starts the session, and prints its host for ~/.ssh/config instead of opening a shell: see `kml ssh`, "
     "which prints it too. An editor keeps the session alive while it is used; a connection alone does not.",
     "kml dev"},
    {"--config",
     "Prints the lines of ~/.ssh/config that lead ssh into this pod. They name this kml, the context and the "
     "namespace. They stay valid when the job gets a new pod.",
     "kml ssh"},
    {"--detach", "Starts the session and returns, without a shell in it.", "kml dev"},
    {"--list", "Lists the sessions of the namespace, also those that have ended, and starts none.",
     "kml dev"},
    {"--image",
     "The image of the pod that kml starts for pvc/CLAIM; it needs `sh` and the usual tools. The default is "
     "busybox:1. For the claims of a job, kml takes the job's image.",
     "kml cp"},
    {"--image",
     "The image of the container that kml adds; it needs `sh` and `cat`. The default is busybox:1.",
     "kml debug"},
    {"--stdin", "Passes standard input on to the command, and its end too.", "kml exec"},
    {"--tty",
     "Runs the command in a terminal of the size of this one, and passes each key on. Standard input must be "
     "a terminal. Output and errors then come as one stream.",
     "kml exec"},
    {"--all-ranks",
     "Runs the command in all running pods of the job at the same time. Each line of output begins with the "
     "rank. The exit code is the highest of all; a pod that does not answer counts as 1.",
     "kml exec"},
    {"--hang-debug",
     "Sets the variables that make PyTorch's flight recorder keep the latest 2,000 collective operations of "
     "each rank. A rank writes them to /tmp/nccl_trace_rank_N when NCCL's watchdog times out, or as soon as "
     "something is written to /tmp/nccl_trace_rank_N.pipe. `kml hang` does that, and compares the files of "
     "all ranks, as `torchfrtrace` of PyTorch does. The variables of --env take precedence.",
     "kml submit"},
    {"--for",
     "Waits for this time between the two looks. A longer time finds slow steps that a short one misses. The "
     "default is 3s.",
     "kml hang"},
    {"--py-spy",
     "Copies this program into /tmp of each rank, uses it in ranks whose image has no py-spy, and removes it "
     "afterwards. It must suit the image: that of PyPI needs glibc and the same processor. To read another "
     "process, it may also need the capability SYS_PTRACE.",
     "kml hang"},
    {"--output", "Prints the complete answer in this format, with what each rank does.", "kml hang"},
};

}  // namespace

std::span<const FlagText> flag_texts_of_streams() {
  return kOfStreams;
}

}  // namespace kml::cli
