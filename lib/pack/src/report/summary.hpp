// Sentences of the report, which its text and its page share.
#pragma once

#include <string>

#include <octavo/report.hpp>

namespace octavo::report {

/// The report in one sentence.
std::string summary(const MemoryReport& report);

/// "lossless: verified against the source, read again".
std::string certificate_text(const QuantizationCertificate& certificate);

/// "largest error 0.5, PSNR 58.9 dB", or why nothing is known. For a certificate that is not lossless.
std::string summary_of_loss(const QuantizationCertificate& certificate);

}  // namespace octavo::report
