#include "kml/job/submit/create.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <thread>

#include "job/render/trainjob_shape.h"
#include "job/submit/idempotency.h"
#include "job/views/lost_pods.h"
#include "kml/base/error.h"
#include "kml/job/records/records.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/client/watch.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/status.h"

namespace kml::job {

std::string described(const Json& object) {
  return api::kind_name(object) + " \"" + api::name_of(object) + "\"";
}

Json create_as_served(kube::Client& client, const api::ResourceKind& kind, std::string_view namespace_name,
                      const Json& object, bool dry_run) {
  std::optional<Json> older;
  try {
    return client.create(kind, namespace_name, object, dry_run);
  } catch (const Error& rejection) {
    older = render::older_trainjob(object, rejection);
    if (!older) throw;
  }
  return create_as_served(client, kind, namespace_name, *older, dry_run);
}

namespace {

/// Whether the object was created by this submit, or at the same time by another submit with the same key and
/// content.
bool is_own(const Json& existing, const Json& object) {
  const auto agree = [&](const char* part, std::string_view mark) {
    const std::string value = string_at(object, {"metadata", part, mark});
    return !value.empty() && string_at(existing, {"metadata", part, mark}) == value;
  };
  return agree("labels", api::kSubmitId) ||
         (agree("labels", kIdempotencyKey) && agree("annotations", kManifestHash));
}

Error taken(const Json& object, std::string_view namespace_name, const Error& answer) {
  Error refused(ErrorCode::failure,
                described(object) + " already exists in namespace " + std::string(namespace_name), "",
                "choose another name; `kml submit --replace` replaces the existing one");
  refused.http_status = answer.http_status;
  refused.reason = answer.reason;
  return refused;
}

/// Whether a webhook's failure kept the server from creating the object.
bool is_of_webhook(const Error& error) {
  return error.reason == api::kWebhookFailed;
}

/// Whether the server may have created the object although its response was lost or reports a failure.
bool is_ambiguous(const Error& error) {
  if (is_of_webhook(error)) return false;
  return error.http_status >= 500 || (error.code == ErrorCode::unreachable && error.http_status == 0);
}

/// Whether creating the object may still succeed.
bool is_passing(const Error& error) {
  return is_ambiguous(error) || is_of_webhook(error);
}

/// How long objects are sent again if no attempt succeeds.
constexpr std::chrono::seconds kPatience{60};

/// Pauses before the next attempt. Each pause is twice as long as the last.
void pause_before(int next_try) {
  std::this_thread::sleep_for(std::chrono::milliseconds(50) * (1 << next_try));
}

/// Continues create_once() after its first request has failed: looks for the object, and sends it again if it
/// does not exist.
Json settle(kube::Client& client, const api::ResourceKind& kind, std::string_view namespace_name,
            const Json& object, Error error) {
  constexpr int kTries = 5;
  const http::SteadyTime begun = client.transport().now();
  for (int next_try = 1; next_try <= kTries; ++next_try) {
    const bool is_taken = error.reason == "AlreadyExists";
    if (!is_taken && !is_ambiguous(error)) break;
    std::optional<Json> existing;
    try {
      existing = client.get_if_exists(kind, namespace_name, api::name_of(object));
    } catch (const Error& unknown) {
      if (!is_ambiguous(unknown) || next_try == kTries) throw;
      pause_before(next_try);
      continue;
    }
    if (existing && is_own(*existing, object)) return *existing;
    if (is_taken) throw taken(object, namespace_name, error);
    if (client.transport().now() - begun >= kPatience) break;
    pause_before(next_try);
    try {
      return create_as_served(client, kind, namespace_name, object);
    } catch (const Error& again) {
      error = again;
    }
  }
  throw error;
}

}  // namespace

Json create_once(kube::Client& client, std::string_view namespace_name, const Json& object) {
  const api::ResourceKind& kind = client.kind_of(object);
  try {
    return create_as_served(client, kind, namespace_name, object);
  } catch (const Error& error) {
    return settle(client, kind, namespace_name, object, error);
  }
}

namespace {

bool is_same_kind(const Json& a, const Json& b) {
  return api::kind_name(a) == api::kind_name(b) && api::api_version_of(a) == api::api_version_of(b);
}

/// The objects of a submit, and the result for each of them.
class Batch {
 public:
  Batch(kube::Client& client, const std::vector<Json>& objects, const CreateOptions& options)
      : client_(client), objects_(objects), options_(options), results_(objects.size()) {}

