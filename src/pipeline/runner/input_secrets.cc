#include "pipeline/runner/input_secrets.h"

#include <fmt/format.h>

#include "kml/base/error.h"
#include "kml/base/text.h"
#include "kml/pipeline/store/shared_store.h"
#include "pipeline/engine/sent_outputs.h"
#include "pipeline/runner/step_pod.h"

namespace kml::pipeline {

namespace {

/// The same limit as for outputs that a step can send, because etcd stores all of them.
constexpr std::uintmax_t kMostInputs = std::uintmax_t{4} << 20;

std::string pack(const Json& made) {
  try {
    return packed_tree(string_at(made, {"path"}));
  } catch (const Error& error) {  // the error is about a single step
    throw usage_error("cannot read an input: " + error.message, error.why);
  }
}

}  // namespace

std::vector<std::string> secret_parts(std::string_view bytes) {
  std::vector<std::string> parts;
  for (size_t at = 0; at < bytes.size(); at += kMostOfSecret)
    parts.emplace_back(bytes.substr(at, kMostOfSecret));
  return parts;
}

const InputSecrets::Packed& InputSecrets::packed(const Json& made) {
  const std::string digest = string_at(made, {"digest"});
  Packed& packed = packed_[digest];
  if (!packed.names.empty()) return packed;
  packed.parts = secret_parts(pack(made));
  for (size_t i = 0; i < packed.parts.size(); ++i)
    packed.names.push_back(fmt::format("kml-input-{}-{}-{}", digest.substr(0, 24), i, suffix_));
  return packed;
}

const std::vector<std::string>& InputSecrets::names(const Json& made) {
  return packed(made).names;
}

std::vector<Json> InputSecrets::objects(const Json& made) {
  const Packed& all = packed(made);
  std::vector<Json> objects;
  for (size_t i = 0; i < all.parts.size(); ++i)
    objects.push_back({{"apiVersion", "v1"},
                       {"kind", "Secret"},
                       {"metadata", {{"name", all.names[i]}}},
                       {"type", "Opaque"},
                       {"immutable", true},
                       {"data", {{kPartKey, base64_encoded(all.parts[i])}}}});
  return objects;
}

void refuse_large_inputs(const StepJob& job) {
  std::uintmax_t bytes = 0;
  for (const auto& [name, made] : job.inputs.items())
    if (!is_on_volume(made)) bytes += static_cast<std::uintmax_t>(int_at(made, {"bytes"}));
  if (bytes > kMostInputs)
    throw usage_error("the inputs of step " + job.step->name + " have " + size_text(bytes),
                      "at most " + size_text(kMostInputs) + " can be sent to a pod as Secrets",
                      "run the pipeline with --store pvc/NAME");
}

}  // namespace kml::pipeline
