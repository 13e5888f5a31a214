#include "sweep/commands/sweep_reference.h"

namespace kml::cli {

namespace {

/// The fields of a sweep file under `spec`.
std::vector<Entry> sweep_fields() {
  return {
      {"objective",
       "{type: maximize or minimize, objectiveMetricName: NAME}. With \"goal: V\", the sweep finishes when a "
       "trial reaches V, and the running trials are stopped. With \"strategy: best\", a trial's value is the "
       "best one that it reported, not the latest. \"additionalMetricNames: [NAME, ...]\" lists other "
       "metrics to record."},
      {"objectives",
       "For several objectives, use objectives instead of objective. objectives is a list of 2 to 4 entries "
       "of {type, objectiveMetricName}. The sweep searches for the Pareto front, which kml sweep best "
       "prints. The front consists of the trials that no other trial dominates; a trial dominates another if "
       "it is at least as good in every objective, and better in one. bayesianoptimization proposes the "
       "values that it expects to improve the front the most. auto is bayesianoptimization or, if the budget "
       "is enough for all values, grid. random and sobol work too. kml uses the last reported values. With "
       "several objectives, goals, early stopping and warm starts are not "
       "available. The field additionalMetricNames stays in objective."},
      {"parameters",
       "A list of {name, parameterType, feasibleSpace}. double and int have {min, max}, and optionally step: "
       "S and distribution: uniform, logUniform, normal or logNormal. The mean of a normal distribution is "
       "the center of the range, and the standard deviation is a sixth of the range (for logNormal, of the "
       "logarithms). With \"deviations: N\", the range extends N standard deviations to each side. No value "
       "is outside the range. Logarithmic distributions allow no step. multipleOf: Q rounds a value to a "
       "multiple of Q, which may be slightly outside the range. discrete has a list of numbers, {list: [32, "
       "64]}, and treats neighbors as similar; "
       "categorical has a list of any values. discrete and categorical may both have probabilities: [P, "
       "...], one for each value. parents: [NAME, ...] are the dictionaries in which a W&B program expects "
       "the value. condition: {parameter: NAME, values: [...]} makes the parameter active only if NAME has "
       "one of these values."},
      {"constraints",
       "A list of conditions such as batch * accum <= 256. Each side is a sum of products of numbers and "
       "parameter names, with parentheses if needed; the operator is one of <= < >= > == !=. Put a name that "
       "is not an identifier in double quotes. Constraints cannot use categorical parameters. A constraint "
       "on an inactive parameter is satisfied."},
      {"algorithm",
       "{algorithmName: auto}, or another value of --algorithm. algorithmSettings: [{name, value}] accepts "
       "n_startup_trials (the number of trials before a model is fitted) and random_state (the seed). pbt is "
       "population-based training, and accepts n_population (10), truncation_threshold (0.2) and "
       "resample_probability, and needs checkpointDir. Each trial continues one member of the population "
       "from a copy of the member's last checkpoint, with slightly changed values. One of the worst members "
       "continues "
       "with the checkpoint and the values of one of the best members. kml makes the copy, {checkpoint}, "
       "before the command starts; a trial that is run again finds its files there."},
      {"seed, deterministic", "the same as --seed and --deterministic"},
      {"warmStart",
       "A list of earlier results: {values: {NAME: VALUE, ...}, value: V}. The algorithm learns from these "
       "results; they do not use up the budget."},
      {"parallelTrialCount, maxTrialCount",
       "How many trials run at once, and how many in total. By default, 4 and 100. In an Experiment, 3 and "
       "100, or all points of a grid."},
      {"budget",
       "{trials, wallTime: 2h, gpuHours: 10, target}. The limits apply to the whole sweep, even if it is "
       "resumed. When trials, wallTime or gpuHours is reached, no more trials start, and running trials "
       "finish. No trial starts, either, if it would probably exceed gpuHours. trials is the same as "
       "maxTrialCount, and target is the same as the objective's goal. "
       "wallTime includes only the time during which kml runs the sweep."},
      {"timeLimit", "The time limit of each trial, such as 30m."},
      {"retry",
       "{failures: N}. N is how many times to run a failed trial again [default: 0]. Unless the sweep is "
       "indexed, a trial that ran out of memory is not run again. A trial that the "
       "cluster stops, by preemption or a drain, is run again, too. Only in a sweep with a plan (--plan) "
       "is that one of the N times."},
      {"maxFailedTrialCount",
       "The sweep stops when more trials than this fail. By default, the sweep stops when the first 3 trials "
       "fail or, later, when 5 trials in a row fail, unless a running trial reports values, or all of the "
       "failures were on one node and other nodes work."},
      {"fanOut", "jobs or indexed, the same as --fan-out"},
      {"fidelity",
       "{metric, min, max, eta}. metric measures a trial's progress, such as epoch. max is the metric's "
       "value at the end of a full trial. Trials are compared at rungs: min (max / 16 by default), min * "
       "eta, ... up to max, or the numbers in the list rungs. At each rung, only the best 1/eta of the "
       "trials continue (eta is 4 by default)."},
      {"earlyStopping",
       "{algorithmName: asha, hyperband or median}. asha and hyperband need fidelity. mode: stop (the "
       "default) stops bad trials while they run. mode: promote lets each job train only to the next rung, "
       "{until}, and continues the best trials in new jobs, from their checkpoints in {checkpoint}. For "
       "median, algorithmSettings: [{name, value}] accepts min_trials_required and start_step. For asha, "
       "algorithmSettings accepts brackets (2 by default; with 1, all trials are compared at all rungs) and "
       "compare (last or best: which value of a running trial is compared at a rung)."},
      {"checkpointDir",
       "A folder that all trials can access. {checkpoint} is DIR/SWEEP-ID-TRIAL. mode: promote requires this "
       "folder."},
      {"metricsCollectorSpec",
       "Where kml reads the metrics. By default, {collector: {kind: StdOut}} reads them from the log. "
       "{collector: {kind: File}, source: {fileSystemPath: {path: FILE}}} reads a file that the trial "
       "writes; FILE may have placeholders, as in metrics-{trial}. {collector: {kind: TerminationMessage}} "
       "reads only the pod's termination message. {collector: {kind: TensorFlowEvent}, source: "
       "{fileSystemPath: {path: FOLDER, kind: Directory}}} reads the scalars of TensorBoard event files in a "
       "folder; these files are copied to the trial's log. source: {filter: {metricsFormat: [REGEX]}} "
       "replaces the formats below with a regular expression in RE2 syntax, with groups for the name and the "
       "value."},
      {"trialTemplate",
       "{trialSpec: MANIFEST}, with the placeholders below, or a ConfigMap that contains the manifest, "
       "configMap: {configMapName, configMapNamespace, templatePath}. trialParameters: [{name: A, reference: "
       "NAME}] defines ${trialParameters.A}, as in Katib. placeholders: kml, katib or wandb selects the "
       "placeholder syntax of the manifest. An Experiment uses Katib's syntax, in which {NAME} is not a "
       "placeholder. valueFormat: python writes True and None instead of true and null. The manifest's kind "
       "is Job, PyTorchJob, MPIJob, TrainJob, JobSet, any other kind in kubeflow.org (TFJob, XGBoostJob, "
       "...), or, with successCondition and failureCondition, any kind that the cluster serves, such as "
       "Workflow or PipelineRun. A condition has the form "
       "status.conditions.#(type==\"Succeeded\")#|#(status==\"True\")#. If kml does not know a kind as a job "
       "(see `kml kind list`), kml stops a trial of this kind by deleting the trial's object. With "
       "primaryPodLabels, kml reads metrics only from pods with these labels, and with primaryContainerName, "
       "only from this container."},
  };
}

/// The placeholders that are filled in for each trial.
std::vector<Entry> sweep_holes() {
  return {
      {"{NAME}",
       "The value of a parameter, in any string of the manifest or the command. kml does not quote the "
       "value. Within sh -c \"...\", quote a value that may contain spaces. An inactive parameter is empty. "
       "A string that consists of one placeholder, as in replicas: \"{n}\", gets the type of the value, "
       "except in command, args, env, name, labels and annotations."},
      {"{args}",
       "All active parameters, as --lr=0.01 --batch=32. An argument that is only {args} becomes one argument "
       "for each parameter. Within a longer string, as after sh -c, each parameter is quoted for the shell."},
      {"{trial}", "The trial's number, from 0."},
      {"{until}",
       "The value of fidelity.metric at which the trial's job must stop. {until} is empty without mode: "
       "promote."},
      {"{checkpoint}", "The trial's checkpoint folder; empty if the sweep has no checkpointDir."},
      {"KML_SWEEP, KML_TRIAL, KML_CHECKPOINT",
       "Environment variables, not placeholders, with the sweep's name, the trial's number and its "
       "checkpoint folder."},
  };
}

/// The forms of values for --param.
std::vector<Entry> sweep_param_forms() {
  return {
      {"lr=0.0..1.0",
       "A real number. Write a point or an exponent, because lr=0..1 would be a whole number, 0 or 1."},
      {"lr=log:1e-4..1e-1", "A real number on a logarithmic scale; the minimum must be above 0."},
      {"drop=0..0.5/0.1", "In steps: 0, 0.1, ... 0.5."},
      {"layers=1..8, layers=int:1e0..1e1, width=int:log:16..1024",
       "A whole number. Put int: before a range with exponents (1e0..1e1 alone is a range of real numbers). "
       "If both int: and log: are used, int: comes first."},
      {"batch=32,64,128", "One of these numbers; neighbors are treated as similar."},
      {"opt=adam,sgd, py=3.9,3.10",
       "One of these strings. kml keeps numbers as strings if one of them would change when read as a number "
       "(3.10 would become 3.1)."},
  };
}

/// The forms in which logs may contain numbers.
std::vector<Entry> sweep_metric_forms() {
  return {
      {"accuracy=0.97, loss: 0.3", "anywhere in a line, even several in one line"},
      {"{\"step\": 3, \"accuracy\": 0.97}", "a line of JSON"},
      {"loss=nan, loss=-inf",
       "a value that is not finite; if this is a trial's last value, the trial has diverged"},
      {"reward=12,345",
       "kml ignores this, because it could be one number, twelve thousand, or a list of two numbers"},
      {"step=3",
       "the progress of the trial, in the same line as the metric or in an earlier one. fidelity.metric "
       "is the name of that number. kml also reads \"Epoch 3/10\"."},
      {"val loss: 0.3, valid_0's auc: 0.9",
       "a name may have spaces, as \"val loss\" here, which can also be written val_loss. \"val loss\" is a "
       "different metric than loss, and \"best accuracy\" a different one than accuracy. kml reads a "
       "progress bar each time it is "
       "redrawn. If a step or, without steps, a line has several values, kml uses the last one. A cluster's "
       "nodes send a line without a newline only in pieces of 16 KiB."},
  };
}

}  // namespace

std::vector<Definitions> definitions_of_sweeps() {
  return {{"SWEEP FILE", sweep_fields(),
           "A sweep file is a document with apiVersion kml.dev/v1 and kind Sweep. The sweep's name is in "
           "metadata.name. `kml sweep example` prints a file with every field of spec and its meaning. An "
           "unknown "
           "field is an error. The fields of spec are:"},
          {"PLACEHOLDERS", sweep_holes(), "", "Other braces are left unchanged."},
          {"PARAMETER SYNTAX", sweep_param_forms()},
          {"METRICS IN A TRIAL'S LOG", sweep_metric_forms()}};
}

}  // namespace kml::cli