  std::vector<Creation> run() {
    for (size_t begin = 0, end = 0; begin < objects_.size() && !failed(begin); begin = end) {
      while (end < objects_.size() && is_same_kind(objects_[begin], objects_[end])) ++end;
      create(begin, end);
    }
    return std::move(results_);
  }

 private:
  /// For up to this many objects, opening more connections would cost as much time as it saves. Sent one by
  /// one, the jobs also queue in the order of the file.
  static constexpr size_t kFew = 8;
  /// How many objects create_together() sends in its first round, and at most in any round.
  static constexpr size_t kFirstRound = 32, kLargestRound = 256;

  bool failed(size_t before) const {
    return !options_.dry_run && std::any_of(results_.begin(), results_.begin() + static_cast<long>(before),
                                            [](const Creation& result) { return result.error; });
  }

  void create(size_t begin, size_t end) {
    const bool has_shapes = api::kind_name(objects_[begin]) == "TrainJob";
    const bool one_by_one = end - begin <= kFew || options_.replace || has_shapes;
    if (!one_by_one && !(knows_kind(begin) && create_together(begin, end))) return;
    for (size_t i = begin; i < end; ++i) {
      if (!one_by_one && !is_open(results_[i])) continue;
      results_[i].error = attempt(i);
      progress();
      // If the server or a webhook does not respond, each further object would have to wait for it as well,
      // so stop here.
      if (results_[i].error && is_passing(*results_[i].error)) return;
    }
  }

  /// Whether the object still has no final result: it may already exist, or creating it may still succeed.
  static bool is_open(const Creation& result) {
    if (!result.error) return !result.created;
    return result.error->reason == "AlreadyExists" || result.error->http_status == 429 ||
           is_passing(*result.error);
  }

  bool knows_kind(size_t index) {
    try {
      client_.kind_of(objects_[index]);
      return true;
    } catch (const Error& error) {
      results_[index].error = error;
      return false;
    }
  }

  /// Sends the objects in rounds. Each round is larger than the last, so that a webhook that does not answer
  /// is noticed after a few objects. Objects whose responses were lost are sent again. Gives up after two
  /// rounds without success or, if the reason is a webhook, after kPatience, and then returns false.
  bool create_together(size_t begin, size_t end) {
    constexpr int kRoundsForNothing = 2;
    std::vector<size_t> open(end - begin);
    std::iota(open.begin(), open.end(), begin);
    size_t at_once = kFirstRound;
    http::SteadyTime last_success = client_.transport().now();
    for (int in_vain = 0; !open.empty() && in_vain < kRoundsForNothing;) {
      const auto end_of_round = open.begin() + static_cast<long>(std::min(at_once, open.size()));
      std::vector<size_t> round(open.begin(), end_of_round);
      open.erase(open.begin(), end_of_round);
      const size_t sent = round.size();
      send_round(round);
      std::erase_if(round, [&](size_t i) { return !results_[i].error || !is_passing(*results_[i].error); });
      open.insert(open.end(), round.begin(), round.end());
      if (round.size() < sent) {
        in_vain = 0;
        at_once = std::min(at_once * 2, kLargestRound);
        last_success = client_.transport().now();
      } else if (is_of_webhook(*results_[round[0]].error)) {
        if (client_.transport().now() - last_success >= kPatience) return false;
        wait_for_webhook(*results_[round[0]].error);
        at_once = kFew;
      } else {
        pause_before(++in_vain);
      }
    }
    return true;
  }

  void wait_for_webhook(const Error& error) {
    constexpr std::chrono::milliseconds kPause{500};
    if (options_.on_wait && !std::exchange(is_told_, true))
      options_.on_wait(error.why + "; retrying for up to a minute");
    client_.transport().wait(kPause);
  }

