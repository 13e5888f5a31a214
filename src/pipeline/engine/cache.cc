#include "kml/pipeline/engine/cache.h"

#include <algorithm>

#include "kml/base/agent.h"
#include "kml/base/error.h"
#include "kml/base/missing_path.h"
#include "kml/base/text.h"
#include "kml/pipeline/engine/artifacts.h"
#include "pipeline/engine/read_keys.h"

namespace kml::pipeline {

namespace {

/// The reason if the user asked to run the step even if a result exists; otherwise empty.
std::string why_asked(const Step& step, const Renewal& renewal) {
  if (is_serve(step)) return "it serves a model";
  if (!step.is_cached) return "cache: false";
  if (renewal.all) return "--no-cache";
  return renewal.names(step) ? "--refresh" : "";
}

}  // namespace

Verdict Cache::look(const Step& step, const Json& params, const Json& inputs, const Renewal& renewal) const {
  Verdict verdict;
  verdict.parts = parts_of(step, params, inputs);
  verdict.parts.merge(surroundings_(step));
  verdict.key = key_of(verdict.parts);
  return look_again(step, std::move(verdict), renewal);
}

Verdict Cache::look_again(const Step& step, Verdict verdict, const Renewal& renewal) const {
  verdict.cause = why_asked(step, renewal);
  if (!verdict.cause.empty()) return verdict;
  verdict.result = standing(step, verdict.key, verdict.cause);
  if (verdict.result && !ReadKeys(pipeline_, store_).holds(*verdict.result, verdict.parts))
    verdict.result.reset();
  if (verdict.result || find_by_reads(step, verdict)) return verdict;
  if (verdict.cause.empty()) verdict.cause = why_new(step, verdict.parts, true);
  return verdict;
}

/// Finds the result of a step if nothing that it read the last time has changed, although other files have.
bool Cache::find_by_reads(const Step& step, Verdict& verdict) const {
  const ReadKeys keys(pipeline_, store_);
  const auto last = keys.last(step);
  const auto parts = last ? keys.now(verdict.parts, last->reads) : std::nullopt;
  if (!parts) return false;
  const std::string key = key_of(*parts);
  verdict.result = standing(step, key, verdict.cause);
  if (!verdict.result) return false;
  verdict.key = key;
  verdict.parts = *parts;
  return true;
}

/// The valid result on this machine; otherwise the one in the shared store. If a result exists but is not
/// valid, `cause` says why.
std::optional<Json> Cache::standing(const Step& step, const std::string& key, std::string& cause) const {
  if (std::optional<Json> result = store_.find_result(key)) {
    cause = why_not(step, *result);
    if (cause.empty()) return result;
  }
  if (!shared_) return {};
  std::optional<Json> result = shared_->find_result(key);
  if (!result) return {};
  const std::string fault = why_not(step, *result);
  if (!fault.empty()) {
    cause = fault;
    return {};
  }
  cause.clear();
  return result;
}

/// Why an existing result cannot be used; empty if it can be.
std::string Cache::why_not(const Step& step, const Json& result) const {
  const auto made = parse_rfc3339(string_at(result, {"time"}));
  if (step.max_age && (!made || clock_.now() - *made > *step.max_age))
    return "the result is older than " + short_duration(*step.max_age);
  for (const Output& output : step.outputs) {
    const Json& there = object_at(result, {"outputs", output.name});
    if (!(is_tree(output.kind) ? is_there_(there) : there.contains("value")))
      return "its output " + output.name + " is gone, or was changed";
    if (output.kind == OutputKind::metric && there["value"].is_string())
      return "its metric " + output.name + " was " + string_at(there, {"value"});
  }
  return {};
}

/// Compares the key with the step's last result, because that is the one that users remember.
std::string Cache::why_new(const Step& step, KeyParts parts, bool knows_inputs) const {
  const std::optional<std::string> last = store_.find_latest(pipeline_.name, step.name);
  const std::optional<Json> result = last ? store_.find_result(*last) : std::nullopt;
  if (!result) return last ? "the last result was removed" : "it has no result yet";
  KeyParts before = result->value("parts", KeyParts());
  const ReadKeys keys(pipeline_, store_);
  const auto read = keys.last(step);
  if (auto now = read ? keys.now(parts, read->reads) : std::nullopt) {
    before = read->parts;
    parts = std::move(*now);
  } else if (!read && result->contains("reads")) {
    return "the record of what it read is gone, or was made by an earlier version of kml";
  }
  if (!knows_inputs)
    std::erase_if(before, [&](const auto& part) {
      return part.first.starts_with("input ") && !parts.contains(part.first);
    });
  const auto list_of = [&](const std::string& digest) { return store_.find_list(digest); };
  return some_of(changes(before, parts, list_of, step.name), 5);
}

std::string Cache::own_cause(const Step& step, const Json& params, const Json& inputs,
                             const Renewal& renewal) const {
  if (std::string wish = why_asked(step, renewal); !wish.empty()) return wish;
  KeyParts parts = parts_of(step, params, inputs);
  parts.merge(surroundings_(step));
  return why_new(step, parts, false);
}

/// If the store is a volume, an artifact on this machine is treated as a file, without its kind. Only outputs
/// of steps have a kind, so an artifact with a kind would seem to be on the volume.
Json Cache::outside(const Input& input) const {
  if (const Json* known = find(given_, {input.text()})) return *known;
  if (!input.artifact.empty()) {
    Json made = std::move(find_artifact(input.artifact).made);
    if (is_there(made)) return made;
    made.erase("kind");
    if (is_there(made)) return made;
    throw usage_error("cannot read input " + input.name,
                      "the files of " + input.artifact + " were removed or changed, or are in another store",
                      "`kml artifact list` shows all artifacts");
  }
  const std::filesystem::path path = pipeline_.folder / input.path;
  try {
    const std::filesystem::path target = std::filesystem::canonical(path);  // follows a link
    require_agents_file(target);
    return {{"path", target}, {"digest", store_.digest_of(target)}};
  } catch (const std::filesystem::filesystem_error& error) {
    const PathFault fault = fault_of_path(path).value_or(PathFault());
    throw usage_error("cannot read input " + path.string(), error.code().message(), fault.fix);
  }
}

bool Cache::is_there(const Json& input) const {
  if (!input.is_array()) return !input.contains("digest") || is_there_(input);
  return std::all_of(input.begin(), input.end(), [&](const Json& one) { return is_there(one); });
}

namespace {

/// Sends those trees of a result that are on this machine. Marks all of them as sent, because the others are
/// already in the store.
void send_trees(SharedStore& shared, Json& outputs) {
  for (Json& made : outputs) {
    if (!made.is_object() || !made.contains("digest")) continue;
    std::error_code none;
    if (std::filesystem::exists(std::filesystem::symlink_status(string_at(made, {"path"}), none)))
      shared.send(made);
    made["store"] = shared.name();
  }
}

bool are_sent(const SharedStore& shared, const Json& outputs) {
  return std::all_of(outputs.begin(), outputs.end(), [&](const Json& made) {
    return !made.contains("digest") || string_at(made, {"store"}) == shared.name();
  });
}

}  // namespace

/// Only writes the step's latest key if it has changed, because writing takes longer than reading.
Json Cache::use(const Step& step, const std::string& key, Json result) const {
  if (store_.find_latest(pipeline_.name, step.name) != key)
    store_.keep_latest(pipeline_.name, step.name, key);
  if (!shared_ || (shared_->note_use(key) && are_sent(*shared_, object_at(result, {"outputs"}))))
    return result;
  send_trees(*shared_, result["outputs"]);
  shared_->keep_result(key, result, false);
  store_.keep_result(key, result);
  return result;
}

namespace {

/// Whether the part is one of those that Cache::Surroundings returns.
bool is_of_surroundings(const std::string& part) {
  return part == "code" || part == "packages" || part == "interpreter" || part.starts_with("file ") ||
         part.starts_with(kPackagesOf) || part.starts_with("program ") || part.starts_with("variable ");
}

/// How results can be kept in later runs although something writes into the folder of the code, such as a
/// log beside the pipeline's file. Only this machine can record what a step reads.
std::string way_to_keep(const KeyParts& parts) {
  const bool is_on_cluster = parts.contains("place");
  return is_on_cluster
             ? "; write such files to another folder, or select the code: `code: {paths: [train.py]}`"
             : "; write such files to another folder, or add --record, which ignores files that the "
               "step does not read";
}

}  // namespace

/// The parts of the step's code and programs that differ from the step's key. If any part differs, it is
/// unknown with which version the step ran. For a step whose reads were recorded, compares only what it read.
Cache::Changed Cache::changed_since(const Step& step, const KeyParts& parts,
                                    const std::optional<std::string>& record) const {
  KeyParts before = parts, now;
  try {
    now = surroundings_(step);
  } catch (const Error& error) {
    return {"its code cannot be read again (" + error.message + ")"};
  }
  const auto is_other = [](const auto& part) { return !is_of_surroundings(part.first); };
  std::erase_if(before, is_other);
  std::erase_if(now, is_other);
  if (before == now) return {};
  const auto list_of = [&](const std::string& digest) { return store_.find_list(digest); };
  if (record) return {some_of(ReadKeys(pipeline_, store_).changed_reads(before, now, *record), 5)};
  return {some_of(changes(before, now, list_of), 5), before["code"] != now["code"]};
}

/// The shared store keeps the first result, so that all machines continue from the same one, unless that
/// result is unusable or the user has asked to replace it.
std::string Cache::keep(const Step& step, const std::string& key, Json result, const Renewal& renewal,
                        const std::optional<std::string>& record) const {
  ReadKeys::Recorded recorded;
  const KeyParts parts = result.value("parts", KeyParts());
  if (record) recorded = ReadKeys(pipeline_, store_).recorded(parts, *record);
  if (!recorded.changed.empty())
    return "not kept for later runs: " + recorded.changed + " changed before the step read it";
  if (const Changed changed = changed_since(step, parts, recorded.parts ? record : std::nullopt);
      !changed.text.empty())
    return changed.text + " while " + step.name + " ran: its result is not kept for later runs" +
           (changed.in_code && !record ? way_to_keep(parts) : "");
  std::string latest = key;
  if (recorded.parts) {
    latest = key_of(*recorded.parts);
    result["reads"] = recorded.field;
    store_.keep_result(latest, result);
  }
  store_.keep_result(key, result);
  store_.keep_latest(pipeline_.name, step.name, latest);
  if (shared_) keep_shared(step, key, result, renewal);
  return recorded.unsure.empty() ? std::string() : "all files of its folder are compared: " + recorded.unsure;
}

void Cache::keep_shared(const Step& step, const std::string& key, Json result, const Renewal& renewal) const {
  result.erase("reads");  // the record is on this machine
  bool replaces = !why_asked(step, renewal).empty();
  if (!replaces) {
    const std::optional<Json> there = shared_->find_result(key);
    replaces = there && !why_not(step, *there).empty();
  }
  shared_->keep_result(key, result, replaces);
}

void Cache::forget(const std::string& key) const {
  store_.forget_result(key);
  if (shared_) shared_->forget_result(key);
}

}  // namespace kml::pipeline
