#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/context.h"
#include "kml/pipeline/engine/cache.h"
#include "kml/pipeline/engine/run_state.h"
#include "kml/pipeline/journal/journal.h"
#include "kml/pipeline/language/pipeline.h"
#include "kml/pipeline/runner/s3_store.h"
#include "kml/pipeline/store/store.h"
#include "pipeline/commands/run_data.h"
#include "pipeline/engine/engine.h"
#include "pipeline/runner/run_files.h"
#include "pipeline/runner/step_runner.h"
#include "pipeline/runner/surroundings.h"

namespace kml::cli {

/// The objects that a step will create, with placeholders for unknown values; its job is the first one. Empty
/// if they cannot be made before other steps have run.
struct StepSample {
  const pipeline::Step* step;
  std::vector<Json> objects;
  Json packages = {};  ///< see job::SubmitPlan
};

/// A pipeline, with everything on this machine that its steps depend on.
class PipelineHere {
 public:
  /// `file` is the absolute path of the pipeline. `pipeline` must have its steps expanded (expanded()).
  /// `head` is the first record of the run. Throws usage Error if the pipeline's store cannot be used here.
  PipelineHere(Context& context, const std::filesystem::path& file, const pipeline::Pipeline& pipeline,
               const pipeline::record::Run& head);
  /// Like the other constructor, but uses the given defaults instead of this machine's. `store` is the value
  /// of --store, or empty. `is_trusted` says whether the user trusts the file. `given` are the
  /// outside_inputs() of another machine.
  PipelineHere(Context& context, std::filesystem::path file, pipeline::Pipeline pipeline,
               const std::string& store, pipeline::StepDefaults defaults, bool is_trusted,
               Json given = Json::object());

  const pipeline::Pipeline& steps() const { return pipeline_; }
  /// Like steps(), but with one sample step for each foreach whose steps are not known yet. Used for checks
  /// that apply to all of those steps.
  const pipeline::Pipeline& samples() const { return samples_; }
  /// The pipeline to pass to the engine, which adds steps to it.
  pipeline::Pipeline& steps() { return pipeline_; }
  const pipeline::LocalStore& store() const { return store_; }
  const pipeline::Cache& cache() const { return cache_; }
  /// Throws usage Error if it is already known that the settings of a step are wrong with these parameters,
  /// or need the user's trust.
  void check(const Json& params) const;
  /// Options that also make a step fail if its settings turn out to need the user's trust when it starts.
  /// This object must outlive the options.
  pipeline::StepRunnerOptions runner_options(const std::string& run, const std::string& id) const;

  const pipeline::StepDefaults& defaults() const { return defaults_; }
  /// See StepSurroundings::since().
  Time code_is_read_since() const { return surroundings_.since(); }
  bool is_trusted() const { return is_trusted_; }
  /// The settings of the steps with these parameters, as far as they are known before any step has run.
  /// Throws usage Error if they are wrong.
  std::vector<spec::Setting> known_settings(const Json& params) const;
  /// The inputs that no step makes, by their text(). If the store is a volume, copies files on this machine
  /// to it. Otherwise, only has the inputs that are artifacts. Throws Error if an input cannot be read.
  Json outside_inputs(const Json& params) const;
  /// The StepSample of each step in samples().
  std::vector<StepSample> step_samples(const Json& params) const;
  /// The objects that the steps will create on the server, with placeholders for unknown values.
  std::vector<Json> sample_objects(const Json& params) const;

 private:
  bool is_there(const Json& made) const;
  bool is_here(const Json& made) const;
  bool is_in_bucket(const Json& made) const;
  void refuse_off_claim() const;
  void refuse_inputs_of_kml() const;
  void require_files_of_tasks() const;
  void require_trust(std::vector<spec::Setting> settings) const;

  Context& context_;
  const std::filesystem::path file_;
  pipeline::Pipeline pipeline_;
  const pipeline::Pipeline samples_;
  const pipeline::LocalStore store_;
  const std::optional<pipeline::ClaimStore> claim_;  ///< the store of --store pvc/NAME
  const std::unique_ptr<pipeline::S3Store> shared_;  ///< the store of --store s3://BUCKET
  const pipeline::StepDefaults defaults_;
  const bool is_trusted_;
  pipeline::StepSurroundings surroundings_;
  mutable RunData data_;
  const pipeline::Cache cache_;
};

using OnStep = std::function<void(const pipeline::Engine& engine)>;

struct RunHooks {
  std::function<bool()> stop_wish;
  OnStep on_step = [](const pipeline::Engine&) {};
};

/// Runs the pipeline to its end, and shows its progress. Returns the exit code.
int go_on(Context& context, PipelineHere& here, const std::string& run, pipeline::Journal& journal,
          const RunHooks& hooks);
/// Like go_on(), but also ends when the stop file appears, which asks engines on this machine to stop.
int go_on_here(
    Context& context, PipelineHere& here, const std::string& run, pipeline::Journal& journal,
    OnStep on_step = [](const pipeline::Engine&) {});

/// Throws usage Error if the run's jobs are on a different target.
void require_target(Context& context, const pipeline::RunState& run);

}  // namespace kml::cli
