#include <octavo/doctor.hpp>

#include <nlohmann/json.hpp>
#include <octavo/errors.hpp>
#include <octavo/option_names.hpp>

#include "catch.hpp"
#include "scenes.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

constexpr SampleShape kShape = {1, 16, 16};

DoctorReport report_of(const std::vector<PlainSplit>& splits, const DoctorOptions& options = {}) {
  return examine(PackedFixture(splits).dataset(), options);
}

std::string text_of(const DoctorReport& report) { return to_text(report, with_command_line_options); }
std::string json_of(const DoctorReport& report) { return to_json(report, with_python_options); }

/// The first finding of the check; it must exist.
DoctorFinding finding_in(const DoctorReport& report, DoctorCheck check) {
  const auto found = std::ranges::find(report.findings, check, &DoctorFinding::check);
  INFO(info_of(check).id);
  REQUIRE(found != report.findings.end());
  return *found;
}

bool has_finding(const DoctorReport& report, DoctorCheck check) {
  return std::ranges::find(report.findings, check, &DoctorFinding::check) != report.findings.end();
}

void replace_sample(PlainSplit& split, std::int64_t row, const Pixels& pixels) {
  std::ranges::copy(pixels, split.values.begin() + row * split.shape.values());
}

/// A file with targets.
DoctorReport report_of_targets(std::vector<float> targets) {
  const TemporaryFolder folder;
  WriterOptions options;
  const auto count = std::ssize(targets);
  options.splits = {{"train", kShape, {LabelKind::target, 1}, Color::gray, count}};
  Writer writer(folder / "a.h5", options);
  std::vector<std::uint8_t> values = split_of_scenes("train", count, kShape, 1).values;
  writer.write(0, 0, values, std::as_bytes(std::span(targets)));
  writer.finish("{}");
  return examine(Dataset::open(folder / "a.h5"));
}

/// A file of 40 scenes with this provenance.
DoctorReport report_with(const std::string& provenance) {
  const TemporaryFolder folder;
  WriterOptions options;
  options.splits = {{"train", kShape, {}, Color::gray, 40}};
  Writer writer(folder / "a.h5", options);
  std::vector<std::uint8_t> values = split_of_scenes("train", 40, kShape, 1).values;
  writer.write(0, 0, values, {});
  writer.finish(provenance);
  return examine(Dataset::open(folder / "a.h5"));
}

}  // namespace

TEST_CASE("a sound dataset has no findings", "[unit][doctor]") {
  const auto report = report_of({split_of_scenes("train", 300, kShape, 1), split_of_scenes("test", 100, kShape, 1000)});
  CHECK(report.findings.empty());
  CHECK(report.sample_count == 400);
  const std::string text = text_of(report);
  CHECK_THAT(
      text, ContainsSubstring("data.h5: nothing found in 400 samples of 2 splits; checked for equal across splits, ") &&
                ContainsSubstring("unusual size\n"));
}

TEST_CASE("equal images are findings across splits, within one, and with other labels", "[unit][doctor]") {
  PlainSplit train = split_of_scenes("train", 100, kShape, 1), test = split_of_scenes("test", 50, kShape, 1000);
  replace_sample(test, 17, scene(1 + 7, kShape));    // train #7, the same label
  replace_sample(test, 21, scene(1 + 9, kShape));    // train #9, another label
  replace_sample(train, 43, scene(1 + 33, kShape));  // within train
  const DoctorReport report = report_of({train, test});
  const DoctorFinding across = finding_in(report, DoctorCheck::equal_across_splits);
  CHECK(across.count == 2);
  CHECK(across.summary == "2 images are in more than one split");
  REQUIRE(across.examples.size() == 2);
  CHECK(across.examples[0].samples == std::vector<SamplePlace>{{"train", 7}, {"test", 17}});
  const DoctorFinding other = finding_in(report, DoctorCheck::equal_other_label);
  CHECK(other.count == 1);
  CHECK(other.examples.at(0).samples == std::vector<SamplePlace>{{"train", 9}, {"test", 21}});
  const DoctorFinding within = finding_in(report, DoctorCheck::equal_within_split);
  CHECK(within.count == 1);
  CHECK(within.examples.at(0).samples == std::vector<SamplePlace>{{"train", 33}, {"train", 43}});
  // Equal images are not near-identical ones too.
  CHECK(report.findings.size() == 3);
  CHECK(report.count_of(DoctorSeverity::error) == 2);
  CHECK_THAT(
      text_of(report),
      ContainsSubstring("data.h5: 2 errors and 1 note in 150 samples of 2 splits\n"
                        "  error: 2 images are in more than one split: train #7 = test #17; train #9 = test #21\n"
                        "    remedy: keep each image in one split"));
}

