#include <algorithm>

#include "job/submit/idempotency.h"
#include "kml/base/text.h"
#include "kml/job/submit/submit.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"

namespace kml::job {

namespace {

/// The other objects of a template with a single job, which owns them. Leaves out objects that stay when the
/// job is deleted.
std::vector<Json> parts_of_job(const SubmitPlan& plan) {
  const auto& objects = plan.objects;
  const bool has_owner = !plan.template_name.empty() &&
                         std::count_if(objects.begin(), objects.end(), is_job) == 1 && is_job(objects[0]);
  return has_owner ? std::vector<Json>(objects.begin() + 1 + static_cast<long>(plan.kept), objects.end())
                   : std::vector<Json>();
}

/// Checks with a dry run whether the server accepts the new objects, before the old ones are deleted. Returns
/// the results if any is rejected.
std::vector<Creation> refused_replacements(kube::Client& client, const std::vector<Json>& objects) {
  std::vector<Creation> results = create_all(client, objects, {.dry_run = true});
  bool is_refused = false;
  for (Creation& result : results) {
    result.created.reset();
    // These errors are allowed: the old object still has the name, the namespace may be created first, and
    // webhooks with side effects do not support dry runs.
    if (result.error && (result.error->reason == "AlreadyExists" || result.error->http_status == 404 ||
                         contains(result.error->message, "does not support dry run") ||
                         contains(result.error->why, "does not support dry run")))
      result.error.reset();
    is_refused = is_refused || result.error;
  }
  return is_refused ? results : std::vector<Creation>();
}

/// Deletes the objects that were created, and forgets these results.
void take_back(kube::Client& client, std::vector<Creation>& results) {
  for (Creation& result : results) {
    if (!result.created) continue;
    try {
      client.remove(client.kind_of(*result.created), api::namespace_of(*result.created),
                    api::name_of(*result.created));
      result.created.reset();
      result.was_taken_back = true;
    } catch (const Error&) {  // the result still shows that it exists
    }
  }
}

/// Creates the claims that stay first: a pod that is started before its claim exists only starts seconds
/// later. Without their job, the claims are deleted again. The results are in the order of the objects, which
/// begin with the job and `kept` claims.
std::vector<Creation> create_after_claims(kube::Client& client, const std::vector<Json>& objects, size_t kept,
                                          const CreateOptions& options) {
  if (kept == 0 || objects.size() <= kept || !is_job(objects[0])) return create_all(client, objects, options);
  const auto begin = objects.begin() + 1, end = begin + static_cast<long>(kept);
  std::vector<Json> others(end, objects.end());
  others.insert(others.begin(), objects[0]);
  std::vector<Creation> claims = create_all(client, {begin, end}, options);
  const bool is_refused = std::ranges::any_of(claims, [](const Creation& claim) { return !claim.created; });
  std::vector<Creation> results(others.size());
  if (!is_refused) results = create_all(client, others, options);
  if (!results[0].created) take_back(client, claims);
  results.insert(results.begin() + 1, claims.begin(), claims.end());
  return results;
}

/// Creates the objects and their belongings. If an object was rejected, or created by another submit with the
/// same key, removes its belongings.
std::vector<Creation> create_with_belongings(kube::Client& client, const std::vector<Json>& objects,
                                             Belongings& belongings, const SubmitPlan& plan,
                                             const CreateOptions& options) try {
  belongings.create();
  std::vector<Creation> results = create_after_claims(client, objects, plan.kept, options);
  std::vector<Json> own;
  for (const Creation& result : results)
    if (result.created && api::label_of(*result.created, api::kSubmitId) == plan.submit_id)
      own.push_back(*result.created);
  if (own.size() == results.size())
    belongings.hand_over(own);
  else
    belongings.give_up();
  return results;
} catch (const Error&) {
  belongings.give_up();
  throw;
}

}  // namespace

std::vector<Json> all_objects(const SubmitPlan& plan) {
  std::vector<Json> objects;
  for (const Belonging& belonging : plan.belongings) objects.push_back(belonging.object);
  objects.insert(objects.end(), plan.objects.begin(), plan.objects.end());
  return objects;
}

std::vector<Json> take_earlier(kube::Client& client, SubmitPlan& plan) {
  if (plan.key.empty()) return {};
  std::vector<Json> earlier, missing;
  const auto found = find_earlier(client, plan.objects);
  for (size_t i = 0; i < found.size(); ++i)
    found[i] ? earlier.push_back(*found[i]) : missing.push_back(std::move(plan.objects[i]));
  // The other objects were created with their jobs.
  if (!earlier.empty() && std::none_of(missing.begin(), missing.end(), is_job)) missing.clear();
  plan.objects = std::move(missing);
  // Removes the Secrets of jobs that already exist.
  std::erase_if(plan.belongings, [&](const Belonging& belonging) {
    const std::string name = api::name_of(belonging.object);
    return std::none_of(plan.objects.begin(), plan.objects.end(),
                        [&](const Json& object) { return mentions(object, name); });
  });
  return earlier;
}

std::vector<Creation> create_planned(kube::Client& client, const std::string& server, const SubmitPlan& plan,
                                     const CreateOptions& options) {
  settle_abandoned(client, server);
  bool replace = options.replace;
  if (replace)
    if (std::vector<Creation> refused = refused_replacements(client, plan.objects); !refused.empty())
      return refused;
  const std::vector<Json> parts = parts_of_job(plan);
  const std::vector<Json> objects(plan.objects.begin(), plan.objects.end() - static_cast<long>(parts.size()));
  if (replace && !parts.empty()) {  // the old parts are deleted with the old job, which frees their names
    remove_and_wait(client, api::namespace_of(objects[0]), objects[0], options.on_wait);
    replace = false;
  }
  std::vector<Belonging> list = plan.belongings;
  for (const Json& part : parts) list.push_back({.object = part, .is_for_all = true});
  Belongings belongings(client, server, std::move(list), objects);
  std::vector<Creation> results = create_with_belongings(
      client, objects, belongings, plan,
      {.replace = replace, .on_progress = options.on_progress, .on_wait = options.on_wait});
  if (!results.empty() && results[0].created)
    for (size_t i = plan.belongings.size(); i < belongings.made().size(); ++i)
      results.push_back({belongings.made()[i], {}});
  return results;
}

}  // namespace kml::job
