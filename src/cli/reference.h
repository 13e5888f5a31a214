#pragma once

#include <string>
#include <utility>
#include <vector>

namespace kml::cli {

/// A name and what it is for.
using Entry = std::pair<std::string, std::string>;

// For kml.1; tests hold the code against them.

/// Every environment variable that kml reads.
std::vector<Entry> environment_variables();
/// Every file that it reads or writes by itself.
std::vector<Entry> files();
/// How kml shows who it is, and by which way it goes to a server.
std::vector<Entry> credentials_and_proxies();
/// What those of a job's command mean to the cluster, and how it reports its attempts.
std::vector<Entry> command_exit_codes();
std::vector<Entry> exit_codes();
/// For kml-why.1: the codes of causes, and what they mean.
std::vector<Entry> causes();

// For kml-sweep.1.

/// What stands in a sweep's file under `spec`.
std::vector<Entry> sweep_fields();
/// What is filled in for each trial.
std::vector<Entry> sweep_holes();
/// The values of --param.
std::vector<Entry> sweep_param_forms();
/// Numbers, as logs tell them.
std::vector<Entry> sweep_metric_forms();

}  // namespace kml::cli
