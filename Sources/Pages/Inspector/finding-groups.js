/** Findings by rule and client, each with its evidence as steps that lead to the rows. */

import { link } from "./address.js";
import { element, portions } from "./dom.js";
import { counted, seconds } from "./format.js";
import { state } from "./store.js";

/** How bad a finding is, the worst first. */
export const severities = ["error", "warning", "info"];

/** Findings by rule and client, the worst rule first, then that with most findings. */
export function groupedFindings(findings) {
  const groups = new Map();
  for (const finding of findings) {
    const group = groups.get(finding.rule) ?? { rule: finding.rule, severity: finding.severity, clients: new Map() };
    if (severities.indexOf(finding.severity) < severities.indexOf(group.severity)) group.severity = finding.severity;
    group.clients.set(finding.client ?? "", [...(group.clients.get(finding.client ?? "") ?? []), finding]);
    groups.set(finding.rule, group);
  }
  const size = (group) => [...group.clients.values()].flat().length;
  return [...groups.values()].sort((a, b) =>
    severities.indexOf(a.severity) - severities.indexOf(b.severity) || size(b) - size(a)
  );
}

/** A group as an element; `tools` stand at its head, and what `toolsOf` gives below each finding. */
export function findingGroup({ rule, severity, clients }, { tools = [], toolsOf = () => [] } = {}) {
  const count = [...clients.values()].flat().length;
  return element(
    "section",
    { class: `finding-group ${severity}` },
    element(
      "div",
      { class: "finding-head" },
      element("span", { class: `badge badge-${severity}` }, severity),
      element("h3", {}, rule),
      element("span", { class: "soft" }, counted(count, "time")),
      element("span", { class: "stretch" }),
      tools,
    ),
    portions([...clients], ([client, findings]) =>
      element(
        "div",
        { class: "finding-client" },
        element("p", { class: "soft" }, client ? `client ${client}` : "no client"),
        portions(findings, (finding, index) => evidence(finding, index === 0, toolsOf(finding))),
      )),
  );
}

function evidence(finding, isOpen, tools) {
  return element(
    "details",
    { class: "evidence", open: isOpen, id: `finding-${finding.name}`, data: { name: finding.name } },
    element(
      "summary",
      {},
      element("span", { class: "soft number" }, finding.name),
      " ",
      finding.message,
      finding.times > 1 && element("span", { class: "soft" }, ` ${counted(finding.times, "time")}`),
    ),
    element("ol", { class: "steps" }, finding.steps.map(step)),
    element(
      "dl",
      { class: "facts" },
      facts(finding).map(([title, value]) => [element("dt", {}, title), element("dd", {}, value)]),
    ),
    element("div", { class: "tools" }, tools),
  );
}

function step({ row, at_ns: at, text, quote }) {
  return element(
    "li",
    {},
    element("span", { class: "soft number" }, `${seconds(at)} s`),
    row
      ? element("a", { href: link({ view: "findings", row }), data: { row } }, /^\d/.test(row) ? `#${row}` : row)
      : element("span"),
    element("span", {}, text, quote && element("code", { class: "soft quote" }, quote)),
  );
}

/** What a finding says beyond its message, and where that comes from. */
function facts({ expected, harm, cause, source, who }) {
  return [["expected", expected], ["harm", harm], ["likely cause", cause], ["source", source], ["at fault", who]]
    .filter(([, value]) => value);
}

/** Marks the steps that lead to the row that is shown. */
export function markSteps(place) {
  for (const each of place.querySelectorAll("a[data-row]")) {
    if (each.dataset.row === state.row) each.setAttribute("aria-current", "true");
    else each.removeAttribute("aria-current");
  }
  const details = place.querySelector("a[aria-current]")?.closest("details");
  if (details && !details.open) details.open = true;
}
