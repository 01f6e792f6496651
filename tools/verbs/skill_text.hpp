// The text of tools/skill/SKILL.md.
#pragma once

#include <string_view>

namespace octavo::tools {

/// Markdown with a YAML header that names and describes it. The build copies it into the program.
extern const std::string_view kSkillText;

}  // namespace octavo::tools
