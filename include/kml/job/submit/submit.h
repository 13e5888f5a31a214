#pragma once

#include <filesystem>
#include <istream>
#include <optional>
#include <string>
#include <vector>

#include "kml/job/render/render.h"
#include "kml/job/spec/setting.h"
#include "kml/job/submit/belongings.h"
#include "kml/job/submit/create.h"

/// A submit has three steps, which use the same SubmitPlan: plan_submit() contacts no API server, preflight()
/// and rehearse() (in preflight.h) change nothing on it, and create_planned() creates the jobs.
namespace kml::job {

/// What the record says of a job that runs again. --uv looks there for the script and the list of packages.
struct RecordedCommand {
  std::vector<std::string> command;
  std::filesystem::path folder;  ///< the folder of its code, or else the one in which it was submitted
};

/// The request for a submit: what to submit, and where.
struct SubmitRequest {
  std::vector<spec::Setting> settings;     ///< in increasing order of precedence
  std::vector<spec::UnknownFlag> unknown;  ///< flags that may be parameters of the template
  std::vector<std::string> command;
  std::optional<std::vector<Json>> manifests = {};  ///< manifests to submit in place of the template
  std::optional<RecordedCommand> recorded = {};     ///< set if the manifests are those of an earlier job
  /// unknown fields in the manifests, which the server must check
  std::vector<render::Remark> unknown_fields = {};
  /// whether manifests are read from standard input; no secret can then be read from there
  bool reads_standard_input = false;
  std::vector<std::filesystem::path> template_folders = {};
  std::string namespace_name = {};
  /// whether a flag chose the namespace; manifests must then not name another one
  bool is_namespace_given = false;
  bool is_local = false;      ///< whether the target is the embedded server
  bool keeps_claims = false;  ///< whether claims of `--mount new/…` stay when the job is deleted
  /// whether the command may make the pods claim their GPUs, see use_gpu_claims()
  bool claims_gpus = true;
  std::string key = {};        ///< from --idempotency-key
  std::string submit_id = {};  ///< if empty, kml generates one
  std::string usage = {};      ///< the usage that is shown if the command is missing
  /// the text that was typed before the command, such as "kml submit --gpus 1"
  std::string typed = {};
  /// Set if several submits share their Secrets: the name of the Secret with variables, and the suffix for
  /// the names of Secrets with code. By default, each submit has separate Secrets.
  std::string secret_object = {}, code_suffix = {};
};

/// Data from outside of the cluster that the pods of a submit must fetch.
struct PlannedData {
  std::vector<std::string> sources;  ///< SOURCE:/path
  std::string store;                 ///< pvc/NAME, where the fetched data stays
  bool is_store_given = false;       ///< by a flag
};

/// The manifests of a submit, with names, labels and annotations, ready to be sent.
struct SubmitPlan {
  std::vector<Json> objects;
  /// how many of the objects after the first one (the job) are not owned by it, and stay when it is deleted
  size_t kept = 0;
  std::vector<Belonging> belongings;  ///< objects that are created before the others
  std::vector<std::string> notes;     ///< messages for the user
  std::string submit_id;
  std::string user;
  std::vector<std::string> command;
  std::string code_folder;    ///< an absolute path; empty if there is no code
  std::string template_name;  ///< the template's name; empty if manifests were given
  std::string key;            ///< the request's key
  PlannedData data;
  Json packages;  ///< what is recorded about the packages of --uv; null without packages
  std::vector<render::Remark> unknown_fields = {};
};

/// Makes the plan. Reads the template and the values of secrets. For --uv, --requirements and --conda, runs
/// uv, which may ask an index of packages. Throws usage Error for an invalid request.
SubmitPlan plan_submit(const SubmitRequest& request, std::istream& standard_input);

/// The objects to send, in order. Secrets are without their contents.
std::vector<Json> all_objects(const SubmitPlan& plan);

/// Misspelled names and wrong values (api::field_faults). A server would reject them; this check is for
/// callers that contact no server, or only contact it late.
std::vector<std::string> field_faults(const std::vector<Json>& objects);

/// Makes the server check the objects with unknown fields by a dry run of each. If it rejects one, throws
/// usage Error with these fields.
void check_unknown_fields(kube::Client& client, const SubmitPlan& plan);

/// The jobs that an earlier submit has created with the plan's key. Removes these and their belongings from
/// the plan. Throws usage Error if a job with that key is different.
std::vector<Json> take_earlier(kube::Client& client, SubmitPlan& plan);

/// Creates the plan's objects exactly once. `server` is the server's URL. If an object is rejected, deletes
/// the belongings that no created object needs. With `replace`, only deletes old objects after the server has
/// accepted the new ones in a dry run. Returns an entry for each object of the plan, in order, as
/// create_all() does.
std::vector<Creation> create_planned(kube::Client& client, const std::string& server, const SubmitPlan& plan,
                                     const CreateOptions& options);

}  // namespace kml::job
