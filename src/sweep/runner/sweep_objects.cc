#include "kml/sweep/runner/sweep_objects.h"

#include <algorithm>
#include <iterator>

#include "kml/job/packages/locked.h"
#include "kml/job/submit/belongings.h"
#include "kml/job/submit/code.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"

namespace kml::sweep {

namespace {

const api::ResourceKind& secret_kind() {
  return *api::find_kind("v1", "Secret");
}

bool is_of(const Json& object, const SweepMarks& sweep) {
  return api::label_of(object, api::kSubmitId) == sweep.id;
}

}  // namespace

engine::EngineMarks engine_marks(const SweepMarks& sweep) {
  return {"sweep", std::string(api::kSweep), sweep.name, sweep.id, sweep.namespace_name};
}

std::string sweep_object_name(const std::string& sweep) {
  return engine::engine_object_name(engine_marks({sweep, "", ""}));
}

Json make_sweep_object(kube::Client& client, const SweepMarks& sweep, const Json& data, const Json& labels) {
  return engine::make_engine_object(client, engine_marks(sweep), data, labels);
}

std::optional<Json> find_sweep_object(kube::Client& client, const std::string& namespace_name,
                                      const std::string& sweep) {
  return engine::find_engine_object(client, engine_marks({sweep, "", namespace_name}));
}

void remove_sweep_object(kube::Client& client, const SweepMarks& sweep) {
  engine::remove_engine_object(client, engine_marks(sweep));
}

Json make_owned(kube::Client& client, const SweepMarks& sweep, const Json& owner, Json object) {
  return engine::make_owned(client, engine_marks(sweep), owner, std::move(object));
}

void make_sweep_secrets(kube::Client& client, const SweepMarks& sweep,
                        const std::vector<job::Belonging>& secrets) {
  if (secrets.empty()) return;
  const Json owner = make_sweep_object(client, sweep);
  for (const job::Belonging& secret : secrets) {
    Json object = job::filled(secret);
    object.erase("immutable");  // when a sweep continues, it may get a different token
    make_owned(client, sweep, owner, std::move(object));
  }
}

std::vector<std::string> sweep_secrets_of(const std::string& sweep, const Json& trial) {
  std::vector<std::string> names = job::secrets_of({trial}, job::kCodeSecretPrefix);
  std::ranges::copy(job::secrets_of({trial}, packages::kSecretPrefix), std::back_inserter(names));
  if (job::mentions(trial, sweep_object_name(sweep))) names.push_back(sweep_object_name(sweep));
  return names;
}

void require_sweep_secrets(kube::Client& client, const SweepMarks& sweep, const Json& trial) {
  for (const std::string& name : sweep_secrets_of(sweep.name, trial)) {
    const auto secret = client.get_if_exists(secret_kind(), sweep.namespace_name, name);
    if (secret && is_of(*secret, sweep)) continue;
    throw Error(ErrorCode::failure, "Secret " + name + " is missing, and the sweep's trials need it",
                "it was created when the sweep started",
                "run `kml sweep run` again with the same --secret, --code and --uv");
  }
}

}  // namespace kml::sweep
