// `octavo bench`: how fast this machine loads a dataset file and serves batches, relative to the machine's own limits.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <memory>
#include <octavo/batch_spec.hpp>
#include <octavo/benchmark.hpp>
#include <octavo/errors.hpp>
#include <octavo/remote.hpp>
#include <octavo/strategies.hpp>

#include "exit_code.hpp"
#include "options/augment_option.hpp"
#include "options/cache_options.hpp"
#include "options/device_option.hpp"
#include "progress_bar.hpp"
#include "text/human_units.hpp"
#include "text/json_output.hpp"
#include "text/strategies_text.hpp"
#include "text/text_table.hpp"
#include "verbs/command.hpp"

namespace octavo::tools {
namespace {

struct BenchArguments : CommonOptions {
  std::string file;
  std::string split;
  std::string device = "auto";
  std::string augment;
  std::vector<std::int64_t> batch_sizes;  ///< empty: the defaults
  bool strategies = false;
  bool compare_batch_sizes = false;
  std::vector<std::int64_t> windows = StrategyOptions{}.window_counts;
  int epochs = StrategyOptions{}.epochs;
  bool without_training = false;
  std::string plot;
  CacheArguments cache;
};

Benchmark measure(const BenchArguments& arguments) {
  ProgressBar bar(arguments.quiet);
  BenchmarkOptions options;
  options.split = arguments.split;
  options.device = device_of_option(arguments.device);
  options.augment = augment::parse(arguments.augment);
  if (!arguments.batch_sizes.empty()) options.batch_sizes = arguments.batch_sizes;
  options.on_progress = bar.function();
  return run_benchmark(open_with_cache(arguments.file, arguments.cache), options);
}

void print_load(const LoadSpeed& load) {
  TextTable table("lrrr");
  const auto add_row = [&](const char* what, double seconds) {
    table.add_row({what, format_seconds(seconds), format_rate(static_cast<double>(load.bytes) / seconds),
                   format_fixed(load.read_seconds / seconds, 2)});
  };
  table.add_row({"load " + format_bytes(load.bytes), "time", "rate", "vs. read"});
  add_row("read only, from the page cache", load.read_seconds);
  add_row("load, checksums not compared", load.unchecked_seconds);
  add_row("load, every sample checked", load.checked_seconds);
  table.print(std::cout, "  ");
}

/// "0.85", or the quartiles "0.70-1.23" if the spread is large.
std::string fraction_text(const GatherSpeed& gather) {
  if (!gather.is_noisy()) return format_fixed(gather.fraction_of_copy, 2);
  return format_fixed(gather.lowest_fraction, 2) + "-" + format_fixed(gather.highest_fraction, 2);
}

/// The requested batch sizes that were not measured.
std::string describe_left_out(const std::vector<std::int64_t>& asked, const std::vector<BatchSpeed>& batches) {
  std::string text;
  for (const std::int64_t size : asked) {
    const auto is_it = [&](const BatchSpeed& batch) { return batch.gather.batch_size == size; };
    if (std::none_of(batches.begin(), batches.end(), is_it)) text += (text.empty() ? "" : ", ") + format_count(size);
  }
  return text;
}

void print_batches(const std::vector<std::int64_t>& asked, const std::vector<BatchSpeed>& batches) {
  TextTable table("lrrrrrr");
  table.add_row({"dtype", "batch size", "time", "images/s", "rate", "copy rate", "vs. copy"});
  bool some_fit = false;
  for (const BatchSpeed& batch : batches) {
    const GatherSpeed& gather = batch.gather;
    some_fit = some_fit || gather.fits_cache;
    table.add_row({to_string(batch.dtype), format_count(gather.batch_size), format_seconds(gather.median_seconds),
                   format_count(std::llround(gather.images_per_second())),
                   format_rate(static_cast<double>(gather.moved_bytes) / gather.median_seconds),
                   format_rate(gather.copy_bytes_per_second),
                   fraction_text(gather) + (gather.fits_cache ? " *" : "  ")});
  }
  table.print(std::cout, "  ");
  if (const std::string left_out = describe_left_out(asked, batches); !left_out.empty()) {
    std::cout << "  not measured: batch sizes " << left_out
              << "; larger than the split or a quarter of the free memory\n";
  }
  if (some_fit) std::cout << "  * the data fits in the cache, and so does the copy\n";
}

/// Of the default data type and the batch size nearest to that of a report; null if nothing was measured.
const BatchSpeed* usual_batches(const std::vector<BatchSpeed>& batches) {
  const auto distance = [](const BatchSpeed& batch) {
    constexpr double kUsualBatchSize = 512.0;
    const bool is_usual_type = batch.dtype == BatchSpec{}.dtype;
    return std::pair(!is_usual_type,
                     std::abs(std::log2(static_cast<double>(batch.gather.batch_size) / kUsualBatchSize)));
  };
  const auto usual = std::ranges::min_element(batches, {}, distance);
  return usual == batches.end() ? nullptr : &*usual;
}

/// The result in one line: how fast the split loads, and batches of the usual size.
std::string summary(const BenchArguments& arguments, const Benchmark& result) {
  const LoadSpeed& load = result.load;
  std::string text = std::filesystem::path(remote::shown_location(arguments.file)).filename().string() + ": " +
                     result.split + " loads at " + format_rate(static_cast<double>(load.bytes) / load.checked_seconds);
  const BatchSpeed* const usual = usual_batches(result.batches);
  if (usual == nullptr) return text;
  const GatherSpeed& gather = usual->gather;
  return text + "; batches of " + format_count(gather.batch_size) + " as " + to_string(usual->dtype) + " take " +
         format_seconds(gather.median_seconds) + ", " + format_count(std::llround(gather.images_per_second())) +
         " images/s, at " + describe_fraction(gather);
}

void print_benchmark(const BenchArguments& arguments, const Benchmark& result) {
  std::cout << summary(arguments, result) << "\n\n";
  std::cout << remote::shown_location(arguments.file) << ", split " << result.split << ": "
            << counted(result.sample_count, "sample") << " of " << result.shape << ", on " << result.device << " ("
            << result.device_name << ")\n\n";
  print_load(result.load);
  std::cout << '\n';
  print_batches(arguments.batch_sizes.empty() ? BenchmarkOptions{}.batch_sizes : arguments.batch_sizes, result.batches);
  std::cout
      << "Times are medians. Rates count bytes read and written. Each copy is of a batch's bytes, from memory of the "
         "split's size, alternately with the batches.\n";
}

void print_benchmark_json(const BenchArguments& arguments, const Benchmark& result) {
  Json batches = Json::array();
  for (const BatchSpeed& batch : result.batches) {
    const GatherSpeed& gather = batch.gather;
    batches.push_back({{"dtype", to_string(batch.dtype)},
                       {"batch_size", gather.batch_size},
                       {"median_seconds", gather.median_seconds},
                       {"spread", gather.spread},
                       {"images_per_second", gather.images_per_second()},
                       {"moved_bytes", gather.moved_bytes},
                       {"copy_bytes_per_second", gather.copy_bytes_per_second},
                       {"fraction_of_copy", gather.fraction_of_copy},
                       {"lowest_fraction", gather.lowest_fraction},
                       {"highest_fraction", gather.highest_fraction},
                       {"fits_cache", gather.fits_cache}});
  }
  print_json({{"file", remote::shown_location(arguments.file)},
              {"split", result.split},
              {"device", result.device},
              {"device_name", result.device_name},
              {"sample_count", result.sample_count},
              {"shape", result.shape},
              {"load",
               {{"bytes", result.load.bytes},
                {"read_seconds", result.load.read_seconds},
                {"unchecked_seconds", result.load.unchecked_seconds},
                {"checked_seconds", result.load.checked_seconds}}},
              {"batches", batches}});
}

StrategyComparison measure_strategies(const BenchArguments& arguments) {
  ProgressBar bar(arguments.quiet);
  StrategyOptions options;
  options.split = arguments.split;
  options.device = device_of_option(arguments.device);
  if (!arguments.batch_sizes.empty()) options.batch_size = arguments.batch_sizes.front();
  options.window_counts = arguments.windows;
  options.epochs = arguments.epochs;
  options.train_epochs = arguments.without_training ? 0 : arguments.epochs;
  options.on_progress = bar.function();
  return compare_strategies(open_with_cache(arguments.file, arguments.cache), options);
}

BatchSizeComparison measure_batch_sizes(const BenchArguments& arguments) {
  ProgressBar bar(arguments.quiet);
  BatchSizeOptions options;
  options.split = arguments.split;
  options.device = device_of_option(arguments.device);
  options.on_progress = bar.function();
  return compare_batch_sizes(open_with_cache(arguments.file, arguments.cache), options);
}

/// Prints the comparison and, if requested, draws a chart of it.
template <typename Comparison, typename Print>
int show(const BenchArguments& arguments, const Comparison& comparison, const Print& print) {
  if (arguments.json)
    print_json(as_json(comparison));
  else
    print(comparison);
  if (!arguments.plot.empty()) draw_chart(chart_of(comparison), arguments.plot);
  return kDone;
}

/// Checks the arguments before minutes of measuring.
void check_arguments(const BenchArguments& arguments) {
  if (arguments.strategies && arguments.batch_sizes.size() > 1) {
    throw InvalidArgument("compare strategies: got several batch sizes; give one --batch-size");
  }
  if (arguments.compare_batch_sizes && !arguments.batch_sizes.empty()) {
    throw InvalidArgument("compare batch sizes: the sizes are fixed (1, 10, 100, ...); leave out --batch-size");
  }
  if (!arguments.augment.empty() && (arguments.strategies || arguments.compare_batch_sizes)) {
    throw InvalidArgument("compare strategies or batch sizes: they have no augmentation; leave out --augment");
  }
  if (arguments.plot.empty()) return;
  if (!arguments.strategies && !arguments.compare_batch_sizes) {
    throw InvalidArgument("draw a chart: --plot requires --strategies or --batch-sizes; give one of them");
  }
  check_can_draw(arguments.plot);
}

int run(const BenchArguments& arguments) {
  check_arguments(arguments);
  if (arguments.strategies) return show(arguments, measure_strategies(arguments), print_strategies);
  if (arguments.compare_batch_sizes) return show(arguments, measure_batch_sizes(arguments), print_batch_sizes);
  const Benchmark result = measure(arguments);
  if (arguments.json)
    print_benchmark_json(arguments, result);
  else
    print_benchmark(arguments, result);
  return kDone;
}

}  // namespace

Command add_bench_command(CLI::App& program) {
  auto arguments = std::make_shared<BenchArguments>();
  CLI::App* verb =
      add_verb(program, "bench", "Measure how fast this machine loads a dataset file and serves batches", *arguments);
  verb->add_option("FILE", arguments->file, "A dataset file")->required();
  verb->option_defaults()->group("Batches");
  verb->add_option("--split", arguments->split, "The split to measure (train if it exists, else the first)");
  verb->add_option("--device", arguments->device, kDeviceHelp);
  verb->add_option("--batch-size", arguments->batch_sizes, "Samples per batch; separate several sizes by commas")
      ->delimiter(',')
      ->check(above_zero());
  verb->add_option("--augment", arguments->augment, augment_help());
  verb->option_defaults()->group("Comparisons");
  CLI::Option* strategies = verb->add_flag("--strategies", arguments->strategies,
                                           "Compare ways to serve batches: resident, windows, streamed");
  CLI::Option* sizes = verb->add_flag("--batch-sizes", arguments->compare_batch_sizes,
                                      "Compare batch sizes: loading, and a matrix product computed in several ways");
  strategies->excludes(sizes);
  verb->add_option("--windows", arguments->windows, "With --strategies: numbers of windows per split (1,10,100)")
      ->delimiter(',')
      ->check(above_zero())
      ->needs(strategies);
  verb->add_option("--epochs", arguments->epochs, "With --strategies: number of epochs to time (3)")
      ->check(above_zero())
      ->needs(strategies);
  verb->add_flag("--no-training", arguments->without_training, "With --strategies: do not measure training")
      ->needs(strategies);
  verb->add_option("--plot", arguments->plot,
                   "Write a chart of --strategies or --batch-sizes to this .png or .svg file");
  return {verb, [arguments] { return run(*arguments); }};
}

}  // namespace octavo::tools
