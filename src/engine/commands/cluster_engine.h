#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/context.h"
#include "engine/in_cluster/journal_copy.h"
#include "kml/base/error.h"
#include "kml/engine/in_cluster/engine_job.h"

namespace kml::cli {

/// Flags for an engine that runs in the cluster.
struct InClusterFlags {
  bool in_cluster = false;
  std::string image, volume, account;
};

/// The man page's sentences about these flags; if empty, the short help is used.
struct InClusterDetails {
  std::string in_cluster = {}, image = {}, volume = {}, account = {};
};

void add_in_cluster_flags(Command& command, InClusterFlags& flags, const InClusterDetails& details);

/// Throws usage Error if the other flags are used without --in-cluster, or if --in-cluster is used and the
/// embedded server is the target. `otherwise` is the advice for the embedded server: "on this machine,
/// --detach runs a sweep in the background".
void require_cluster(Context& context, const InClusterFlags& flags, const std::string& otherwise);

/// Advice on how to build or find the image for --engine-image.
inline constexpr const char* kEngineImageFix =
    "push the image of a release, or one that examples/engine-image builds, to a registry that the cluster "
    "can reach";

/// The options from the flags. `what` names the work whose journal is kept, such as "sweep". Throws usage
/// Error if a flag is missing, or if the volume is not a volume claim.
engine::EngineOptions engine_options(const InClusterFlags& flags, const std::string& what);
/// The options for a program that keeps no journal.
engine::EngineOptions engine_options_without_journal(const InClusterFlags& flags);

/// A sweep or a pipeline run whose engine runs in the cluster, read from its ConfigMap.
struct ClusterEngine {
  engine::EngineMarks marks;
  Json object;

  /// The value of `key` in the ConfigMap. Throws Error if it is not JSON.
  Json data(const std::string& key) const;
  /// The document that the engine runs, such as the content of "sweep.json".
  Json document() const { return data(marks.kind + ".json"); }
  engine::EngineOptions options() const;
};

/// Finds the engine with these marks in the target's namespace. The id in `marks` may be empty. Returns
/// nothing if there is no such engine, or if the target is the embedded server.
std::optional<ClusterEngine> find_cluster_engine(Context& context, engine::EngineMarks marks);
/// All engines of the kind in `marks`, whatever their ids. Empty if the target is the embedded server.
std::vector<ClusterEngine> cluster_engines(Context& context, engine::EngineMarks marks);

/// Creates the ConfigMap of a new engine. Throws Error if that fails, for example because the document is too
/// large; see require_small().
ClusterEngine make_cluster_engine(Context& context, const engine::EngineMarks& marks, const Json& document,
                                  const engine::EngineOptions& options);
/// Replaces the document and the options, and withdraws a stop request. Returns the new ConfigMap.
Json renew_cluster_engine(Context& context, const ClusterEngine& engine, const Json& document,
                          const engine::EngineOptions& options);
/// Throws usage Error if the document is too large for a Kubernetes object. `large` says which part of it is
/// large, and `otherwise` is the advice.
void require_small(const Json& document, const std::string& what, const std::string& large,
                   const std::string& otherwise);
/// Changes keys in the ConfigMap's data; a null value removes the key.
Json change_data(Context& context, const ClusterEngine& engine, const Json& data);

/// The journal as copied so far. Throws Error if the engine has not copied any of it yet.
std::string journal_so_far(Context& context, const ClusterEngine& engine);

/// The engine's state in a sentence: "engine: job lr1-engine waiting: not enough CPU free on 3 nodes".
std::string engine_in_words(Context& context, const ClusterEngine& engine);
/// Where the journal is, and how to delete `folders` from the journal's volume: these folders remain there
/// when the sweep or run is deleted.
std::string journal_in_words(const ClusterEngine& engine, const std::vector<std::string>& folders);

bool engine_runs(Context& context, const ClusterEngine& engine);
/// Throws Error if the engine is running.
void require_idle_engine(Context& context, const ClusterEngine& engine);

/// Creates the objects that the engine's job depends on. Returns the job without creating it.
Json make_engine_parts(Context& context, const ClusterEngine& engine, const engine::EngineOptions& options,
                       const engine::EngineProgram& program);

/// The name of the job that runs the engine. For a run that a schedule started, it is the run's name.
std::string engine_job_name(Context& context, const engine::EngineMarks& marks);

/// Creates the engine's job and prints a message. Deletes the job of an earlier engine first.
void start_engine(Context& context, const ClusterEngine& engine, const engine::EngineOptions& options,
                  const engine::EngineProgram& program);

/// Copies the journal of an engine, from the engine's pod, for other processes to read. The copy may lag
/// behind the journal, and updates may fail for a while.
class LaggingCopy {
 public:
  LaggingCopy(Context& context, const ClusterEngine& engine, std::filesystem::path journal)
      : context_(context), copy_(context.client(), engine.marks, engine.object, std::move(journal)) {}

  void update();
  /// Copies the remaining records. Throws Error if the server rejects the copy.
  void end() { copy_.update(); }

 private:
  Context& context_;
  engine::JournalCopy copy_;
  std::chrono::steady_clock::time_point last_{};
  bool has_failed_ = false;
};

}  // namespace kml::cli