TEST_CASE("an example of copies names a sample of each split", "[unit][doctor]") {
  PlainSplit train = split_of_scenes("train", 30, kShape, 1), test = split_of_scenes("test", 30, kShape, 1000);
  for (std::int64_t row = 0; row < 10; ++row) replace_sample(train, row, scene(7, kShape));
  replace_sample(test, 3, scene(7, kShape));
  const auto examples = finding_in(report_of({train, test}), DoctorCheck::equal_across_splits).examples;
  REQUIRE(examples.size() == 1);
  CHECK(examples[0].samples == std::vector<SamplePlace>{{"train", 0}, {"test", 3}, {"train", 1}, {"train", 2}});
  CHECK(examples[0].detail == "and 7 more");
}

TEST_CASE("near-identical images are findings across splits, within one, and with other labels", "[unit][doctor]") {
  const SampleShape shape = {1, 32, 32};
  PlainSplit train = split_of_scenes("train", 100, shape, 1), test = split_of_scenes("test", 50, shape, 1000);
  replace_sample(test, 17, resized_copy(scene(1 + 7, shape), shape));                // the label of train #7
  replace_sample(test, 21, mirrored_copy(scene(1 + 9, shape), shape, false, true));  // another label
  replace_sample(train, 43, jpeg_copy(scene(1 + 33, shape), shape, 75));             // within train
  const DoctorReport report = report_of({train, test});
  const DoctorFinding across = finding_in(report, DoctorCheck::near_across_splits);
  CHECK(across.summary == "2 pairs of near-identical images in different splits, 1 of them mirrored or rotated");
  REQUIRE(across.examples.size() == 2);
  CHECK(across.examples[0].samples == std::vector<SamplePlace>{{"train", 9}, {"test", 21}});  // the most similar
  CHECK(across.examples[0].detail == "mirrored left-right");
  CHECK(across.examples[1].samples == std::vector<SamplePlace>{{"train", 7}, {"test", 17}});
  CHECK(finding_in(report, DoctorCheck::near_other_label).count == 1);
  CHECK(finding_in(report, DoctorCheck::near_within_split).examples.at(0).samples ==
        std::vector<SamplePlace>{{"train", 33}, {"train", 43}});
  CHECK(report.findings.size() == 3);
}

TEST_CASE("a report does not depend on the number of threads", "[unit][doctor]") {
  PlainSplit train = split_of_scenes("train", 200, kShape, 1), test = split_of_scenes("test", 80, kShape, 150);
  replace_sample(train, 3, Pixels(256, 9));
  replace_sample(test, 4, resized_copy(scene(20, kShape), kShape));
  const PackedFixture file({train, test});
  const auto json_with = [&](int threads) { return json_of(examine(file.dataset(), {.thread_count = threads})); };
  CHECK(json_with(1) == json_with(4));
}

TEST_CASE("classes that a split lacks are findings", "[unit][doctor]") {
  PlainSplit train = split_of_scenes("train", 100, kShape, 1), test = split_of_scenes("test", 50, kShape, 1000);
  for (std::int32_t& label : train.labels) label = label == 3 ? 4 : label;  // no class 3
  for (std::int32_t& label : test.labels) label = label >= 8 ? 7 : label;   // neither 8 nor 9
  const DoctorReport report = report_of({train, test});
  CHECK(finding_in(report, DoctorCheck::class_not_in_train).summary == "1 class of test is not in train: class 3");
  CHECK(finding_in(report, DoctorCheck::class_in_one_split).summary == "2 classes are only in train: class 8, class 9");
}

