#include "kube/credentials/exec_plugin.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "kml/api/object.h"
#include "kml/core/process.h"
#include "kube/credentials/plugin_policy.h"

namespace kml::kube {

namespace {

constexpr size_t kLongestOutput = size_t{4} << 20;
constexpr int kEndedByCtrlC = 128 + SIGINT;

}  // namespace

bool ExecPlugin::stdin_is_terminal() {
  return ::isatty(STDIN_FILENO) == 1;
}

Error ExecPlugin::failed(std::string why, std::string fix) const {
  const std::string& command = settings_.argv.front();
  if (fix.empty()) fix = "log in again with the tool that \"" + command + "\" belongs to";
  return {ErrorCode::auth, "cannot get credentials from the command \"" + command + "\"", std::move(why),
          std::move(fix)};
}

bool ExecPlugin::may_talk() const {
  const bool terminal = surroundings_.has_terminal();
  if (settings_.interactive == Interactive::always && !terminal)
    throw failed("it has to ask you something (interactiveMode: Always), and standard input is no terminal",
                 "run kml from a terminal, with nothing piped into it");
  return settings_.interactive != Interactive::never && terminal;
}

const ExecPlugin::Credential& ExecPlugin::credential() {
  if (!have_ || (expires_ && surroundings_.now() > *expires_)) {
    take(run());
    have_ = true;
  }
  return credential_;
}

std::string ExecPlugin::run() const {
  check_plugin_policy(settings_.argv.front());
  const bool interactive = may_talk();
  Json info = {{"apiVersion", settings_.api_version},
               {"kind", "ExecCredential"},
               {"spec", {{"interactive", interactive}}}};
  if (!settings_.cluster.is_null()) info["spec"]["cluster"] = settings_.cluster;
  ProcessOptions options{.limit = kLongestOutput,
                         .environment = settings_.environment,
                         .inherit_input = interactive,
                         .inherit_errors = true,
                         .time_limit = surroundings_.time_limit};
  options.environment.push_back("KUBERNETES_EXEC_INFO=" + info.dump());
  ProcessResult result = run_process(settings_.argv, options);
  if (result.start_errno == ENOENT)
    throw failed("it is not installed",
                 settings_.install_hint.empty()
                     ? "install it, or correct exec.command of this user in the kubeconfig"
                     : settings_.install_hint);
  if (result.start_errno != 0) throw failed(std::strerror(result.start_errno), "correct its permissions");
  if (result.timed_out)
    throw failed("it did not end within " +
                 short_duration(std::chrono::ceil<std::chrono::seconds>(surroundings_.time_limit)));
  if (result.exit_code == kEndedByCtrlC) throw Error(ErrorCode::interrupted, "interrupted");
  if (result.exit_code != 0)
    throw failed("it ended with exit code " + std::to_string(result.exit_code) +
                 ", and said why on standard error");
  return std::move(result.out);
}

void ExecPlugin::take(const std::string& output) {
  const std::string fix = "look at what it prints, and at exec.apiVersion of this user in the kubeconfig";
  const Json printed = Json::parse(output, nullptr, /*allow_exceptions=*/false);
  if (api::kind_name(printed) != "ExecCredential") throw failed("what it printed is no ExecCredential", fix);
  if (const std::string version = api::api_version_of(printed); version != settings_.api_version)
    throw failed("it speaks " + (version.empty() ? "no version" : version) + ", the kubeconfig " +
                     settings_.api_version,
                 fix);
  const Json& status = api::status_of(printed);
  Credential fresh{string_at(status, {"token"}),
                   {string_at(status, {"clientCertificateData"}), string_at(status, {"clientKeyData"})}};
  if (fresh.certificate.certificate_pem.empty() != fresh.certificate.key_pem.empty())
    throw failed("it gives a client certificate or its key, and not both", fix);
  if (fresh.token.empty() && fresh.certificate.key_pem.empty())
    throw failed("it gives neither a token nor a client certificate", fix);
  const std::string expires = string_at(status, {"expirationTimestamp"});
  const auto time = parse_rfc3339(expires);
  if (!expires.empty() && !time) throw failed("its expirationTimestamp is no time", fix);
  expires_ = time;
  credential_ = std::move(fresh);
}

}  // namespace kml::kube
