/** A report of the trace as one file, which needs neither this program nor a network. */

import { ofTrace } from "./api.js";
import { element, labelled } from "./dom.js";
import { currentTrace, state, watch } from "./store.js";

export class ShareView {
  constructor(place) {
    this.place = place;
    place.classList.add("page");
    watch(["trace"], () => {
      if (state.view === "share") this.show();
    });
  }

  show() {
    const filter = element("input", {
      type: "text",
      class: "code wide",
      value: state.filter,
      placeholder: "everything",
      spellcheck: "false",
      on: { input: () => update() },
    });
    const secrets = element("input", { type: "checkbox", on: { change: () => update() } });
    const download = element("a", { class: "button primary-link", download: "" }, "Download report.html");
    const command = element("pre");
    const warning = element("p", { class: "warning", role: "status" });
    const update = () => {
      download.href = ofTrace("report", { filter: filter.value.trim(), secrets: secrets.checked ? "1" : "0" });
      const quoted = filter.value.trim() ? ` '${filter.value.trim().replaceAll("'", "'\\''")}'` : "";
      command.textContent = `tapedeck export ${currentTrace()?.name ?? "app.tape"} report.html${quoted}${
        secrets.checked ? " --secrets" : ""
      }`;
      warning.textContent = secrets.checked
        ? "▲ The file will have tokens, passwords and names as they were sent. Give it only to those who may know them."
        : "";
    };
    this.place.replaceChildren(
      element("h2", {}, "Share a report"),
      element(
        "p",
        {},
        "One file with the list, the details, the timeline, the findings and the state at the end. It opens in any " +
          "browser, loads nothing and sends nothing. What exceeds its bound is left out, and the report says so.",
      ),
      element(
        "div",
        { class: "card form" },
        labelled("Rows that pass this filter", filter, { class: "stacked" }),
        element(
          "label",
          { class: "check" },
          secrets,
          "With secrets: tokens, passwords, names (default: they are replaced)",
        ),
        warning,
        element("div", {}, download),
      ),
      element("h3", {}, "In a terminal"),
      command,
    );
    update();
  }
}