TEST_CASE("classes of masks that a split lacks, and values that are no classes, are findings", "[unit][doctor]") {
  const auto split_of = [](const std::string& name, unsigned seed, std::uint8_t object) {
    PlainSplit split = split_of_scenes(name, 40, kShape, seed);
    split.masks.resize(40 * 256);
    for (std::size_t i = 0; i < split.masks.size(); ++i) split.masks[i] = i % 4 == 0 ? object : std::uint8_t{0};
    return split;
  };
  const DoctorReport other = report_of({split_of("train", 1, 1), split_of("val", 1000, 2)});
  CHECK(finding_in(other, DoctorCheck::class_not_in_train).summary == "1 mask class of val is not in train: 2");
  CHECK(finding_in(other, DoctorCheck::class_in_one_split).summary == "1 mask class is only in train: 1");
  CHECK_FALSE(has_finding(other, DoctorCheck::mask_values));
  const DoctorReport binary = report_of({split_of("train", 1, 255), split_of("val", 1000, 255)});
  CHECK(finding_in(binary, DoctorCheck::mask_values).summary ==
        "masks of train and val have only the values 0 and 255, and 255 is ignored in training");
  CHECK_THAT(text_of(binary), ContainsSubstring("with --mask-colors"));
  CHECK(report_of({split_of("train", 1, 1), split_of("val", 1000, 1)}).findings.empty());
}

TEST_CASE("classes of multi-labels are checked like those of single labels", "[unit][doctor]") {
  const auto split_of = [](const std::string& name, unsigned seed, std::int32_t missing) {
    PlainSplit split = split_of_scenes(name, 40, kShape, seed);
    split.label_width = 4;
    split.labels.assign(40 * 4, 1);
    for (std::size_t row = 0; row < 40; ++row) split.labels[row * 4 + static_cast<std::size_t>(missing)] = 0;
    for (std::size_t row = 1; row < 40; ++row) split.labels[row * 4] = 0;  // class 0 is rare
    return split;
  };
  const DoctorReport report = report_of({split_of("train", 1, 3), split_of("val", 1000, 2)});
  CHECK(finding_in(report, DoctorCheck::class_not_in_train).summary == "1 class of val is not in train: class 3");
  CHECK(finding_in(report, DoctorCheck::class_in_one_split).summary == "1 class is only in train: class 2");
  CHECK_THAT(finding_in(report, DoctorCheck::unusual_labels).summary,
             ContainsSubstring("labels of train: no samples: 1 class (3); fewer than a tenth of the median (40 "
                               "samples): 1 class (0)"));
}

TEST_CASE("an extreme imbalance is a warning and rare classes are a note", "[unit][doctor]") {
  PlainSplit train = split_of_scenes("train", 203, kShape, 1);
  std::ranges::fill(train.labels, 1);
  train.labels[5] = train.labels[6] = 0;
  CHECK(finding_in(report_of({train}), DoctorCheck::extreme_imbalance).summary ==
        "train has 100 times as many samples of class 1 (201) as of class 0 (2)");
  train.labels[7] = 0;  // 200 and 3
  const DoctorReport report = report_of({train});
  CHECK_FALSE(has_finding(report, DoctorCheck::extreme_imbalance));
  CHECK(finding_in(report, DoctorCheck::unusual_labels).info().severity == DoctorSeverity::note);
}

TEST_CASE("targets far from all others are a note", "[unit][doctor]") {
  std::vector<float> targets(40);
  for (std::size_t i = 0; i < targets.size(); ++i) targets[i] = static_cast<float>(i);
  CHECK(report_of_targets(targets).findings.empty());
  targets[4] = 1000.0F;
  CHECK(finding_in(report_of_targets(targets), DoctorCheck::unusual_targets).summary ==
        "labels of train: 1 sample with a target far outside the usual range");
  const DoctorFinding finding = finding_in(report_of_targets(targets), DoctorCheck::unusual_targets);
  REQUIRE(finding.examples.size() == 1);
  CHECK(finding.examples[0].samples == std::vector<SamplePlace>{{"train", 4}});
}

