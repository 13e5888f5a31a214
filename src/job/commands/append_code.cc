#include "job/commands/append_code.h"

#include <filesystem>

#include "kml/base/error.h"
#include "kml/base/flag_errors.h"
#include "kml/image/append/append.h"
#include "kml/job/render/render.h"
#include "kml/job/spec/trust.h"
#include "kml/job/submit/code_layer.h"

namespace kml::cli {

namespace {

/// Removes all settings for a flag, and returns the setting that was in effect. If there was none, the
/// returned setting is empty.
spec::Setting take_setting(std::vector<spec::Setting>& settings, const std::string& name) {
  spec::Setting last{.name = name, .value = {}, .origin = {}};
  std::erase_if(settings, [&](const spec::Setting& setting) {
    if (setting.name != name) return false;
    last = setting;
    return true;
  });
  return last;
}

/// Whether the setting comes from a kml.yaml that the user has not trusted.
bool is_strangers(Context& context, const spec::Setting& setting) {
  if (setting.origin.source != spec::Source::project_file) return false;
  const spec::ProjectFile& file = *context.config().project;
  return spec::trust_records().state_of(file.path, file.text) != spec::TrustRecords::State::trusted;
}

void require_both(const spec::Setting& image, const spec::Setting& code) {
  if (image.value.empty())
    throw usage_error("--image-append needs an image to start from", "", "--image IMAGE");
  if (code.value.empty()) throw usage_error("--image-append needs --code", "", "--code . adds this folder");
}

void check_request(const job::SubmitRequest& request) {
  if (request.manifests) throw not_together("--image-append", "-f", "a manifest names its images itself");
  if (request.is_local)
    throw usage_error("--image-append works only on a cluster", "pods on this machine do not run in images",
                      "leave out --image-append; the command runs in the folder itself");
}

}  // namespace

void add_append_flags(Command& command, AppendFlags& flags) {
  command.options_under("Packages and images");
  command
      .option("--image-append", "NAME[:TAG]", flags.target,
              "put the code into a new image in this repository, and run the image")
      .details(
          "Make an image from --image and the files of --code, write it to this repository of a registry, "
          "and "
          "run it. The pods then need no programs to unpack the code, and every node gets the code with the "
          "image. See kml-image(1). kml.yaml cannot set this flag.");
  command
      .option("--platform", "OS/ARCH", flags.platform,
              "with --image-append: platform of the image [default: linux/amd64]")
      .after("--image-append")
      .details(
          "The platform that --image-append uses, such as linux/arm64, if --image has images for several "
          "platforms. [default: linux/amd64]");
  command.flag("--insecure", flags.is_insecure, "with --image-append: allow registries without TLS")
      .after("--platform")
      .details(
          "With --image-append, allow a registry that does not offer TLS, even if the registry is not on "
          "this machine.");
}

CodeInImage::CodeInImage(Context& context, const AppendFlags& flags, job::SubmitRequest& request,
                         bool is_dry_run) {
  check_request(request);
  const spec::Setting image = take_setting(request.settings, "image");
  const spec::Setting code = take_setting(request.settings, "code");
  const spec::Setting folder = take_setting(request.settings, "chdir");
  require_both(image, code);
  const std::string inside(render::kCodeFolder);
  image::AppendRequest wanted{.base = image.value,
                              .target = flags.target,
                              .platform = flags.platform,
                              .working_folder = inside,
                              .is_base_anonymous = is_strangers(context, image),
                              .is_dry_run = is_dry_run};
  wanted.layers.push_back(job::code_layer(code.value, inside));
  const std::string summary = wanted.layers[0].summary;
  const image::Appended made = image::append(std::move(wanted), image::registry_settings(flags.is_insecure),
                                             [&](const std::string& text) { context.progress(text); });
  context.end_progress();
  const spec::Origin origin{.source = spec::Source::flag, .name = "--image-append"};
  request.settings.push_back({"image", made.reference, origin});
  const bool is_relative = !folder.value.empty() && !folder.value.starts_with('/');
  const std::string working = is_relative ? inside + "/" + folder.value : folder.value;
  request.settings.push_back({"chdir", working.empty() ? inside : working, origin});
  folder_ = std::filesystem::canonical(code.value);
  note_ = "code: " + summary + ", in the image " + made.tag +
          (is_dry_run ? ", which a dry run does not write" : "");
}

void CodeInImage::complete(job::SubmitPlan& plan) const {
  plan.code_folder = folder_;
  plan.notes.push_back(note_);
}

}  // namespace kml::cli
