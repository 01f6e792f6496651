// Sentences of the report. Its text and its HTML page share them.
#pragma once

#include <string>

#include <octavo/report.hpp>
#include <octavo/source_notes.hpp>

namespace octavo::report {

/// The report in one sentence.
std::string summary(const MemoryReport& report);

/// "lossless: verified against the source, read again".
std::string certificate_text(const QuantizationCertificate& certificate);

/// "6 of 256 levels used, 0.4 effective bits, error 76 % of the standard deviation; the range percentile:99.9 keeps
/// more". `samples` is counted_samples_text() or nothing.
std::string level_use_text(const LevelUse& use, const std::string& samples = "");

/// ", in 300 of its samples" if these were quantized, ", in the 1,000 samples that it was chosen from" if those were;
/// empty if all `sample_count` samples of the split were.
std::string counted_samples_text(const QuantizationNotes& loss, std::int64_t sample_count);

/// "too small to measure memory well: ...", or nothing.
std::string remark_on_measuring(const MemoryReport& report);

/// "largest error 0.5, PSNR 58.9 dB", or why nothing is known. For a certificate that is not lossless.
std::string summary_of_loss(const QuantizationCertificate& certificate);

}  // namespace octavo::report