TEST_CASE("blank, faint and truncated images are warnings", "[unit][doctor]") {
  PlainSplit train = split_of_scenes("train", 60, kShape, 1);
  replace_sample(train, 20, Pixels(256, 9));
  Pixels faint(256, 9);
  faint[7] = 13;
  replace_sample(train, 30, faint);
  Pixels truncated = scene(500, kShape);
  std::fill(truncated.begin() + 8 * 16, truncated.end(), std::uint8_t{128});
  truncated[0] = 5;
  replace_sample(train, 40, truncated);
  const DoctorReport report = report_of({train});
  const DoctorFinding blank = finding_in(report, DoctorCheck::blank_image);
  CHECK(blank.count == 2);
  CHECK(blank.summary ==
        "1 sample of train has one value in every pixel, 1 sample of train has values that differ by at most 4");
  REQUIRE(blank.examples.size() == 2);
  CHECK(blank.examples[0].samples == std::vector<SamplePlace>{{"train", 20}});
  const DoctorFinding cut = finding_in(report, DoctorCheck::truncated_image);
  CHECK(cut.summary == "1 sample of train ends in the gray of a truncated file");
  CHECK(cut.examples.at(0).samples == std::vector<SamplePlace>{{"train", 40}});
}

TEST_CASE("a split that was prepared differently is a warning", "[unit][doctor]") {
  PlainSplit train = split_of_scenes("train", 300, kShape, 1), test = split_of_scenes("test", 100, kShape, 1000);
  CHECK_FALSE(has_finding(report_of({train, test}), DoctorCheck::different_splits));
  for (std::uint8_t& value : test.values) value /= 2;
  CHECK_THAT(finding_in(report_of({train, test}), DoctorCheck::different_splits).summary,
             ContainsSubstring("test differs from train: the images' "));
}

TEST_CASE("splits with ranges of their own are compared in source units", "[unit][doctor]") {
  const TemporaryFolder folder;
  const std::vector<std::uint8_t> train = split_of_scenes("train", 300, kShape, 1).values;
  std::vector<std::uint8_t> test = split_of_scenes("test", 100, kShape, 1000).values;
  const auto differs = [&](double test_scale) {
    WriterOptions options;
    options.splits = {{"train", kShape, {}, Color::gray, 300}, {"test", kShape, {}, Color::gray, 100}};
    options.splits[0].quantization = {{0.5, -10.0}};
    options.splits[1].quantization = {{test_scale, -10.0}};
    options.replace_existing = true;
    Writer writer(folder / "a.h5", options);
    std::vector<std::uint8_t> values = train;  // the writer turns them into codes
    writer.write(0, 0, values, {});
    values = test;
    writer.write(1, 0, values, {});
    writer.finish("{}");
    return has_finding(examine(Dataset::open(folder / "a.h5")), DoctorCheck::different_splits);
  };
  CHECK_FALSE(differs(0.5));
  CHECK(differs(2.0));
  for (std::uint8_t& value : test) value /= 2;
  CHECK(differs(0.5));
  CHECK_FALSE(differs(1.0));
}

TEST_CASE("a split of few samples may differ by chance", "[unit][doctor]") {
  // A large difference, but of five samples.
  PlainSplit train = split_of_scenes("train", 300, kShape, 1), test = split_of_scenes("test", 5, kShape, 1000);
  for (std::uint8_t& value : test.values) value = static_cast<std::uint8_t>(std::min(255, value + 40));
  CHECK_FALSE(has_finding(report_of({train, test}), DoctorCheck::different_splits));
}

