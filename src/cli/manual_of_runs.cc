#include "cli/flag_text.h"

namespace kml::cli {

namespace {

constexpr FlagText kOfRuns[] = {
    {"--where",
     "Keeps only runs that meet the condition, with the operators of `when` in pipelines: && || ! < <= > >= "
     "== "
     "!= + - * /. Names are parameters, metrics, \"state\", \"kind\", \"name\", \"user\" and \"tags.T\". A "
     "run "
     "without one of the values is left out."},
    {"--sort",
     "Sorts by a parameter, a metric or another name that --where knows, the smallest first; with \":desc\" "
     "the largest first. Runs without the value come last. The default is the order of their starts.",
     "kml runs"},
    {"--sort", "Sorts by a parameter or metric, the smallest first; with \":desc\" the largest first.",
     "kml runs export"},
    {"--limit", "Shows at most N runs: the newest, or the first of the order of --sort. The default is 50.",
     "kml runs"},
    {"--limit", "Prints at most N runs. The default is all.", "kml runs export"},
    {"--all", "Also shows the properties in which the runs are equal.", "kml runs compare"},
    {"--output", "Prints everything that is known about the runs.", "kml runs"},
    {"--output", "Prints everything that is known about the runs.", "kml runs compare"},
    {"--output",
     "Prints CSV with a column for each parameter, metric and tag, or a JSON object for each run.",
     "kml runs export"},
};

}  // namespace

std::span<const FlagText> flag_texts_of_runs() {
  return kOfRuns;
}

}  // namespace kml::cli
