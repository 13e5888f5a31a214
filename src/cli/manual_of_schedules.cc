#include "cli/flag_text.h"

namespace kml::cli {

namespace {

constexpr FlagText kOfSchedules[] = {
    {"--cron",
     "Creates a schedule instead of a job: a CronJob, which starts this job at each of these times. The "
     "five fields are minute, hour, day of the month, month and day of the week: 5, 1-5, */15, mon-fri or "
     "a list of these; @hourly, @daily, @weekly, @monthly and @yearly work too. A time that a change to "
     "daylight saving time leaves out is skipped; one that comes twice starts two jobs. `kml schedule` "
     "manages schedules.",
     "kml submit"},
    {"--every",
     "Like --cron, by the time between two starts, counted from midnight: 15m, 6h, 1d, 7d. It must divide "
     "an hour or a day, or be a day or a week, because Kubernetes' schedules can express no other.",
     "kml submit"},
    {"--at",
     "Creates a schedule that starts this job once: at \"2026-12-01 09:00\", \"today 18:30\", \"tomorrow "
     "9:00\", 18:30 (the next time that the clock shows it), +2h, or a time such as 2026-12-01T09:00:00Z, "
     "at most a year ahead. Seconds are rounded up to a minute. If the cluster, or this machine, is down "
     "or asleep at that time, the job starts afterwards. Until then `kml schedule delete` takes it back. "
     "Half a year after its start, the cluster deletes the schedule with its job: a Job without pods, "
     "NAME-once-..., owns the schedule and has a time to live.",
     "kml submit"},
    {"--tz",
     "The time zone of --cron, --every and --at: Europe/Berlin. The default is the time zone of this "
     "machine.",
     "kml submit"},
    {"--cron",
     "Creates a schedule instead of a run: a CronJob, which starts a run of the same file with the same "
     "flags at each of these times. Its jobs and their runs are named SCHEDULE-N. On this machine its jobs "
     "are `kml run` in the current folder; on a cluster, which needs --in-cluster, they are engines. The "
     "five fields are as for `kml submit --cron`. `kml schedule` manages schedules.",
     "kml run"},
    {"--every",
     "Like --cron, by the time between two starts: 15m, 6h, 1d, 7d. It must divide an hour or a day, or be "
     "a day or a week.",
     "kml run"},
    {"--at", "Starts the run once, at a time as for `kml submit --at`.", "kml run"},
    {"--tz", "The time zone of --cron, --every and --at. The default is the time zone of this machine.",
     "kml run"},
    {"--scheduled",
     "The time for ${run.scheduled}: 2026-01-01T03:00:00Z. Use it to make up for a run that "
     "was missed. The default is the time for which a schedule started the run, otherwise the time at "
     "which the run began. A step that uses ${run.scheduled} runs again when that time is another.",
     "kml run"},
    {"--file", "The pipeline that is run, by its path in the repository. Each run reads it at its commit.",
     "kml schedule git"},
    {"--name",
     "The name of the schedule, at most 33 characters; its runs are NAME-COMMIT. The default is the name "
     "of the repository, without its folder and without .git. A name belongs to one branch and one file.",
     "kml schedule git"},
    {"--every",
     "How often kml looks at the branch. It must divide an hour or a day, or be a day or a week. Each look "
     "is a job of the schedule.",
     "kml schedule git"},
    {"--each",
     "Runs all commits that came since kml looked last, oldest first, and side by side. The first look, "
     "and one after a forced push, runs only the newest.",
     "kml schedule git"},
    {"--param", "Sets a parameter of the pipeline. May be repeated.", "kml schedule git"},
    {"--once",
     "Looks at the branch now, starts the runs of new commits, and ends. Use it where something else "
     "decides when to look: a hook, a CI job, a timer.",
     "kml schedule git"},
    {"--print-hook",
     "Prints a shell script for hooks/post-receive of a bare repository, which looks with --once whenever "
     "the branch is pushed. It needs no schedule; together with one, a commit is still run once.",
     "kml schedule git"},
    {"--in-cluster",
     "Creates a CronJob on the cluster whose pods look at the branch. You can shut this machine down.",
     "kml schedule git"},
    {"--engine-image", "The image of these pods and of the engines: it has kml, git and sh.",
     "kml schedule git"},
    {"--store",
     "Where the steps keep what they make, as for `kml run --store`. A volume also keeps the journals.",
     "kml schedule git"},
    {"--journal-volume", "The claim, and a folder in it, for the journals of the runs.", "kml schedule git"},
    {"--engine-account",
     "A service account with the rights that kml-run(1) lists, which may also create jobs, get cron jobs, "
     "and list and watch config maps. By default kml creates one, with a Role.",
     "kml schedule git"},
    {"--git-secret",
     "A Secret of the namespace for the repository (`kml submit -f FILE` creates one). For http and https it "
     "has the keys password, for a password or a token, and username if it needs one; for ssh, "
     "ssh-privatekey and known_hosts. Git gives the password to that server only.",
     "kml schedule git"},
    {"--all-namespaces", "Shows the schedules of all namespaces.", "kml schedule list"},
    {"--output", "Prints all that is known about the schedules, or only their names.", "kml schedule list"},
};

}  // namespace

std::span<const FlagText> flag_texts_of_schedules() {
  return kOfSchedules;
}

}  // namespace kml::cli
