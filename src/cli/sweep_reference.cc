#include "cli/reference.h"

namespace kml::cli {

std::vector<Entry> sweep_fields() {
  return {
      {"objective",
       "{type: maximize or minimize, objectiveMetricName: NAME}. goal: V ends the sweep where V is reached, "
       "and withdraws the trials that run. "
       "strategy says which of a trial's values counts: latest (the default), or best. "
       "additionalMetricNames: [NAME, ...] are kept too."},
      {"parameters",
       "A list of {name, parameterType, feasibleSpace}. double and int have {min, max}, with step: S or "
       "distribution: logUniform; discrete has {list: [32, 64]} of numbers, neighbours of which are taken to "
       "be alike; categorical has a list of anything. condition: {parameter: NAME, values: [...]}: it counts "
       "only where that one has one of these values."},
      {"constraints",
       "A list of texts as batch * accum <= 256: on both sides sums of products of numbers and names, with "
       "brackets, and between them one of <= < >= > == !=. A name that is no identifier stands in double "
       "quotes, a categorical parameter cannot stand there. One that names an inactive parameter holds."},
      {"algorithm",
       "{algorithmName: auto, or a name of --algorithm}; algorithmSettings: [{name, value}] has "
       "n_startup_trials, the trials before a model is fitted, and random_state, the seed."},
      {"seed, deterministic", "as --seed and --deterministic"},
      {"warmStart",
       "A list of {values: {NAME: VALUE, ...}, value: V}: results that are known. They teach, and count for "
       "no budget."},
      {"parallelTrialCount, maxTrialCount", "how many trials at once (4), and in all (100)"},
      {"budget",
       "{trials, wallTime: 2h, gpuHours: 10, target}, over every resume. No trial begins beyond it; those "
       "that run go on. trials is maxTrialCount, target the objective's goal. Only the time in which kml ran "
       "the sweep counts."},
      {"timeLimit", "of a trial: 30m"},
      {"retry",
       "{failures: N}: how many times a trial that failed is made again (0). What the cluster takes away, by "
       "preemption or a drain, is made again anyway."},
      {"maxFailedTrialCount",
       "More failed trials end the sweep. With or without it, 5 that fail one after another do, and the "
       "first 3."},
      {"fanOut", "jobs, or indexed: as --fan-out"},
      {"fidelity",
       "{metric, min, max, eta}: the metric that tells how far a trial is, what a whole one uses (max), and "
       "the rungs: min (max / 16), min * eta, ... up to max, where one of eta (4) goes on."},
      {"earlyStopping",
       "{algorithmName: asha, hyperband or median}; the first two need fidelity. mode: stop (the default) "
       "ends losers while they run; promote ends each job at a rung, {until}, and lets the best go on by "
       "another job from the checkpoints in {checkpoint}. For median, algorithmSettings: [{name, value}] has "
       "min_trials_required and start_step."},
      {"checkpointDir",
       "A folder that all trials see: {checkpoint} is DIR/SWEEP-ID-TRIAL. mode: promote needs it."},
      {"metricsCollectorSpec",
       "{collector: {kind: StdOut}}: from the log, which is the default. {collector: {kind: File}, source: "
       "{fileSystemPath: {path: FILE}}}: from a file that the trial writes, with holes as in "
       "metrics-{trial}. {collector: {kind: "
       "TerminationMessage}}: from that alone, and no log is read. source: {filter: {metricsFormat: "
       "[REGEX]}}: with groups for name and value, in RE2's syntax, instead of the forms below."},
      {"trialTemplate",
       "{trialSpec: MANIFEST} of a Job, PyTorchJob or JobSet, with the holes below. trialParameters: [{name: "
       "A, reference: NAME}] is for ${trialParameters.A}, as in Katib."},
  };
}

std::vector<Entry> sweep_holes() {
  return {
      {"{NAME}",
       "A parameter's value as it is, in any text of the manifest or the command: within sh -c \"...\" the "
       "shell reads it, so quote what may hold blanks. Empty where the parameter is inactive. A text that is "
       "nothing else keeps the value's type, as in replicas: \"{n}\"; not in command, args and env."},
      {"{args}",
       "--lr=0.01 --batch=32, without inactive parameters. A word of its own becomes one word a parameter; "
       "within a text, as of sh -c, each is quoted for the shell."},
      {"{trial}", "The trial's number, from 0."},
      {"{until}", "Where the trial's job is to end, in units of fidelity.metric: with mode: promote only."},
      {"{checkpoint}", "The folder of the trial's checkpoints, where there is a checkpointDir."},
      {"KML_SWEEP, KML_TRIAL, KML_CHECKPOINT",
       "No holes, but in the trial's environment: the sweep's name, the number and the folder."},
  };
}

std::vector<Entry> sweep_param_forms() {
  return {
      {"lr=0.0..1.0", "A number with a fraction. With 0..1 it is 0 or 1: bounds without point or exponent."},
      {"lr=log:1e-4..1e-1", "The same by its logarithm; the minimum is above 0."},
      {"drop=0..0.5/0.1", "In steps: 0, 0.1, ... 0.5."},
      {"layers=1..8, layers=int:1e0..1e1, width=int:log:16..1024", "A whole number; int: before log:."},
      {"batch=32,64,128", "One of these numbers, neighbours of which are taken to be alike."},
      {"opt=adam,sgd, py=3.9,3.10",
       "One of these texts; numbers are texts where one would change as a number."},
  };
}

std::vector<Entry> sweep_metric_forms() {
  return {
      {"accuracy=0.97, loss: 0.3", "anywhere in a line, several a line too"},
      {"{\"step\": 3, \"accuracy\": 0.97}", "a line of JSON"},
      {"loss=nan, loss=-inf", "no number: a trial whose last value it is has diverged"},
      {"reward=12,345", "is not read: it may be twelve thousand, or a list"},
      {"step=3",
       "where the trial is: in the same line or one before. fidelity.metric says how it is called, and is "
       "read in words, too: Epoch 3/10."},
      {"val loss: 0.3, valid_0's auc: 0.9",
       "by the whole name. A progress bar is read while it is redrawn: of a step, or a line, its last values "
       "count. A cluster's nodes pass on 16 KiB "
       "of "
       "it at a time."},
  };
}

}  // namespace kml::cli
