/** What was found: by rule and client, the worst first, each with its evidence as steps that lead to the rows. */

import { get, ofTrace, put } from "./api.js";
import { go } from "./address.js";
import { entries, joined, knows, withFinding, withoutFinding } from "./baseline.js";
import { button, element, empty, loading, notice, problem, saved } from "./dom.js";
import { narrow } from "./filter-bar.js";
import { findingGroup, groupedFindings, markSteps, severities } from "./finding-groups.js";
import { counted } from "./format.js";
import { currentTrace, set, state, watch } from "./store.js";

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
      const [found, baseline] = await Promise.all([get(ofTrace("findings")), get(ofTrace("baseline"))]);
      if (trace !== state.trace) return;
      Object.assign(this, { found, baseline });
      this.judge();
    } catch (error) {
      this.place.replaceChildren(problem(error, () => this.load()));
    }
  }

  /** Sets the known findings apart, and shows all. */
  judge() {
    const known = entries(this.baseline.text);
    const findings = this.found.findings.map((finding) => ({ ...finding, is_known: knows(known, finding) }));
    set({ findings });
    this.draw(findings, this.found.undecided);
  }

  /** Has other findings be known: in the file where that may be written, else in this page alone. */
  async ignore(text, what) {
    try {
      if (this.baseline.can_write) this.baseline = await put(ofTrace("baseline"), { text });
      else this.baseline = { ...this.baseline, text };
      notice(this.baseline.can_write ? `${what} in ${this.baseline.path}` : `${what} in this page; download it to keep it`);
      this.judge();
    } catch (error) {
      this.place.prepend(problem(error));
    }
  }

  draw(findings, undecided) {
    const open = findings.filter((each) => !each.is_known);
    const known = findings.filter((each) => each.is_known);
    const counts = severities.map((
      severity,
    ) => [severity, open.filter((each) => each.severity === severity).length]).filter(([, count]) => count > 0);
    const head = element(
      "div",
      { class: "tools" },
      element("h2", {}, open.length === 0 ? "Findings" : counted(open.length, "finding")),
      counts.map(([severity, count]) => element("span", { class: `badge badge-${severity}` }, `${count} ${severity}`)),
      element("span", { class: "stretch" }),
      currentTrace()?.is_live && again(() => this.load()),
      this.baselineMenu(open),
    );
    const nothing = empty(
      findings.length === 0 ? "No rule was broken" : "Nothing but what is known",
      findings.length === 0
        ? "Nothing in this trace breaks a rule that Tapedeck knows."
        : "Each of the findings is in the baseline.",
      undecided?.length > 0
        ? `${counted(undecided.length, "duty", "duties")} could not be decided, since the recording ended.`
        : null,
    );
    const ignored = known.length > 0 && element(
      "details",
      { class: "known" },
      element("summary", {}, `${counted(known.length, "finding")} known from the baseline`),
      groupedFindings(known).map((group) => this.group(group)),
    );
    const groups = open.length === 0 ? [nothing] : groupedFindings(open).map((group) => this.group(group));
    this.place.replaceChildren(...[head, ...groups, ignored].filter(Boolean));
    this.mark();
  }

  /** What can be done with the baseline: know all that is found, keep it, load another. */
  baselineMenu(open) {
    const { text, path, can_write: canWrite } = this.baseline;
    const count = entries(text).size;
    const file = element("input", {
      type: "file",
      class: "hidden-text",
      "aria-label": "Baseline to load",
      on: {
        change: async () => {
          const [chosen] = file.files;
          if (chosen) await this.ignore(joined(text, await chosen.text()), `Loaded ${chosen.name}`);
        },
      },
    });
    return element(
      "details",
      { class: "menu" },
      element("summary", {}, `Baseline${count > 0 ? ` (${count})` : ""}`),
      element(
        "div",
        { class: "menu-body" },
        element(
          "p",
          { class: "soft" },
          count === 0 ? "No finding is known." : `${counted(count, "line")}, as diagnose --baseline takes them.`,
          canWrite ? ` Kept in ${path}.` : " Kept in this page alone: download it.",
        ),
        button("Ignore all that was found", () =>
          this.ignore(open.reduce((all, finding) => withFinding(all, finding), text), "Ignored all"), {
          disabled: open.length === 0,
        }),
        button("Download", () => saved(text, "findings.baseline"), { disabled: count === 0 }),
        button("Load from a file…", () => file.click()),
        button("Report all again", () => this.ignore("", "Emptied"), { disabled: count === 0 }),
        file,
      ),
    );
  }

  /** What is found of a rule, with what can be done about it. */
  group(group) {
    const { rule } = group;
    const isKnown = [...group.clients.values()].flat()[0].is_known;
    const text = () => this.baseline.text;
    return findingGroup(group, {
      tools: [
        button("Show rows", () => narrow(`finding:${rule}`), { title: `Filter the list by finding:${rule}` }),
        !isKnown && button(
          "Ignore rule",
          () => this.ignore(withFinding(text(), { rule }, { isWholeRule: true }), `Ignored ${rule}`),
          { title: "Know all findings of this rule, now and later" },
        ),
      ],
      toolsOf: (finding) => [
        button(
          "At this time in the state",
          () => go({ view: "state", at: finding.steps.findLast((step) => step.row)?.row ?? null }),
          { class: "small" },
        ),
        finding.fingerprint && (finding.is_known
          ? button("Report again", () => this.ignore(withoutFinding(text(), finding), `Removed ${finding.name}`), {
            class: "small",
            title: "Take it out of the baseline",
          })
          : button("Ignore", () => this.ignore(withFinding(text(), finding), `Ignored ${finding.name}`), {
            class: "small",
            title: "Know this finding, and those that are like it of other clients and times",
          })),
      ],
    });
  }

  mark() {
    markSteps(this.place);
  }
}

const again = (action) => button("Diagnose again", action);
