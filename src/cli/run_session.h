#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/context.h"
#include "kml/engine/journal.h"
#include "kml/jobs/pipeline/run_files.h"
#include "kml/jobs/pipeline/s3_store.h"
#include "kml/jobs/pipeline/step_runner.h"
#include "kml/jobs/pipeline/surroundings.h"
#include "kml/pipeline/cache.h"
#include "kml/pipeline/engine.h"
#include "kml/pipeline/pipeline.h"
#include "kml/pipeline/run_state.h"
#include "kml/pipeline/store.h"

namespace kml::cli {

/// A pipeline with all that its steps depend on here.
class PipelineHere {
 public:
  /// `file` is the pipeline's, absolute; its steps are those of a run (expanded()). `head` is the run's first
  /// record. Throws Error (usage) if its store cannot be used here.
  PipelineHere(Context& context, const std::filesystem::path& file, const pipeline::Pipeline& pipeline,
               const Json& head);
  /// The same with other defaults than this machine's; `store` is as --store has it, or empty, and
  /// `is_trusted` tells whether the file is.
  PipelineHere(Context& context, std::filesystem::path file, pipeline::Pipeline pipeline,
               const std::string& store, jobs::StepDefaults defaults, bool is_trusted);

  const pipeline::Pipeline& steps() const { return pipeline_; }
  const pipeline::LocalStore& store() const { return store_; }
  const pipeline::Cache& cache() const { return cache_; }
  /// Throws Error (usage) if a step's settings, with these parameters, are wrong as far as they are known, or
  /// take what needs trust and has none.
  void check(const Json& params) const;
  /// These refuse a step, too, whose settings turn out so only once it begins. This must outlive them.
  jobs::StepRunnerOptions runner_options(const std::string& run, const std::string& id) const;

  const jobs::StepDefaults& defaults() const { return defaults_; }
  bool is_trusted() const { return is_trusted_; }
  /// The steps' settings, with these parameters, as far as they are known before anything has run. Throws
  /// Error (usage) if they are wrong.
  std::vector<spec::Setting> known_settings(const Json& params) const;
  /// What the steps make on the server, with placeholders for what is not known.
  std::vector<Json> sample_objects(const Json& params) const;

 private:
  bool is_there(const Json& made) const;
  bool is_here(const Json& made) const;
  bool is_in_bucket(const Json& made) const;
  void refuse_off_claim() const;
  std::vector<Problem> untrusted_inputs() const;
  void require_trust(std::vector<spec::Setting> settings) const;

  Context& context_;
  const std::filesystem::path file_;
  const pipeline::Pipeline pipeline_;
  const pipeline::LocalStore store_;
  const std::optional<jobs::ClaimStore> claim_;          ///< of --store pvc/NAME
  const std::unique_ptr<pipeline::SharedStore> shared_;  ///< of --store s3://BUCKET
  const jobs::StepDefaults defaults_;
  const bool is_trusted_;
  jobs::StepSurroundings surroundings_;
  const pipeline::Cache cache_;
};

using OnStep = std::function<void(const pipeline::Engine& engine)>;

struct RunHooks {
  std::function<bool()> stop_wish;
  OnStep on_step = [](const pipeline::Engine&) {};
};

/// Runs it to its end, and shows how it goes; the exit code.
int go_on(Context& context, const PipelineHere& here, const std::string& run, engine::Journal& journal,
          const RunHooks& hooks);
/// The same until the file appears that asks engines of this machine to stop.
int go_on_here(
    Context& context, const PipelineHere& here, const std::string& run, engine::Journal& journal,
    OnStep on_step = [](const pipeline::Engine&) {});

/// Throws usage Error if the run's jobs are elsewhere.
void require_target(Context& context, const pipeline::RunState& run);

}  // namespace kml::cli
