#include <algorithm>
#include <optional>
#include <string_view>

#include "kml/base/error.h"
#include "kml/base/text.h"
#include "kml/job/submit/plan_file.h"
#include "kml/kube/objects/object.h"
#include "mcp/tools/changes.h"
#include "mcp/tools/plans.h"

namespace kml::mcp {

namespace {

using Words = std::vector<std::string>;

Json identity_of(const Json& object) {
  Json identity = {{"kind", api::kind_name(object)},
                   {"name", api::name_of(object)},
                   {"namespace", api::namespace_of(object)}};
  set_said(identity, {{"uid", api::uid_of(object)}});
  return identity;
}

/// Whether the command has certainly created nothing. After other errors than these, the server may have
/// created a job. If the server has created only some jobs, the command has printed those.
bool has_created_nothing(const Said& said) {
  const long long code = int_at(said.error, {"code"});
  const bool is_refused =
      code == static_cast<int>(ErrorCode::usage) || code == static_cast<int>(ErrorCode::auth);
  return is_refused && (said.data.is_null() || objects_in(said.data).empty());
}

/// Kueue puts jobs that name no queue into the LocalQueue with this name, if the namespace has it.
constexpr std::string_view kDefaultQueue = "default";

bool has_default_queue(const Json& queues) {
  return std::ranges::any_of(objects_in(queues), [](const Json& queue) {
    return api::name_of(queue) == kDefaultQueue && api::kind_name(queue) == "LocalQueue";
  });
}

/// Applies a plan. First looks for existing objects: an object that another server has started with the same
/// plan, or under the same name, does not belong to this server.
class ApplyPlan : public Call {
 public:
  ApplyPlan(job::PlanFile plan, Shared& shared) : plan_(std::move(plan)), shared_(shared) {}

  std::optional<Words> next(const std::vector<Ran>& ran) override {
    if (ran.empty()) return what_exists();
    if (applied_at_)  // a served program was created even if it does not become ready
      return plan_.command == "serve" && ran.size() == *applied_at_ + 1 ? std::optional(status())
                                                                        : std::nullopt;
    if (ran.size() == 1) {
      if (is_of_jobs() && ran[0].exit_code != 0) return {};
      if (shared_.spending.must_know_queues(plan_)) return Words{"list", "queues", "-o", "json"};
    } else if (!may_ignore_queues(ran[1])) {
      return {};
    }
    applied_at_ = ran.size();
    return apply(ran[0]);
  }

  Json result(const std::vector<Ran>& ran) override {
    const size_t at = applied_at_.value_or(ran.size() - 1);
    if (ran.size() > at + 1 && ran.back().exit_code == 0 && shared_.own.has_begun(plan_.id))
      shared_.own.add(said_by(ran.back()).data);
    Said said = said_by(ran[at]);
    if (applied_at_ && is_of_jobs() && objects_in(said_by(ran[0]).data).empty()) shared_.own.add(said.data);
    if (said.error.is_null()) {
      Json started = Json::array();
      for (const Json& object : objects_in(said.data)) started.push_back(identity_of(object));
      said.data = {{"plan", plan_.id}, {"objects", std::move(started)}};
    } else if (is_new_ && has_created_nothing(said)) {
      shared_.spending.release(plan_.id);
    }
    return tool_result(said, shared_.most_bytes, false);
  }
  std::string plan_id() const override { return plan_.id; }
  bool is_alone() const override { return true; }

 private:
  bool is_of_jobs() const { return job::has_only_jobs(plan_); }

  std::string name() const { return api::name_of(plan_.objects.at(0)); }

  Words what_exists() const {
    if (is_of_jobs()) return {"list", "-l", "kml.dev/idempotency-key=" + plan_.id, "-o", "json"};
    return plan_.command == "serve" ? Words{"serve", "list", "-o", "json"} : status();
  }
  Words status() const { return {plan_.command, "status", name(), "-o", "json"}; }

  std::optional<Words> apply(const Ran& before) {
    if (is_of_jobs() && before.exit_code != 0) return {};
    is_new_ = shared_.spending.reserve(plan_);
    if (!is_of_jobs() && is_absent(before)) shared_.own.begin(plan_.id);
    return Words{"apply", file_of_plan(plan_.id).string(), "-o", "json"};
  }

  /// Whether Kueue certainly puts no job of the plan into a default queue; false if the queues cannot be
  /// read. Throws usage Error if Kueue would do so.
  static bool may_ignore_queues(const Ran& queues) {
    if (queues.exit_code == static_cast<int>(ErrorCode::failure)) return true;  // the cluster has none
    if (queues.exit_code != 0) return false;
    if (!has_default_queue(said_by(queues).data)) return true;
    const job::NoLimit none = job::no_limit_in_queues();
    throw usage_error("the plan's jobs have no limit for their GPU hours",
                      "Kueue puts them into the queue " + std::string(kDefaultQueue) + ": " + none.why,
                      none.fix);
  }

  /// Whether the sweep, run or served program certainly does not exist.
  bool is_absent(const Ran& before) const {
    if (plan_.command != "serve") return before.exit_code == static_cast<int>(ErrorCode::usage);
    const std::vector<Json> served = objects_in(said_by(before).data);
    return before.exit_code == 0 &&
           std::ranges::none_of(served, [&](const Json& one) { return api::name_of(one) == name(); });
  }

  job::PlanFile plan_;
  Shared& shared_;
  bool is_new_ = false;
  std::optional<size_t> applied_at_;  ///< the position of the process that applies the plan
};

}  // namespace

std::unique_ptr<Call> apply_plan(const std::string& id, Shared& shared) {
  job::PlanFile plan = kept_plan(id);
  const std::string permission(permission_to_apply(plan.command));
  if (!shared.permissions.allows(permission))
    throw usage_error("this server does not apply plans of kml " + plan.command,
                      "it was started without --allow " + permission,
                      "ask the user, who can run: kml apply " + file_of_plan(id).string());
  return std::make_unique<ApplyPlan>(std::move(plan), shared);
}

}  // namespace kml::mcp
