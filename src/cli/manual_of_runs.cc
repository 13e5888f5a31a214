#include "cli/flag_text.h"

namespace kml::cli {

namespace {

constexpr FlagText kOfRuns[] = {
    {"--where",
     "Keeps only runs that meet the condition, with the operators of `when` in pipelines: && || ! < <= > >= "
     "== != + - * /. Names are parameters, metrics, \"state\", \"kind\", \"name\", \"user\" and \"tags.T\". "
     "A run without one of the values is left out."},
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
    {"--columns",
     "The columns after the name, in this order: parameters, metrics (also \"loss.min\" and \"loss.max\"), "
     "and \"state\", \"age\", \"run\", \"tags\" and other names that --where knows.",
     "kml runs"},
    {"--output", "Prints everything that is known about the runs.", "kml runs"},
    {"--output", "Prints everything that is known about the runs.", "kml runs compare"},
    {"--output",
     "Prints CSV with a column for each parameter, metric and tag, or a JSON object for each run.",
     "kml runs export"},
    {"--sort", "Takes runs in this order, the smallest first; with \":desc\" the largest first.",
     "kml runs report"},
    {"--limit", "Reports at most N runs: the newest, or the first of the order of --sort. The default is 50.",
     "kml runs report"},
    {"--output", "The file to write. The default is runs.html; \"-\" is standard output.", "kml runs report"},
    {"--sort", "Pushes runs in this order, the smallest first; with \":desc\" the largest first.",
     "kml runs push"},
    {"--limit", "Pushes at most N runs: the newest, or the first of the order of --sort.", "kml runs push"},
    {"--mlflow",
     "The address of the MLflow server: that of its page in a browser, without the part after \"#\". The "
     "default is MLFLOW_TRACKING_URI. A server over http must be on this machine if it needs a login."},
    {"--experiment",
     "The experiment of MLflow that gets the runs. kml creates it if it does not exist. The default is "
     "MLFLOW_EXPERIMENT_NAME, or \"kml\"."},
    {"--artifacts",
     "Also sends the files that the runs have made: the outputs of the steps of a pipeline, as STEP/OUTPUT, "
     "and "
     "what a job logged with --track mlflow. Files that MLflow has already are not sent again. Links, and "
     "files over 1 GiB, are left out."},
    {"--track",
     "With \"mlflow\", sets MLFLOW_TRACKING_URI to a new folder in ~/.local/state/kml/tracking, so that "
     "MLflow in the program needs no server. When the job ends, `kml runs` has the parameters, metrics "
     "and tags from there. The folder stays, with the files that the program logged. Only for jobs on "
     "this machine.",
     "kml submit"},
    {"--keep",
     "Keeps the files of runs that ended less than this time ago: 12h, 7d. The default is 30d. With --store, "
     "keeps the results that were used during that time."},
    {"--store",
     "Removes results from this bucket (s3://BUCKET/PREFIX) instead of from this machine. Results that were "
     "written or used in the last 24 hours are always kept.",
     "kml gc"},
    {"--keep-last",
     "Keeps the files of the last N runs of each pipeline, whatever their age. The default is 5."},
    {"--max-size",
     "If the remaining files take more space than this (100Gi), also removes those of the oldest runs. Files "
     "of the last 24 hours, pinned artifacts and runs that have not ended are always kept."},
    {"--dry-run", "Only prints what would be removed.", "kml gc"},
    {"--output", "Prints what was removed, and the size of the remaining files, in this format.", "kml gc"},
};

}  // namespace

std::span<const FlagText> flag_texts_of_runs() {
  return kOfRuns;
}

}  // namespace kml::cli
