#include "text/pack_text.hpp"

#include <algorithm>
#include <iostream>
#include <octavo/option_names.hpp>
#include <octavo/text.hpp>

#include "options/option_values.hpp"
#include "text/human_units.hpp"
#include "text/json_output.hpp"
#include "text/range_text.hpp"
#include "text/text_table.hpp"

namespace octavo::tools {
namespace {

/// Bytes of the samples of a split, and of its masks, which take one byte per pixel in any form.
struct SplitBytes {
  std::int64_t values = 0;
  std::int64_t masks = 0;

  std::int64_t packed() const { return values + masks; }
  std::int64_t as_float32() const { return 4 * values + masks; }
};

SplitBytes bytes_of(const SourceSplit& split) { return {split.sample_count * split.shape.values(), mask_bytes(split)}; }

SplitBytes bytes_of(const std::vector<SourceSplit>& splits) {
  SplitBytes sum;
  for (const SourceSplit& split : splits) {
    sum.values += bytes_of(split).values;
    sum.masks += bytes_of(split).masks;
  }
  return sum;
}

void print_splits(const std::vector<SourceSplit>& splits) {
  TextTable table("lrlllr");
  table.add_row({"split", "samples", "shape", "color", "labels", "packed"});
  for (const SourceSplit& split : splits) {
    table.add_row({split.name, format_count(split.sample_count), to_string(split.shape), name_of(split.color),
                   describe(split.labels, split.has_masks), format_bytes(bytes_of(split).packed())});
  }
  table.print(std::cout, "  ");
}

/// The range is known before packing.
void print_ranges(const std::vector<SourceSplit>& splits) {
  for (const SourceSplit& split : splits) {
    if (split.quantization.empty() || split.source_dtype == "uint8") continue;
    std::cout << "  " << split.source_dtype << ", " << describe_ranges(split.name, split.quantization)
              << "; packing measures what quantizing to bytes loses\n";
  }
}

Json describe_skipped(const std::vector<SampleFailure>& skipped) {
  Json described = Json::array();
  for (const SampleFailure& failure : skipped) {
    described.push_back({{"name", as_utf8(failure.name)}, {"reason", as_utf8(failure.reason)}});
  }
  return described;
}

Json describe_splits(const std::vector<SourceSplit>& splits) {
  Json described = Json::array();
  for (const SourceSplit& split : splits) {
    described.push_back(describe_split(split));
    if (!split.quantization.empty()) described.back()["ranges"] = ranges_as_json(split.quantization);
  }
  return described;
}

double bytes_per_second(const PackSummary& summary) {
  return summary.elapsed_seconds > 0 ? static_cast<double>(summary.packed_bytes) / summary.elapsed_seconds : 0.0;
}

/// Printed so that a user notices when the wrong folders were read as classes.
void print_classes(const std::vector<std::string>& names) {
  constexpr std::size_t kMostNames = 8;
  if (names.empty()) return;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMostNames); ++i) text += (i == 0 ? "" : ", ") + names[i];
  std::cout << "  " << (names.size() == 1 ? "class  " : "classes  ") << printable(text)
            << (names.size() > kMostNames ? ", ... (" + format_count(std::ssize(names)) + " total)" : "") << '\n';
}

void print_notes(const std::vector<std::string>& notes) {
  for (const std::string& note : notes) {
    std::cout << "  note: " << printable(with_command_line_options(note)) << '\n';
  }
}

/// The notes as on the command line.
Json describe_notes(const std::vector<std::string>& notes) {
  Json described = Json::array();
  for (const std::string& note : notes) described.push_back(as_utf8(with_command_line_options(note)));
  return described;
}

}  // namespace

void print_plan(const Source& source) {
  const SplitBytes bytes = bytes_of(source.splits());
  std::cout << "Would pack a source of format " << source.format() << ":\n";
  print_splits(source.splits());
  print_classes(source.class_names());
  std::cout << "  " << format_bytes(bytes.packed()) << " packed, " << format_bytes(bytes.as_float32())
            << " as float32\n";
  print_ranges(source.splits());
  print_notes(packing_notes(source));
}

void print_plan_json(const Source& source) {
  const SplitBytes bytes = bytes_of(source.splits());
  print_json({{"dry_run", true},
              {"format", source.format()},
              {"splits", describe_splits(source.splits())},
              {"classes", source.class_names()},
              {"packed_bytes", bytes.values},
              {"mask_bytes", bytes.masks},
              {"float32_bytes", bytes.as_float32()},
              {"notes", describe_notes(packing_notes(source))},
              {"skipped", describe_skipped(source.left_out())}});
}

void print_summary(const std::string& path, const Source& source, const PackSummary& summary) {
  std::int64_t sample_count = 0;
  for (const SourceSplit& split : summary.splits) sample_count += split.sample_count;
  const std::int64_t float32_bytes = bytes_of(summary.splits).as_float32();
  const double ratio = static_cast<double>(float32_bytes) / static_cast<double>(summary.file_bytes);
  std::cout << printable(path) << ": " << counted(sample_count, "sample") << '\n';
  print_splits(summary.splits);
  print_classes(source.class_names());
  std::cout << "  file  " << format_bytes(summary.file_bytes) << " (float32 would be " << format_bytes(float32_bytes)
            << ", " << format_fixed(ratio, 2) << "x the size)\n"
            << "  time  " << format_seconds(summary.elapsed_seconds) << ", " << format_rate(bytes_per_second(summary))
            << '\n';
  if (summary.name_bytes > 0) {
    std::cout << "  names  " << format_bytes(summary.name_bytes)
              << ": where each sample came from (--no-names: none)\n";
  }
  print_notes(summary.notes);
  if (!summary.skipped.empty()) {
    std::cout << "  skipped  " << counted(static_cast<std::int64_t>(summary.skipped.size()), "sample")
              << ": see above, or octavo info --json " << quote_word(path) << '\n';
  }
}

void list_skipped(const std::vector<SampleFailure>& skipped) {
  for (const SampleFailure& failure : skipped) {
    std::cerr << printable("octavo: skipped: " + failure.name + ": " + with_command_line_options(failure.reason))
              << '\n';
  }
}

void print_summary_json(const std::string& path, const PackSummary& summary) {
  print_json({{"file", as_utf8(path)},
              {"splits", describe_splits(summary.splits)},
              {"packed_bytes", summary.packed_bytes},
              {"mask_bytes", bytes_of(summary.splits).masks},
              {"float32_bytes", bytes_of(summary.splits).as_float32()},
              {"file_bytes", summary.file_bytes},
              {"name_bytes", summary.name_bytes},
              {"elapsed_seconds", summary.elapsed_seconds},
              {"bytes_per_second", bytes_per_second(summary)},
              {"notes", describe_notes(summary.notes)},
              {"skipped", describe_skipped(summary.skipped)}});
}

}  // namespace octavo::tools
