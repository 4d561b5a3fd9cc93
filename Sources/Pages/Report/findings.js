/** What was found, as the inspector shows it. */

import { element, empty } from "./dom.js";
import { findingGroup, groupedFindings } from "./finding-groups.js";
import { counted } from "./format.js";

/** Shows all findings of a report. */
export function showFindings(place, { findings }) {
  place.replaceChildren(
    element("h2", {}, findings.length === 0 ? "Findings" : counted(findings.length, "finding")),
    ...(findings.length === 0 ? [empty("No rule was broken")] : groupedFindings(findings).map((group) => findingGroup(group))),
  );
}
