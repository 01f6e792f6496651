// Formats the plan as readable tables.
#include <algorithm>
#include <filesystem>

#include <octavo/plan.hpp>

#include "support/text/text_units.hpp"

namespace octavo {
namespace {

std::string batch_or_none(std::int64_t batch) { return batch > 0 ? format_count(batch) : "none"; }

/// ", deflated to 4.0 MiB in the file", or nothing.
std::string stored(const Plan& plan) {
  if (plan.compression == Compression::none) return "";
  return std::string(plan.compression == Compression::deflate ? ", deflated to " : ", compressed to ") +
         format_bytes(plan.stored_bytes) + " in the file";
}

/// ", masks 1.3 MiB", or nothing.
std::string masks(const Plan& plan) { return plan.mask_bytes > 0 ? ", masks " + format_bytes(plan.mask_bytes) : ""; }

/// "photos.h5, split train, fits on cuda:0: residency device, largest batch 4,096".
std::string summary(const Plan& plan) {
  const std::string what = std::filesystem::path(plan.file).filename().string() + ", split " + plan.split + ", ";
  if (!plan.fits) return what + "does not fit on " + plan.device + ": " + plan.reason + "\n";
  return what + "fits on " + plan.device + ": residency " + to_string(plan.residency) + ", largest batch " +
         format_count(plan.largest_batch) + "\n";
}

std::string head(const Plan& plan) {
  return summary_line("file", plan.file + ", split " + plan.split) +
         summary_line("samples", format_count(plan.sample_count) + " of " + std::to_string(plan.shape.channels) + "x" +
                                     std::to_string(plan.shape.height) + "x" + std::to_string(plan.shape.width) + ": " +
                                     format_bytes(plan.packed_bytes) + stored(plan) + masks(plan)) +
         summary_line("device", plan.device + ": " + format_bytes(plan.memory_bytes) + " free, " +
                                    format_bytes(plan.reserved_bytes) + " kept in reserve") +
         summary_line("residency",
                      (plan.fits ? std::string(to_string(plan.residency)) : "none fits") + ": " + plan.reason);
}

std::string parts_table(const Plan& plan) {
  std::string text = "\ndevice memory, batch size " + format_count(plan.batch_size) + ", prefetch " +
                     std::to_string(plan.prefetch) + "\n";
  for (const PlannedPart& part : plan.parts) {
    text += formatted("  %-30s %12s\n", part.name.c_str(), format_bytes(part.bytes).c_str());
  }
  text += formatted("  %-30s %12s\n", "total", format_bytes(plan.total_bytes()).c_str());
  if (plan.host_bytes > 0)
    text += formatted("  %-30s %12s\n", "and host memory", format_bytes(plan.host_bytes).c_str());
  return text;
}

std::string form_row(const std::string& name, const PlannedForm& form) {
  return formatted("  %-13s %12s %13s %6s %15s\n", name.c_str(), format_bytes(form.sample_bytes).c_str(),
                   format_bytes(form.total_bytes).c_str(), form.fits ? "yes" : "no",
                   batch_or_none(form.largest_batch).c_str());
}

/// "class 3, cat", or "class 3".
std::string title(const PlannedClass& one) {
  return "class " + std::to_string(one.number) + (one.name.empty() ? "" : ", " + one.name);
}

/// The classes whose images shrink most and least.
std::string class_line(const PlannedRepack& repack) {
  if (repack.classes.size() < 2) return "";
  const auto [least, most] = std::ranges::minmax_element(repack.classes, {}, &PlannedClass::share);
  return formatted("  by class: to %.0f %% (%s) to %.0f %% (%s)\n", 100 * least->share, title(*least).c_str(),
                   100 * most->share, title(*most).c_str());
}

/// How good the estimate is, and how to get there.
std::string repack_lines(const Plan& plan, const PlannedRepack& repack) {
  const std::string name = to_string(repack.compression);
  const std::string samples = format_count(repack.encoded_count) + " encoded samples";
  const PlannedForm& own = plan.forms.back();
  if (repack.form.sample_bytes >= own.sample_bytes) {
    return "  " + name + " would not be smaller than " + own.name + ", by " + samples + "\n";
  }
  const double error =
      100 * static_cast<double>(repack.standard_error_bytes) / static_cast<double>(repack.form.sample_bytes);
  const double minutes = repack.repack_seconds / 60;
  return "  " + name + " by " + samples +
         formatted(": standard error %.1f %%; images shrink to %.0f %% to %.0f %%\n", error, 100 * repack.least_share,
                   100 * repack.most_share) +
         class_line(repack) + "  octavo repack FILE -o NEW --compress " + name +
         (minutes < 1 ? std::string(" takes less than a minute\n") : formatted(" takes about %.0f min\n", minutes));
}

std::string forms_table(const Plan& plan) {
  std::string text =
      formatted("\n%-14s %12s %13s %6s %15s\n", "all resident as", "samples", "total", "fits", "largest batch");
  for (const PlannedForm& form : plan.forms) text += form_row(form.name, form);
  for (const PlannedRepack& repack : plan.repacks) text += form_row(repack.form.name + " repacked", repack.form);
  for (const PlannedRepack& repack : plan.repacks) text += repack_lines(plan, repack);
  return text;
}

std::string batches(const Plan& plan) {
  std::string text = "\n";
  if (plan.fits) {
    text += summary_line("largest batch",
                         format_count(plan.largest_batch) +
                             " in this residency; largest power of two: " + batch_or_none(plan.largest_power_of_two));
  }
  text +=
      summary_line("", batch_or_none(plan.largest_streamed_batch) + " if samples are streamed from the file as needed");
  text += summary_line("rule of thumb", format_count(plan.rule_of_thumb_batch) +
                                            " = memory / 4 / (values + parameters); counts the model once per sample");
  return text + summary_line("", "and ignores activations and resident samples");
}

std::string devices_table(const Plan& plan) {
  const std::string form = plan.forms.back().name;
  std::string repacked, legend = form;
  for (const PlannedRepack& repack : plan.repacks) {
    repacked += formatted(" %8s", repack.form.name.c_str());
    legend += ", " + repack.form.name;
  }
  std::string text = formatted("\n%-18s %10s %8s %8s%s  %-10s %14s\n", "on other devices", "memory", "float32",
                               form.c_str(), repacked.c_str(), "residency", "largest batch");
  for (const PlannedDevice& device : plan.well_known) {
    const bool fits = device.largest_batch > 0;
    std::string shares;
    for (const double share : device.repacked_shares) shares += formatted(" %7.0f%%", 100 * share);
    text += formatted("  %-16s %10s %7.0f%% %7.0f%%%s  %-10s %14s\n", device.name.c_str(),
                      format_bytes(device.memory_bytes).c_str(), 100 * device.float32_share, 100 * device.packed_share,
                      shares.c_str(), fits ? to_string(device.residency) : "none",
                      batch_or_none(device.largest_batch).c_str());
  }
  return text + "  float32, " + legend + ": share of the samples that fits with the model and the batches\n";
}

/// What several such devices hold, or nothing.
std::string ranks_lines(const Plan& plan) {
  if (!plan.ranks) return "";
  const PlannedRanks& ranks = *plan.ranks;
  std::string text = "\n" + std::to_string(ranks.world_size) + " such devices, batch size " +
                     format_count(plan.batch_size) + " in all\n";
  if (!ranks.fits) return text + "  the model and a part of a batch do not fit on each of them\n";
  text += "  residency " + std::string(to_string(ranks.residency)) + ": " + format_bytes(ranks.resident_bytes) +
          " of samples on each, largest batch " + format_count(ranks.largest_batch) + "\n";
  if (ranks.residency == Residency::sharded) {
    text += "  each receives " + format_bytes(ranks.exchanged_bytes) + " of packed samples for a batch\n";
  }
  return text;
}

/// Whether all samples fit everywhere, even as float32: then the tables would say the same in every row.
bool fits_everywhere(const Plan& plan) {
  const auto holds_all = [](const PlannedDevice& device) {
    return device.largest_batch > 0 && device.residency == Residency::device && device.float32_share >= 1.0;
  };
  return plan.fits && plan.residency == Residency::device && std::ranges::all_of(plan.well_known, holds_all) &&
         std::ranges::all_of(plan.forms, &PlannedForm::fits);
}

std::string everywhere(const Plan& plan) {
  const auto least = std::ranges::min_element(plan.well_known, {}, &PlannedDevice::memory_bytes);
  const bool is_coded = stays_compressed(plan.compression);
  const std::int64_t bytes =
      is_coded ? plan.stored_bytes + plan.stored_mask_bytes : plan.packed_bytes + plan.mask_bytes;
  return format_bytes(bytes) + (is_coded ? " as " + plan.forms.back().name : "") +
         (plan.mask_bytes > 0 ? " of samples and masks, " : " of samples, ") +
         format_bytes(plan.forms.front().sample_bytes) + " as " + plan.forms.front().name +
         ": all fit on every GPU from " + format_bytes(least->memory_bytes) + "\n";
}

}  // namespace

std::string to_text(const Plan& plan, bool is_verbose) {
  if (!is_verbose && fits_everywhere(plan)) return summary(plan) + everywhere(plan) + ranks_lines(plan);
  if (!is_verbose) return summary(plan) + forms_table(plan) + devices_table(plan) + ranks_lines(plan);
  return summary(plan) + "\n" + head(plan) + parts_table(plan) + forms_table(plan) + batches(plan) +
         devices_table(plan) + ranks_lines(plan);
}

}  // namespace octavo
