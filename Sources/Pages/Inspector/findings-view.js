/** What was found: by rule and client, the worst first, each with its evidence as steps that lead to the rows. */

import { get, ofTrace } from "./api.js";
import { go, link } from "./address.js";
import { button, element, empty, loading, portions, problem } from "./dom.js";
import { narrow } from "./filter-bar.js";
import { counted, seconds } from "./format.js";
import { currentTrace, set, state, watch } from "./store.js";

const severities = ["error", "warning", "info"];

export class FindingsView {
  constructor(place) {
    this.place = place;
    place.classList.add("page");
    watch(["trace"], () => this.load());
    watch(["row"], () => this.mark());
    this.load();
  }

  async load() {
    const { exchanges, commands } = currentTrace();
    if (exchanges + commands === 0) {
      this.place.replaceChildren(
        element("h2", {}, "Findings"),
        empty("There is nothing to diagnose yet", again(() => this.load())),
      );
      return;
    }
    this.place.replaceChildren(loading("Diagnosing…"));
    const { trace } = state;
    try {
      const found = await get(ofTrace("findings"));
      if (trace !== state.trace) return;
      set({ findings: found.findings });
      this.draw(found);
    } catch (error) {
      this.place.replaceChildren(problem(error, () => this.load()));
    }
  }

  draw({ findings, undecided }) {
    const counts = severities.map((
      severity,
    ) => [severity, findings.filter((each) => each.severity === severity).length]).filter(([, count]) => count > 0);
    const head = element(
      "div",
      { class: "tools" },
      element("h2", {}, findings.length === 0 ? "Findings" : counted(findings.length, "finding")),
      counts.map(([severity, count]) => element("span", { class: `badge badge-${severity}` }, `${count} ${severity}`)),
      element("span", { class: "stretch" }),
      currentTrace()?.is_live && again(() => this.load()),
    );
    const groups = grouped(findings);
    const nothing = empty(
      "No rule was broken",
      "Nothing in this trace breaks a rule that Tapedeck knows.",
      undecided?.length > 0
        ? `${counted(undecided.length, "duty", "duties")} could not be decided, since the recording ended.`
        : null,
    );
    this.place.replaceChildren(head, ...(findings.length === 0 ? [nothing] : groups.map((group) => this.group(group))));
    this.mark();
  }

  group({ rule, severity, clients }) {
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
        button("Show rows", () => narrow(`finding:${rule}`), { title: `Filter the list by finding:${rule}` }),
      ),
      portions([...clients], ([client, findings]) =>
        element(
          "div",
          { class: "finding-client" },
          element("p", { class: "soft" }, client ? `client ${client}` : "no client"),
          portions(findings, (finding, index) => this.finding(finding, index === 0)),
        )),
    );
  }

  finding(finding, isOpen) {
    return element(
      "details",
      { class: "evidence", open: isOpen, data: { name: finding.name } },
      element(
        "summary",
        {},
        element("span", { class: "soft number" }, finding.name),
        " ",
        finding.message,
        finding.times > 1 && element("span", { class: "soft" }, ` ${counted(finding.times, "time")}`),
      ),
      element(
        "ol",
        { class: "steps" },
        finding.steps.map((step) =>
          element(
            "li",
            {},
            element("span", { class: "soft number" }, `${seconds(step.at_ns)} s`),
            step.row
              ? element(
                "a",
                { href: link({ view: "findings", row: step.row }), data: { row: step.row } },
                /^\d/.test(step.row) ? `#${step.row}` : step.row,
              )
              : element("span"),
            element("span", {}, step.text, step.quote && element("code", { class: "soft quote" }, step.quote)),
          )
        ),
      ),
      element(
        "dl",
        { class: "facts" },
        facts(finding).map(([title, value]) => [element("dt", {}, title), element("dd", {}, value)]),
      ),
      button(
        "At this time in the state",
        () => go({ view: "state", at: finding.steps.findLast((step) => step.row)?.row ?? null }),
        { class: "small" },
      ),
    );
  }

  /** Marks the steps that lead to the row that is shown. */
  mark() {
    for (const step of this.place.querySelectorAll("a[data-row]")) {
      if (step.dataset.row === state.row) step.setAttribute("aria-current", "true");
      else step.removeAttribute("aria-current");
    }
    const current = this.place.querySelector("a[aria-current]");
    const details = current?.closest("details");
    if (details && !details.open) details.open = true;
  }
}

const again = (action) => button("Diagnose again", action);

/** What a finding says beyond its message, and where that comes from. */
function facts({ expected, harm, cause, source, who }) {
  return [["expected", expected], ["harm", harm], ["likely cause", cause], ["source", source], ["at fault", who]]
    .filter(([, value]) => value);
}

/** Findings by rule and client, the worst rule first, then that with most findings. */
function grouped(findings) {
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
