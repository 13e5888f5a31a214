// kml-step-s3, which kml-step runs to copy files between a pod and a bucket, to fetch data, and to delete
// unused data. See README.md.
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <exception>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "kml/base/error.h"
#include "kml/base/exception_text.h"
#include "kml/base/files.h"
#include "kml/base/input_faults.h"
#include "kml/base/text.h"
#include "kml/net/fetch/fetch.h"
#include "kml/net/fetch/tidy.h"
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
  const std::set<std::string> verbs = {"get", "put", "fetch", "tidy", "untidy"};
  if (words.size() < std::size(fields) || !verbs.contains(words[0]))
    throw kml::usage_error("usage: kml-step-s3 get|put|fetch|tidy|untidy URL WHAT PATH LAST [NAME=VALUE]...");
  for (size_t i = 0; i < words.size(); ++i) {
    const size_t equals = words[i].find('=');
    if (i < std::size(fields))
      *fields[i] = words[i];
    else if (equals != std::string::npos)
      ::setenv(words[i].substr(0, equals).c_str(), words[i].c_str() + equals + 1, 0);
  }
  return wish;
}

/// Writes a line, and returns the exit code.
int give_up(int exit_code, const std::string& text) {
  const std::string line = "kml-step: " + text + "\n";
  return ::write(STDERR_FILENO, line.data(), line.size()) < 0 ? kCannot : exit_code;
}

void fetch(const Wish& wish) {
  const kml::fetch::Means means{
      .make_transport = kml::step_s3::make_pod_transport,
      .pause = [](std::chrono::milliseconds delay) { std::this_thread::sleep_for(delay); },
      .note = [](const std::string& text) { give_up(0, text); }};
  kml::fetch::fetch_once(kml::fetch::parse_source(wish.url, "--data"), wish.path, means);
}

/// Prints a line for each source that it removes, and the total. Here, `wish.url` contains the names of the
/// folders to keep.
void tidy(const Wish& wish) {
  const std::vector<std::string> kept = kml::split(wish.url, ',');
  const bool is_dry_run = wish.verb == "untidy";
  const auto removed =
      kml::fetch::remove_unused(wish.path, std::chrono::seconds(kml::whole_number(wish.last).value_or(0)),
                                {kept.begin(), kept.end()}, is_dry_run);
  std::uintmax_t bytes = 0;
  std::string lines;
  for (const kml::fetch::Tidied& each : removed) {
    bytes += each.bytes;
    lines +=
        (is_dry_run ? "would remove " : "removed ") + each.source + "  " + kml::size_text(each.bytes) + "\n";
  }
  lines += kml::size_text(bytes) + (is_dry_run ? " would be freed\n" : " freed\n");
  kml::write_all(STDOUT_FILENO, lines, "the standard output");
}

void carry_out(const Wish& wish) {
  if (wish.verb == "fetch") return fetch(wish);
  if (wish.verb.ends_with("tidy")) return tidy(wish);
  kml::s3::Client client =
      kml::s3::make_client(kml::s3::parse_bucket(wish.url, "--store"), kml::step_s3::make_pod_transport);
  if (wish.verb == "get")
    kml::pipeline::bring_tree(client, wish.last, wish.path);
  else
    kml::pipeline::send_tree(client, kml::read_file(wish.last), wish.path);
}

/// The advice for a pod, which gets its key from a Secret, not from a user's shell.
std::string fix_in_pod(const Wish& wish, const kml::Error& error) {
  const bool is_bucket = wish.url.starts_with("s3://") || wish.url.starts_with("gs://");
  if (!is_bucket || error.code != kml::ErrorCode::auth || !kml::environment("AWS_ACCESS_KEY_ID").empty())
    return error.fix;
  if (wish.verb == "fetch") return "add --secret AWS_ACCESS_KEY_ID --secret AWS_SECRET_ACCESS_KEY";
  return "name a Secret that has AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY: env-from, in the step or in "
         "kml.yaml";
}

}  // namespace

int main(int count, char** words) {
  ::signal(SIGPIPE, SIG_IGN);
  Wish wish;
  std::string fault;
  try {
    wish = parse({words + 1, words + count});
    carry_out(wish);
    return 0;
  } catch (const kml::Error& error) {
    if (error.reason == kml::pipeline::kTreeGone)
      return give_up(kInputGone, wish.what + kml::kInputMissing + error.why);
    fault = kml::message_and_why(error) + (error.fix.empty() ? "" : "; " + fix_in_pod(wish, error));
  } catch (const std::exception& error) {
    fault = kml::exception_text(error);
  }
  if (wish.verb.ends_with("tidy")) return give_up(kCannot, fault);
  return give_up(kCannot, "cannot copy " + wish.what + (wish.verb == "put" ? " to " : " from ") + wish.url +
                              ": " + fault);
}
