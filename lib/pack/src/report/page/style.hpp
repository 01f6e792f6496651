// The style sheet of the report page: light and dark, readable without scripts and fonts from elsewhere.
#pragma once

#include <string_view>

namespace octavo::report::page {

inline constexpr std::string_view kStyle = R"css(
:root {
  color-scheme: light dark;
  --page: #f5f6f8; --card: #ffffff; --text: #1b2330; --muted: #566072; --line: #dfe3ea;
  --accent: #2563c9; --plain: #9aa5b5; --good: #1a7f4b; --warn: #a3500b; --warn-card: #fff4e5; --track: #edf0f4;
  --s0: #2563c9; --s1: #c2571a; --s2: #1a7f4b; --s3: #7a46b8;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #12151a; --card: #1b2027; --text: #e7ebf1; --muted: #a2acba; --line: #313945;
    --accent: #6ea3f7; --plain: #6b7788; --good: #5fce93; --warn: #f2b263; --warn-card: #33291a; --track: #262d37;
    --s0: #6ea3f7; --s1: #f0995f; --s2: #5fce93; --s3: #bb96ee;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 1040px; margin: 0 auto; padding: 24px 16px 48px; }
h1 { font-size: 26px; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 19px; margin: 0 0 4px; }
h3 { font-size: 15px; margin: 20px 0 6px; }
p { margin: 0 0 10px; }
.lead, .axis, .legend, footer, figcaption { color: var(--muted); }
section { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 20px; margin-top: 16px; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 12px; margin: 16px 0 0; }
.tiles div { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 12px 16px; }
.tiles dt { color: var(--muted); font-size: 13px; }
.tiles dd { margin: 0; font-size: 20px; font-weight: 600; }
.tiles small { display: block; font-size: 13px; font-weight: 400; color: var(--muted); }
.good { color: var(--good); }
.warn { color: var(--warn); }
ul.findings { list-style: none; margin: 0; padding: 0; }
.findings li { border-left: 4px solid var(--line); padding: 6px 12px; margin-bottom: 10px; overflow-wrap: anywhere; }
.findings li.is-error, .findings li.is-warning { border-color: var(--warn); background: var(--warn-card); }
.findings li.is-good { border-color: var(--good); }
.bars { display: grid; grid-template-columns: minmax(90px, max-content) 1fr; gap: 8px 14px; margin: 0; }
.bars dt { text-align: right; }
.bars dd { margin: 0; }
.bars .bar { display: block; height: 10px; border-radius: 5px; background: var(--plain); }
.bars .bar.ours { background: var(--accent); }
.bars .value { font-variant-numeric: tabular-nums; font-size: 13px; color: var(--muted); }
.split-bars { min-width: 150px; }
.split-bars div { display: flex; align-items: center; gap: 8px; }
.split-bars .bar { display: block; height: 8px; border-radius: 4px; max-width: calc(100% - 60px); }
.split-bars .value { font-variant-numeric: tabular-nums; font-size: 13px; }
.s0 { background: var(--s0); } .s1 { background: var(--s1); } .s2 { background: var(--s2); } .s3 { background: var(--s3); }
.legend i { display: inline-block; width: 10px; height: 10px; border-radius: 2px; margin-right: 5px; }
.legend span { margin-right: 14px; }
.columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(260px, 100%), 1fr)); gap: 8px 28px; }
.histogram { width: 100%; height: 110px; border-bottom: 1px solid var(--line); }
.histogram rect { fill: var(--accent); }
.axis { display: flex; justify-content: space-between; font-size: 13px; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { padding: 6px 10px; border-bottom: 1px solid var(--line); text-align: right; font-variant-numeric: tabular-nums; }
td { white-space: nowrap; }
th { font-weight: 600; }
th:first-child { text-align: left; }
.classes th, .classes td { text-align: left; vertical-align: middle; }
.classes tbody th { min-width: 90px; max-width: 200px; overflow-wrap: break-word; }
.classes td:last-child { width: 40%; }
@media (max-width: 700px) {
  .classes thead { display: none; }
  .classes, .classes tbody, .classes tr { display: block; }
  .classes tr { padding: 6px 0; border-bottom: 1px solid var(--line); }
  .classes tbody th { overflow-wrap: anywhere; }
  .classes tbody th, .classes td, .classes td:last-child { display: block; width: auto; max-width: none; padding: 3px 0; border: 0; }
}
img { image-rendering: pixelated; vertical-align: middle; max-width: 100%; height: auto; }
figure { display: inline-block; margin: 0 12px 12px 0; max-width: 100%; }
figcaption { font-size: 13px; overflow-wrap: anywhere; }
footer { font-size: 13px; margin-top: 20px; overflow-wrap: anywhere; }
@media print { body { background: none; } section, .tiles div { break-inside: avoid; } }
)css";

}  // namespace octavo::report::page
