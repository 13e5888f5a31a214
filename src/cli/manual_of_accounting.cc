#include "cli/flag_text.h"

namespace kml::cli {

namespace {

constexpr FlagText kOfAccounting[] = {
    {"--notify",
     "Sends a notice when a job starts, ends, fails or hangs, while this command waits for it. It carries "
     "the last metrics, and for a failure or a hang what `kml why` or `kml hang` says. TARGET is desktop "
     "(through notify-send), slack:URL, webhook:URL, ntfy:TOPIC or exec:COMMAND; repeat it for several. A "
     "webhook gets a JSON object. A command runs in a shell, with the same object in KML_NOTICE, and "
     "KML_NOTICE_EVENT, KML_NOTICE_JOB and KML_NOTICE_TEXT. URLs are secrets, and other users see command "
     "lines: slack, webhook and ntfy without URL take it from KML_NOTIFY_SLACK and so on, and slack:@FILE "
     "from a file of mode 600."},
    {"--by",
     "Prints a row for each user, queue (of Kueue), gpu (type), project (the job's label) or day (in the "
     "time zone of this machine). Several keys give a row for each combination. The default is user.",
     "kml usage"},
    {"--since", "Counts only time after this long ago, also of jobs that began earlier. The default is 30d.",
     "kml usage"},
    {"--all-namespaces", "Counts the jobs of all namespaces.", "kml usage"},
    {"--output",
     "Prints a table (the default), CSV without the total, or an object. Numbers are GPU hours; an unknown "
     "number is empty or null.",
     "kml usage"},
    {"--mine", "Draws only jobs that you submitted.", "kml timeline"},
    {"--since",
     "Draws the time from this long ago until now, also of jobs that began earlier. The default is 1d; "
     "with JOB, it is the time since its submit.",
     "kml timeline"},
    {"--limit", "Draws at most this many jobs, the newest. The default is 50.", "kml timeline"},
    {"--all-namespaces", "Draws the jobs of all namespaces.", "kml timeline"},
    {"--html",
     "Writes the timeline as one HTML file that needs no network, with a table of the jobs. With -, it is "
     "written to standard output.",
     "kml timeline"},
    {"--output", "Prints for each job its rows and the states in them with their times.", "kml timeline"},
};

}  // namespace

std::span<const FlagText> flag_texts_of_accounting() {
  return kOfAccounting;
}

}  // namespace kml::cli
