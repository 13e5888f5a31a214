#include "serve/commands/serve_front.h"

#include <optional>

#include "engine/commands/cluster_engine.h"
#include "kml/base/error.h"
#include "kml/job/submit/marks.h"
#include "kml/kube/objects/names.h"
#include "kml/kube/objects/object.h"
#include "serve/commands/serve_view.h"
#include "serve/model/activator_objects.h"
#include "serve/model/front.h"

namespace kml::cli {

namespace {

engine::EngineOptions options_of_activator(const ActivatorFlags& flags) {
  engine::EngineOptions options;
  options.image = flags.image;
  options.service_account = flags.account;
  options.user = api::to_dns_label(job::user_name());
  return options;
}

}  // namespace

void add_activator_flags(Command& command, ActivatorFlags& flags) {
  command
      .option("--engine-image", "IMAGE", flags.image,
              "with --idle on a cluster: an image with kml, for the activator pod")
      .details(
          "With --idle on a cluster, the image for the pod that forwards the requests and scales the "
          "Deployment. The image must have kml in its PATH. `examples/engine-image` builds one. An update "
          "without this flag keeps the image.");
  command
      .option("--engine-account", "NAME", flags.account,
              "an existing service account for the activator pod; by default, kml creates one")
      .details(
          "An existing service account for the pod of --engine-image. By default, kml creates a service "
          "account with a Role, for which you need the right to create roles. An update without this flag "
          "keeps the account.");
}

void check_activator_flags(Context& context, const serve::ServeSettings& settings,
                           const ActivatorFlags& flags, bool is_there) {
  const bool is_given = !flags.image.empty() || !flags.account.empty();
  if (is_given && context.place().is_local)
    context.note(
        "--engine-image and --engine-account have no effect here: on this machine, the embedded server "
        "forwards the requests");
  const bool is_idle = settings.idle ? settings.idle->count() > 0 : is_there;
  if (is_given && !is_idle) throw usage_error("--engine-image and --engine-account need --idle");
  if (!context.place().is_local && is_idle && !is_there && flags.image.empty())
    throw usage_error("on a cluster, --idle needs --engine-image",
                      "a pod with that image accepts requests while no replica runs", kEngineImageFix);
}

std::vector<Json> activator_manifests(Context& context, const Json& deployment, int port,
                                      const ActivatorFlags& flags) {
  if (context.place().is_local || flags.image.empty()) return {};
  return serve::activator_objects(deployment, options_of_activator(flags), port);
}

void set_front(Context& context, const Json& deployment, const ActivatorFlags& flags) {
  const auto failure =
      serve::set_front(context.client(), deployment, options_of_activator(flags), rollouts_of(context));
  if (!failure) return;
  print_last_lines(context, *failure);
  throw Error(ErrorCode::job_failed, api::name_of(deployment) + " runs, but its activator does not",
              failure->cause,
              "serve it again with a working --engine-image or --engine-account, or with --idle 0");
}

}  // namespace kml::cli
