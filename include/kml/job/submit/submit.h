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

/// A submit has three steps, which share a SubmitPlan: plan_submit() contacts no server, preflight() and
/// rehearse() (preflight.h) only read, and create_planned() creates the jobs.
namespace kml::job {

/// The request for a submit: its content and its target.
struct SubmitRequest {
  std::vector<spec::Setting> settings;     ///< later ones take precedence
  std::vector<spec::UnknownFlag> unknown;  ///< possibly parameters of the template
  std::vector<std::string> command;
  std::optional<std::vector<Json>> manifests = {};  ///< replace the template
  std::vector<render::Remark> unknown_fields = {};  ///< of the manifests, for the server to judge
  bool reads_standard_input = false;                ///< for manifests, so it is not available for secrets
  std::vector<std::filesystem::path> template_folders = {};
  std::string namespace_name = {};
  bool is_namespace_given = false;  ///< by a flag; manifests must not contradict it
  bool is_local = false;            ///< the target is the embedded server
  std::string key = {};             ///< from --idempotency-key
  std::string submit_id = {};       ///< generated if empty
  std::string usage = {};           ///< shown if the command is missing
  std::string typed = {};           ///< what was typed before the command: "kml submit --gpus 1"
  /// Set if several submits share their Secrets: the name of the Secret with variables, and the suffix of the
  /// names of Secrets with code. By default, both are specific to this submit.
  std::string secret_object = {}, code_suffix = {};
};

/// The manifests of a submit, with names, labels and annotations, ready to send.
struct SubmitPlan {
  std::vector<Json> objects;
  std::vector<Belonging> belongings;  ///< created before the objects
  std::vector<std::string> notes;     ///< absolute; empty without code
  std::string submit_id;
  std::string user;
  std::vector<std::string> command;
  std::string code_folder;    ///< absolute; empty without code
  std::string template_name;  ///< empty if manifests were given
  std::string key;            ///< the request's key
  std::vector<render::Remark> unknown_fields = {};
};

/// Makes the plan. Reads the template and the values of secrets. Throws Error (usage) with all problems.
SubmitPlan plan_submit(const SubmitRequest& request, std::istream& standard_input);

/// The objects to send, in order. Secrets have no contents here.
std::vector<Json> all_objects(const SubmitPlan& plan);

/// Typos and wrong values (api::field_faults). A server would reject them; this check is for callers that
/// contact no server or do so late.
std::vector<std::string> field_faults(const std::vector<Json>& objects);

/// Has the server judge the objects with unknown fields, by a dry run of each. Throws Error (usage) with
/// these fields if it rejects one.
void check_unknown_fields(kube::Client& client, const SubmitPlan& plan);

/// The jobs that an earlier submit with the plan's key created. Removes these and their belongings from the
/// plan. Throws Error (usage) if a job with that key differs.
std::vector<Json> take_earlier(kube::Client& client, SubmitPlan& plan);

/// Creates the plan's objects exactly once; `server` is the server's URL. If a job is rejected, deletes the
/// submit's belongings. With `replace`, deletes old objects only after the server has accepted the new ones
/// in a dry run. Returns one entry per object of the plan, in order, like create_all().
std::vector<Creation> create_planned(kube::Client& client, const std::string& server, const SubmitPlan& plan,
                                     const CreateOptions& options);

}  // namespace kml::job