TEST_CASE("losses of quantization and unusual sizes come from the provenance", "[unit][doctor]") {
  const std::string channels =
      R"("channels": [{"largest_error": 9.0, "mean_rounding": 1.0, "clipped": 12}], "samples": 40)";
  DoctorReport report = report_with(R"({"notes": {"quantized train": {)" + channels +
                                    R"(, "levels": {"before": 4000, "after": 17}, "psnr_db": 58.9},
    "source_sizes": [{"split": "train", "outliers": 2, "first_outliers": [{"name": "a.png", "size": "9x900"}]}]}})");
  CHECK(finding_in(report, DoctorCheck::few_levels).summary ==
        "quantizing lost much of train: 4,000 different values became 17");
  const DoctorFinding sizes = finding_in(report, DoctorCheck::unusual_size);
  CHECK(sizes.count == 2);
  CHECK(sizes.examples.at(0).detail == "a.png (9x900)");
  CHECK_THAT(text_of(report), ContainsSubstring("than the others: a.png (9x900); ..."));
  report = report_with(R"({"notes": {"quantized train": {)" + channels + R"(, "psnr_db": 31.5}}})");
  CHECK(finding_in(report, DoctorCheck::few_levels).summary ==
        "quantizing lost much of train: PSNR 31.5 dB, 12 clipped values");
  report = report_with(R"({"notes": {"quantized train": {)" + channels +
                       R"(, "levels": {"before": 300, "after": 200}, "psnr_db": 58.9}}})");
  CHECK(report.findings.empty());
  report = report_with(R"({"notes": {"quantized train": {)" + channels +
                       R"(, "level_use": {"levels": 6, "effective_bits": 1.0, "better_percentile": 99.5}}}})");
  CHECK(finding_in(report, DoctorCheck::few_levels).summary ==
        "quantizing lost much of train: 6 of 256 levels used, 1.0 effective bits, error 50 % of the standard "
        "deviation; the range percentile:99.5 keeps more");
  report = report_with(R"({"notes": {"quantized train": {)" + channels +
                       R"(, "level_use": {"levels": 256, "effective_bits": 7.9}}}})");
  CHECK(report.findings.empty());
  // Untrusted: other types than expected.
  CHECK(report_with(R"({"notes": {"quantized train": {"samples": 40, "channels": 3, "levels": [1], "psnr_db": "x",
    "level_use": {"levels": 6, "effective_bits": [], "is_coarse": 7, "better_percentile": "x"}},
    "source_sizes": {"split": 1}}})")
            .findings.empty());
}

TEST_CASE("a report as JSON has every finding with its examples", "[unit][doctor]") {
  PlainSplit train = split_of_scenes("train", 60, kShape, 1);
  replace_sample(train, 20, Pixels(256, 9));
  const auto document = nlohmann::ordered_json::parse(json_of(report_of({train})));
  CHECK(document["sample_count"] == 60);
  CHECK(document["errors"] == 0);
  CHECK(document["warnings"] == 1);
  REQUIRE(document["findings"].size() == 1);
  CHECK(document["findings"][0]["check"] == "blank_image");
  CHECK(document["findings"][0]["severity"] == "warning");
  CHECK(document["findings"][0]["count"] == 1);
  CHECK(document["findings"][0]["examples"][0]["samples"][0]["row"] == 20);
  CHECK(document["findings"][0]["remedy"] == with_python_options(info_of(DoctorCheck::blank_image).remedy));
}

TEST_CASE("images that are too small to compare are a limit", "[unit][doctor]") {
  const DoctorReport report = report_of({random_split("train", 40, {3, 5, 7})});
  CHECK(report.findings.empty());
  REQUIRE(report.limits.size() == 1);
  CHECK(report.limits[0] == "near-identical images of train: the images are too small");
}

TEST_CASE("progress is reported and can cancel", "[unit][doctor]") {
  const PackedFixture file({split_of_scenes("train", 60, kShape, 1)});
  DoctorOptions options;
  std::vector<std::string> stages;
  options.on_progress = [&](const Progress& progress) {
    if (stages.empty() || stages.back() != progress.stage) stages.emplace_back(progress.stage);
    CHECK(progress.done_samples <= progress.total_samples);
  };
  examine(file.dataset(), options);
  CHECK(stages == std::vector<std::string>{"looking at train", "looking for near-identical images"});
  options.on_progress = [](const Progress&) { throw std::runtime_error("cancelled"); };
  CHECK_THROWS_WITH(examine(file.dataset(), options), "cancelled");
}
