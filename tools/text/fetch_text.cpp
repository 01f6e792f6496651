#include "text/fetch_text.hpp"

#include <filesystem>
#include <iostream>

#include "options/option_values.hpp"
#include "text/human_units.hpp"
#include "text/json_output.hpp"
#include "text/text_table.hpp"

namespace octavo::tools {
namespace {

/// Turns [SPLIT=]FILE into [SPLIT=]FOLDER/FILE.
std::string source_below(const std::string& folder, const std::string& source) {
  const std::size_t file = source.rfind('=') + 1;  // 0 without "="
  return source.substr(0, file) + (std::filesystem::path(folder) / source.substr(file)).string();
}

/// Leaves out empty fields, which are optional.
Json described(const RemoteFile& file) {
  Json description = {{"name", file.name}, {"bytes", file.bytes}};
  if (!file.sha256.empty()) description["sha256"] = file.sha256;
  if (!file.md5.empty()) description["md5"] = file.md5;
  if (!file.urls.empty()) description["urls"] = file.urls;
  return description;
}

Json described(const RemoteSet& set) {
  Json files = Json::array();
  for (const RemoteFile& file : set.files) files.push_back(described(file));
  Json description = {{"name", set.name}, {"title", set.title},     {"content", set.content}, {"license", set.license},
                      {"page", set.page}, {"mirrors", set.mirrors}, {"files", files}};
  if (!set.pack.empty()) description["pack"] = set.pack;
  return description;
}

std::string what_became_of(const FetchedFile& file) {
  if (file.was_there) return "already there";
  return file.url.empty() ? "received earlier" : "from " + file.url;
}

}  // namespace

std::string pack_command(const RemoteSet& set, const std::string& folder) {
  std::string command = "octavo pack";
  for (const std::string& source : set.pack) command += " " + quote_word(source_below(folder, source));
  if (set.pack.empty()) command += " " + quote_word(folder);
  return command + " -o " + set.name + ".h5";
}

void print_known_sets() {
  TextTable table("lrll");
  table.add_row({"dataset", "bytes", "images", "license"});
  for (const RemoteSet& set : known_sets()) {
    table.add_row({set.name, format_bytes(total_bytes(set)), set.content, set.license});
  }
  table.print(std::cout);
  std::cout << "\nLicenses are as stated by the publishers; octavo fetch NAME --list shows the dataset's page.\n";
}

void print_known_sets_json() {
  Json sets = Json::array();
  for (const RemoteSet& set : known_sets()) sets.push_back(described(set));
  print_json({{"sets", sets}});
}

void print_set(const RemoteSet& set) {
  std::cout << set.name << ": " << set.title << ", " << set.content << '\n';
  TextTable table("lr");
  for (const RemoteFile& file : set.files) table.add_row({file.name, format_bytes(file.bytes)});
  table.print(std::cout, "  ");
  std::cout << "  license, as stated by the publisher: " << set.license << "; " << set.page << '\n';
}

void print_set_json(const RemoteSet& set) { print_json(described(set)); }

void print_fetched(const RemoteSet& set, const std::string& folder, const FetchSummary& summary) {
  std::cout << folder << ": " << counted(static_cast<std::int64_t>(summary.files.size()), "file") << ", "
            << format_bytes(total_bytes(set)) << '\n';
  TextTable table("lrl");
  for (const FetchedFile& file : summary.files) {
    table.add_row({file.name, format_bytes(file.bytes), what_became_of(file)});
  }
  table.print(std::cout, "  ");
  if (summary.received_bytes > 0) {
    std::cout << "  time  " << format_seconds(summary.elapsed_seconds) << ", " << format_bytes(summary.received_bytes)
              << " received\n";
  }
}

void print_fetched_json(const RemoteSet& set, const std::string& folder, const FetchSummary& summary) {
  Json files = Json::array();
  for (const FetchedFile& file : summary.files) {
    files.push_back({{"name", file.name},
                     {"bytes", file.bytes},
                     {"was_there", file.was_there},
                     {"received_bytes", file.received_bytes},
                     {"url", file.url.empty() ? Json() : Json(file.url)}});
  }
  print_json({{"set", set.name},
              {"folder", folder},
              {"files", files},
              {"received_bytes", summary.received_bytes},
              {"elapsed_seconds", summary.elapsed_seconds},
              {"pack_command", pack_command(set, folder)}});
}

}  // namespace octavo::tools
