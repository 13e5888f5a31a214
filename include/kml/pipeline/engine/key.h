#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kml/base/json.h"
#include "kml/pipeline/language/pipeline.h"

namespace kml::pipeline {

/// All the facts that decide the result of a step. Each part has a name that the user recognizes: "command",
/// "env LR", "param trees", "input train", "program python". A part for which is_list_part() is true is the
/// digest of a list, which LocalStore::keep_list() has stored. Names, resources, nodes and retries are not
/// part of the key.
using KeyParts = std::map<std::string, std::string>;

/// The prefix of the parts with the digests of the files that list a step's packages: "packages of
/// requirements.txt". kml reads these files, so they belong to the key even if a record shows that the step
/// itself does not.
inline constexpr const char* kPackagesOf = "packages of ";

/// Whether the part is the digest of a list: "code", "packages" or "read". The list of "read" has the files
/// that the step read.
bool is_list_part(const std::string& part);

/// The parts that come from the pipeline's file and the inputs. `params` has all parameters by name. For each
/// input, `inputs` has {"digest": SHA} or {"value": ANY}, or a list of these. An input that `inputs` lacks
/// adds no part.
KeyParts parts_of(const Step& step, const Json& params, const Json& inputs);

/// The key: the SHA-256 of the parts as canonical JSON.
std::string key_of(const KeyParts& parts);

/// The lines of a list by name. The line "\"train.py\" 644 SHA" has the name "train.py".
std::map<std::string, std::string> lines_by_name(const std::string& list);

/// The differences between the parts of two keys: "train.py changed", "env LR added", "param trees: 100 ->
/// 200". `list_of` returns the text of a list by its digest, if the list still exists. `reader` is the name
/// of the step, for the texts about files that it read: "train.py changed (read by train)".
std::vector<std::string> changes(
    const KeyParts& before, const KeyParts& now,
    const std::function<std::optional<std::string>(const std::string& digest)>& list_of,
    const std::string& reader = {});

}  // namespace kml::pipeline
