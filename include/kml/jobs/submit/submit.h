#pragma once

#include <filesystem>
#include <istream>
#include <optional>
#include <string>
#include <vector>

#include "kml/jobs/submit/belongings.h"
#include "kml/jobs/submit/create.h"
#include "kml/spec/setting.h"

/// A submit in three steps over one value: plan_submit() asks no server, preflight() and rehearse()
/// (preflight.h) ask and change nothing, create_planned() makes the jobs.
namespace kml::jobs {

/// What is to be submitted, and what to know of the place it goes to.
struct SubmitRequest {
  std::vector<spec::Setting> settings;     ///< in order of rising precedence
  std::vector<spec::UnknownFlag> unknown;  ///< may be parameters of the template
  std::vector<std::string> command;
  std::optional<std::vector<Json>> manifests = {};  ///< instead of a template
  bool reads_standard_input = false;                ///< the manifests came from there: no secret can
  std::vector<std::filesystem::path> template_folders = {};
  std::string namespace_name = {};
  bool is_namespace_given = false;  ///< by a flag, which a manifest may not contradict
  bool is_local = false;            ///< it goes to the embedded server
  std::string key = {};             ///< of --idempotency-key
  std::string submit_id = {};       ///< one is drawn where it is empty
  std::string usage = {};           ///< said where the command is missing
  /// Where several submits share what they bring along: the name of their Secret, and what ends the names of
  /// those with their code. Else both are this submit's own.
  std::string secret_object = {}, code_suffix = {};
};

/// The manifests of a submit, with names, labels and annotations: exactly what is to be sent.
struct SubmitPlan {
  std::vector<Json> objects;
  std::vector<Belonging> belongings;  ///< made before them
  std::vector<std::string> notes;     ///< for the user
  std::string submit_id;
  std::string user;
  std::vector<std::string> command;
  std::string code_folder;    ///< absolute; empty if no code goes along
  std::string template_name;  ///< empty where manifests were given
  std::string key;            ///< of the request
};

/// Reads the template and the values of secrets. Throws Error (usage) with every problem.
SubmitPlan plan_submit(const SubmitRequest& request, std::istream& standard_input);

/// What is sent, in order, Secrets without their contents.
std::vector<Json> all_objects(const SubmitPlan& plan);

/// What a server would refuse as unknown, and is nearly the name of a field: for those who ask none, or late.
std::vector<std::string> misspelt_fields(const std::vector<Json>& objects);

/// The jobs that an earlier submit with the plan's key made; they, and what they brought along, are taken out
/// of the plan. Throws Error (usage) if a job of that key says something else.
std::vector<Json> take_earlier(kube::Client& client, SubmitPlan& plan);

/// Makes what the plan holds, exactly once; `server` is its URL. Of a submit of which a job was refused,
/// nothing that it brought along stays; what --replace removes goes only once the server would take the new
/// ones. One entry an object of the plan, in order, as create_all() has it.
std::vector<Creation> create_planned(kube::Client& client, const std::string& server, const SubmitPlan& plan,
                                     const CreateOptions& options);

}  // namespace kml::jobs
