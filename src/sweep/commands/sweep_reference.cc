#include "sweep/commands/sweep_reference.h"

namespace kml::cli {

namespace {

/// The fields of a sweep's file under `spec`.
std::vector<Entry> sweep_fields() {
  return {
      {"objective",
       "{type: maximize or minimize, objectiveMetricName: NAME}. goal: V ends the sweep when a trial reaches "
       "V, and stops the trials that are still running. strategy chooses the value of a trial that counts: "
       "latest (the default) or best. additionalMetricNames: [NAME, ...] are metrics to record too."},
      {"objectives",
       "Instead of objective, a list of 2 to 4 of {type, objectiveMetricName}. "
       "The sweep searches for the Pareto front: the trials that no other one surpasses in all "
       "objectives; kml sweep best prints it. auto and bayesianoptimization propose what extends it most; "
       "grid, random and sobol work too. The last reported values count. There can be no goal, early "
       "stopping, or warm start. additionalMetricNames remain in objective."},
      {"parameters",
       "A list of {name, parameterType, feasibleSpace}. double and int have {min, max}, with step: S, and "
       "distribution: uniform, logUniform, normal or logNormal. The mean of the normal ones is the middle of "
       "the range, or of its logarithms, and their standard deviation a sixth of it (with deviations: N, the "
       "range is N of them to each side); no value is outside. Logarithms allow no step. With multipleOf: Q, "
       "a value of the distribution is rounded to a multiple of Q. discrete has {list: [32, 64]}, of "
       "numbers, where neighbours count as "
       "similar; categorical has a list of any values. Both may have probabilities: [P, ...], one for each "
       "value. parents: [NAME, ...] are the dictionaries in which W&B's programs get the value. condition: "
       "{parameter: NAME, values: [...]}: the "
       "parameter is active only if NAME has one of these values."},
      {"constraints",
       "A list of conditions such as batch * accum <= 256. Each side is a sum of products of numbers and "
       "parameter names, with brackets if needed; the operator is one of <= < >= > == !=. A name that is not "
       "an identifier must be in double quotes. Categorical parameters cannot be used. A constraint on an "
       "inactive parameter counts as met."},
      {"algorithm",
       "{algorithmName: auto}, or another value of --algorithm; algorithmSettings: [{name, value}] takes "
       "n_startup_trials, the number of trials before a model is fitted, and random_state, the seed. pbt "
       "is population based training: it takes n_population (10), truncation_threshold (0.2) and "
       "resample_probability, and needs checkpointDir. Each trial continues one member of the population "
       "from a copy of its last checkpoint, with slightly changed values; a member among the worst takes "
       "the checkpoint and the values of one of the best. kml makes the copy, {checkpoint}, before the "
       "command starts; a trial that is run again finds what it left there."},
      {"seed, deterministic", "as --seed and --deterministic"},
      {"warmStart",
       "A list of {values: {NAME: VALUE, ...}, value: V}: earlier results. The algorithm learns from them; "
       "they do not count against the budget."},
      {"parallelTrialCount, maxTrialCount", "how many trials run at once (4), and in total (100)"},
      {"budget",
       "{trials, wallTime: 2h, gpuHours: 10, target}, over all resumes of the sweep. When it is used up, no "
       "more trials start; running ones finish. trials is the same as maxTrialCount, target as the "
       "objective's goal. wallTime counts only the time during which kml runs the sweep."},
      {"timeLimit", "of a trial: 30m"},
      {"retry",
       "{failures: N}: how many times a failed trial is run again (0). A trial that the cluster stops, by "
       "preemption or a drain, is always run again."},
      {"maxFailedTrialCount",
       "The sweep ends when more trials than this fail. Without it, the sweep ends when 5 trials in a row "
       "fail, or the first 3."},
      {"fanOut", "jobs, or indexed: as --fan-out"},
      {"fidelity",
       "{metric, min, max, eta}: the metric that counts a trial's progress, such as epoch; its value at the "
       "end of a full trial (max); and the rungs at which trials are compared: min (max / 16), min * eta, "
       "... up to max. At each rung, the best one in eta (4) continues."},
      {"earlyStopping",
       "{algorithmName: asha, hyperband or median}; the first two need fidelity. mode: stop (the default) "
       "ends bad trials while they run; promote ends each job at a rung, {until}, and continues the best "
       "trials in new jobs, from the checkpoints in {checkpoint}. For median, algorithmSettings: [{name, "
       "value}] takes min_trials_required and start_step."},
      {"checkpointDir",
       "A folder that all trials can access: {checkpoint} is DIR/SWEEP-ID-TRIAL. mode: promote needs it."},
      {"metricsCollectorSpec",
       "Where metrics are read from. The default is the log, {collector: {kind: StdOut}}. {collector: {kind: "
       "File}, source: {fileSystemPath: {path: FILE}}} reads a file that the trial writes; FILE may have "
       "placeholders, as in metrics-{trial}. {collector: {kind: TerminationMessage}} reads only the "
       "termination message of the pod. {collector: {kind: TensorFlowEvent}, source: {fileSystemPath: {path: "
       "FOLDER, kind: Directory}}} reads the scalars of event files in a folder; their bytes appear in the "
       "trial's log. source: {filter: {metricsFormat: [REGEX]}} replaces the forms below by a regular "
       "expression in RE2's syntax, with groups for name and value."},
      {"trialTemplate",
       "{trialSpec: MANIFEST}, with the placeholders below; or configMap: {configMapName, "
       "configMapNamespace, templatePath}, which has it. trialParameters: [{name: A, reference: NAME}] "
       "defines ${trialParameters.A}, as in Katib. placeholders: kml, katib or wandb says whose placeholders "
       "the manifest has; an Experiment has Katib's, where {NAME} is not one. valueFormat: python writes "
       "True and None instead of true and null. The kind is Job, PyTorchJob, MPIJob, TrainJob, JobSet, "
       "any other kind of kubeflow.org (TFJob, XGBoostJob, ...), or, with successCondition and "
       "failureCondition, any kind that the cluster serves, such as Workflow or PipelineRun: "
       "status.conditions.#(type==\"Succeeded\")#|#(status==\"True\")#. Metrics are read only from pods "
       "with primaryPodLabels, and there from primaryContainerName, if these are given. To stop such a "
       "trial, kml deletes it."},
  };
}

/// The placeholders that each trial fills in.
std::vector<Entry> sweep_holes() {
  return {
      {"{NAME}",
       "The value of a parameter, in any string of the manifest or the command. It is not quoted: within sh "
       "-c \"...\", quote a value that may contain spaces. An inactive parameter is empty. A string that is "
       "only a placeholder, as in replicas: \"{n}\", takes the type of the value, except in command, args "
       "and env."},
      {"{args}",
       "All active parameters, as --lr=0.01 --batch=32. As an argument of its own, it becomes one argument "
       "for each parameter; within a longer string, as after sh -c, each is quoted for the shell."},
      {"{trial}", "The trial's number, from 0."},
      {"{until}", "The value of fidelity.metric at which the trial's job must end. Only with mode: promote."},
      {"{checkpoint}", "The folder of the trial's checkpoints, if the sweep has a checkpointDir."},
      {"KML_SWEEP, KML_TRIAL, KML_CHECKPOINT",
       "Environment variables of the trial, not placeholders: the sweep's name, the trial's number and the "
       "folder of its checkpoints."},
  };
}

/// The forms of a --param value.
std::vector<Entry> sweep_param_forms() {
  return {
      {"lr=0.0..1.0",
       "A real number. lr=0..1 would be a whole number, 0 or 1, because its bounds have neither a point nor "
       "an exponent."},
      {"lr=log:1e-4..1e-1", "A real number on a logarithmic scale; the minimum must be above 0."},
      {"drop=0..0.5/0.1", "In steps: 0, 0.1, ... 0.5."},
      {"layers=1..8, layers=int:1e0..1e1, width=int:log:16..1024",
       "A whole number. Bounds with an exponent need int:, which is written before log:."},
      {"batch=32,64,128", "One of these numbers; neighbours count as similar."},
      {"opt=adam,sgd, py=3.9,3.10",
       "One of these strings. Numbers stay strings if one of them would change as a number (3.10 would "
       "become 3.1)."},
  };
}

/// The forms of numbers in logs.
std::vector<Entry> sweep_metric_forms() {
  return {
      {"accuracy=0.97, loss: 0.3", "anywhere in a line, also several in one line"},
      {"{\"step\": 3, \"accuracy\": 0.97}", "a line of JSON"},
      {"loss=nan, loss=-inf", "not a number: if this is a trial's last value, the trial has diverged"},
      {"reward=12,345", "is ignored: it may mean twelve thousand, or a list"},
      {"step=3",
       "the progress of the trial, in the same line as the metric or in an earlier one. fidelity.metric sets "
       "its name; the form \"Epoch 3/10\" is also read."},
      {"val loss: 0.3, valid_0's auc: 0.9",
       "the name is all of \"val loss\". A progress bar is read each time it is redrawn; for each step, or "
       "line, the last values count. A cluster's nodes send a line without a newline only in pieces of 16 "
       "KiB."},
  };
}

}  // namespace

std::vector<Definitions> definitions_of_sweeps() {
  return {
      {"THE FILE OF A SWEEP", sweep_fields(),
       "A document of apiVersion kml.dev/v1, kind Sweep, with its name in metadata.name. "
       "examples/sweep.yaml in kml's sources shows every field. An unknown field is an error. Under spec:"},
      {"PLACEHOLDERS OF A TRIAL", sweep_holes(), "", "Other braces are left unchanged."},
      {"FORMS OF --param", sweep_param_forms()},
      {"NUMBERS IN A TRIAL'S LOG", sweep_metric_forms()}};
}

}  // namespace kml::cli
