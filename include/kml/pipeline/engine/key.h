#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kml/base/json.h"
#include "kml/pipeline/language/pipeline.h"

namespace kml::pipeline {

/// Everything that decides the result of a step. Each part has a name that the user recognises: "command",
/// "env LR", "param trees", "input train", "program python". The parts "code" and "packages" are digests of
/// lists stored by LocalStore::keep_list(). Names, resources, nodes and retries are not part of it.
using KeyParts = std::map<std::string, std::string>;

/// The parts that come from the file and the inputs. `params` has all parameters by name. For each input,
/// `inputs` has {"digest": SHA} or {"value": ANY}, or a list of these. An input that is missing there adds no
/// part.
KeyParts parts_of(const Step& step, const Json& params, const Json& inputs);

/// SHA-256 of the parts as canonical JSON.
std::string key_of(const KeyParts& parts);

/// The differences between the parts of two keys: "train.py changed", "env LR added", "param trees: 100 ->
/// 200". `list_of` returns the text for the digest of a list, if it still exists.
std::vector<std::string> changes(
    const KeyParts& before, const KeyParts& now,
    const std::function<std::optional<std::string>(const std::string& digest)>& list_of);

}  // namespace kml::pipeline