  void send_round(const std::vector<size_t>& indices) {
    std::vector<kube::Creation> creations;
    for (size_t i : indices) creations.push_back({api::namespace_of(objects_[i]), objects_[i]});
    client_.create_all(client_.kind_of(objects_[indices[0]]), creations, options_.dry_run,
                       [&](size_t number, const Json* created, const Error* error) {
                         Creation& result = results_[indices[number]];
                         result = {};
                         if (created) result.created = *created;
                         if (error) result.error = *error;
                         if (!is_open(result)) progress();
                       });
  }

  /// Creates one object, and continues from the result of its first request if there is one. Returns the
  /// error if it failed.
  std::optional<Error> attempt(size_t index) {
    const Json& object = objects_[index];
    Creation& result = results_[index];
    try {
      const api::ResourceKind& kind = client_.kind_of(object);
      if (options_.dry_run)
        result.created = create_as_served(client_, kind, api::namespace_of(object), object, true);
      else if (result.error && result.error->http_status != 429 && !is_of_webhook(*result.error))
        result.created = settle(client_, kind, api::namespace_of(object), object, *result.error);
      else {
        if (options_.replace) remove_and_wait(client_, api::namespace_of(object), object, options_.on_wait);
        result.created = create_once(client_, api::namespace_of(object), object);
      }
      return {};
    } catch (const Error& error) {
      return error;
    }
  }

  void progress() {
    ++done_;
    if (options_.on_progress) options_.on_progress(done_);
  }

  kube::Client& client_;
  const std::vector<Json>& objects_;
  const CreateOptions& options_;
  std::vector<Creation> results_;
  size_t done_ = 0;
  bool is_told_ = false;
};

}  // namespace

std::vector<Creation> create_all(kube::Client& client, const std::vector<Json>& objects,
                                 const CreateOptions& options) {
  return Batch(client, objects, options).run();
}

namespace {

/// What keeps pods of the object from being deleted: nodes that do not answer. Otherwise empty.
std::string lost_pods_in_words(kube::Client& client, const Json& object) try {
  const LostPods lost = is_job(object) ? lost_pods_of(client, {object}) : LostPods();
  return lost.empty() ? "" : lost.in_words(system_clock().now());
} catch (const Error&) {  // perhaps the user may not read pods
  return {};
}

}  // namespace

void remove_and_wait(kube::Client& client, std::string_view namespace_name, const Json& object,
                     const std::function<void(const std::string& why)>& on_wait) {
  const api::ResourceKind& kind = client.kind_of(object);
  const std::string name = api::name_of(object);
  const auto old = client.get_if_exists(kind, namespace_name, name);
  if (!old) return;
  if (is_job(*old)) Submissions::of_user().add_deleted(*old);
  const std::string lost = lost_pods_in_words(client, *old);
  if (on_wait && !lost.empty()) on_wait("deleting " + described(*old) + ": " + lost);
  client.remove(kind, namespace_name, name, {kube::Propagation::foreground, {}, {}});

  bool there = false, synced = false;
  std::optional<Error> failure;
  kube::WatchHandler handler;
  handler.on_change = [&](kube::Change change, const Json&) { there = change != kube::Change::deleted; };
  handler.on_synced = [&] { synced = true; };
  handler.on_failure = [&](const Error& error) { failure = error; };
  auto watch = kube::watch(client, kind, std::string(namespace_name), {"", "metadata.name=" + name}, handler);
  constexpr std::chrono::minutes kLongest{5};
  auto deadline = std::chrono::steady_clock::now() + kLongest;
  while (!synced || there) {
    if (failure) throw *failure;
    if (std::chrono::steady_clock::now() > deadline)
      throw Error(
          ErrorCode::unreachable, described(object) + " was deleted, but still exists after 5 minutes",
          lost.empty() ? "its pods may be stuck" : lost,
          is_job(*old) ? "see `kml status " + name + "`" : "remove its finalizers, or try again later");
    client.transport().wait(std::chrono::seconds(1));
  }
}

}  // namespace kml::job
