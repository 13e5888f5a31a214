#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "cli/context.h"
#include "kml/engine/journal.h"
#include "kml/jobs/pipeline/s3_store.h"
#include "kml/jobs/pipeline/step_runner.h"
#include "kml/jobs/pipeline/surroundings.h"
#include "kml/jobs/submit/submit.h"
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
  PipelineHere(Context& context, std::filesystem::path file, pipeline::Pipeline pipeline, const Json& head);

  const pipeline::Pipeline& steps() const { return pipeline_; }
  const pipeline::LocalStore& store() const { return store_; }
  const pipeline::Cache& cache() const { return cache_; }
  /// Throws Error (usage) if a step's settings, with these parameters, are wrong as far as they are known, or
  /// take what needs trust and has none.
  void check(const Json& params) const;
  /// These refuse a step, too, whose settings turn out so only once it begins. This must outlive them.
  jobs::StepRunnerOptions runner_options(const std::string& run, const std::string& id) const;

 private:
  bool is_there(const Json& made) const;
  bool is_here(const Json& made) const;
  bool is_in_bucket(const Json& made) const;
  bool is_trusted() const;
  void refuse_off_claim() const;
  void require_trust(std::vector<spec::Setting> settings) const;

  Context& context_;
  const std::filesystem::path file_;
  const pipeline::Pipeline pipeline_;
  const pipeline::LocalStore store_;
  const bool is_own_;                            ///< a job of this user's command line: it needs no trust
  const std::optional<jobs::ClaimStore> claim_;  ///< of --store pvc/NAME
  const std::unique_ptr<pipeline::SharedStore> shared_;  ///< of --store s3://BUCKET
  const jobs::SubmitRequest defaults_;
  jobs::StepSurroundings surroundings_;
  const pipeline::Cache cache_;
};

/// Runs it to its end, and shows how it goes; the exit code.
int go_on(
    Context& context, const PipelineHere& here, const std::string& run, engine::Journal& journal,
    const std::function<void(const pipeline::Engine& engine)>& on_step = [](const pipeline::Engine&) {});

/// Throws usage Error if the run's jobs are elsewhere.
void require_target(Context& context, const pipeline::RunState& run);

}  // namespace kml::cli
