// kml-step-s3, which kml-step runs to copy files between a pod and a bucket. See README.md.
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "kml/base/error.h"
#include "kml/base/exception_text.h"
#include "kml/base/files.h"
#include "kml/base/input_faults.h"
#include "kml/net/s3/client.h"
#include "kml/pipeline/store/shared_store.h"
#include "pipeline/runner/s3_layout.h"
#include "step_s3/pod_transport.h"

namespace {

constexpr int kCannot = 125, kInputGone = 124;

struct Wish {
  std::string verb, url, what, path, last;
};

/// The container's variables, which may come from a Secret, take precedence over the defaults after the
/// arguments.
Wish parse(const std::vector<std::string>& words) {
  Wish wish;
  std::string* const fields[] = {&wish.verb, &wish.url, &wish.what, &wish.path, &wish.last};
  if (words.size() < std::size(fields) || (words[0] != "get" && words[0] != "put"))
    throw kml::usage_error("usage: kml-step-s3 get|put URL WHAT PATH DIGEST|MANIFEST [NAME=VALUE]...");
  for (size_t i = 0; i < words.size(); ++i) {
    const size_t equals = words[i].find('=');
    if (i < std::size(fields))
      *fields[i] = words[i];
    else if (equals != std::string::npos)
      ::setenv(words[i].substr(0, equals).c_str(), words[i].c_str() + equals + 1, 0);
  }
  return wish;
}

void copy(const Wish& wish) {
  kml::s3::Client client =
      kml::s3::make_client(kml::s3::parse_bucket(wish.url, "--store"), kml::step_s3::make_pod_transport);
  if (wish.verb == "get")
    kml::pipeline::bring_tree(client, wish.last, wish.path);
  else
    kml::pipeline::send_tree(client, kml::read_file(wish.last), wish.path);
}

/// The advice for a pod, which gets its key from a Secret, not from a user's shell.
std::string fix_in_pod(const kml::Error& error) {
  if (error.code != kml::ErrorCode::auth || !kml::environment("AWS_ACCESS_KEY_ID").empty()) return error.fix;
  return "name a Secret that has AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY: env-from, in the step or in "
         "kml.yaml";
}

int give_up(int exit_code, const std::string& text) {
  const std::string line = "kml-step: " + text + "\n";
  return ::write(STDERR_FILENO, line.data(), line.size()) < 0 ? kCannot : exit_code;
}

}  // namespace

int main(int count, char** words) {
  ::signal(SIGPIPE, SIG_IGN);
  Wish wish;
  std::string fault;
  try {
    wish = parse({words + 1, words + count});
    copy(wish);
    return 0;
  } catch (const kml::Error& error) {
    if (error.reason == kml::pipeline::kTreeGone)
      return give_up(kInputGone, wish.what + kml::kInputMissing + error.why);
    fault = kml::message_and_why(error) + (error.fix.empty() ? "" : "; " + fix_in_pod(error));
  } catch (const std::exception& error) {
    fault = kml::exception_text(error);
  }
  return give_up(kCannot, "cannot copy " + wish.what + (wish.verb == "get" ? " from " : " to ") + wish.url +
                              ": " + fault);
}
