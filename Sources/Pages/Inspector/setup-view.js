/** How a client is pointed at the proxy and comes to trust it, and which have reached it. */

import { link } from "./address.js";
import { get, ofTrace } from "./api.js";
import { button, copy, element, empty, loading, problem, table } from "./dom.js";
import { counted, seconds } from "./format.js";
import { qrCode } from "./qr-code.js";
import { currentTrace, kept, state, watch } from "./store.js";

const titles = {
  android: "Android",
  ios: "iPhone and iPad",
  java: "Java",
  curl: "curl",
  python: "Python",
  node: "Node.js",
  firefox: "Firefox",
};
const failures = { "tls-failed": "TLS failed", refused: "refused" };

export class SetupView {
  constructor(place) {
    this.place = place;
    place.classList.add("page");
    watch(["trace"], () => {
      this.isBuilt = false;
      if (state.view === "setup") this.show();
    });
    // Clients come while one sets them up.
    watch(["traces"], () => {
      if (state.view === "setup" && this.isBuilt) this.check();
    });
  }

  async show() {
    if (!this.isBuilt) {
      this.place.replaceChildren(loading("Asking…"));
      try {
        this.build(await get("/v1/setup"), await listener());
      } catch (error) {
        this.place.replaceChildren(problem(error, () => this.show()));
        return;
      }
    }
    this.check();
  }

  build({ guides }, address) {
    this.isBuilt = true;
    this.clients = element("div", { "aria-live": "polite" });
    this.place.replaceChildren(
      element("h2", {}, "Set up a client"),
      this.address(address),
      element("h3", {}, "Clients that have reached it"),
      this.clients,
      element("h3", {}, "Pointing a client at it, and trusting its certificates"),
      ...guides.map((guide) => this.guide(guide)),
    );
  }

  address(address) {
    if (!address) {
      return empty(
        "No client has reached a proxy in this trace",
        "A recording prints the address that clients are pointed at, as “listening on”:",
        element("pre", {}, `tapedeck record ${currentTrace()?.name ?? "app.tape"}`),
      );
    }
    return element(
      "div",
      { class: "card tools" },
      qrCode(`http://${address}`, `QR code of http://${address}`),
      element(
        "div",
        {},
        element("p", {}, currentTrace().is_live ? "The proxy listens on" : "The proxy listened on"),
        element(
          "div",
          { class: "tools" },
          element("code", { class: "large" }, address),
          button("Copy", () => copy(address, "the address")),
        ),
        element(
          "p",
          { class: "soft" },
          "Devices in the network need an address of this machine: tapedeck record --listen 0.0.0.0:8080 prints them.",
        ),
      ),
    );
  }

  guide({ name, text }) {
    const details = element(
      "details",
      { class: "guide", open: kept.get("guide", null) === name },
      element("summary", {}, titles[name] ?? name),
      element("div", { class: "copied" }, element("pre", {}, text), button("Copy", () => copy(text, "the steps"))),
    );
    details.addEventListener("toggle", () => {
      if (details.open) kept.set("guide", name);
    });
    return details;
  }

  /** Looks which clients have come, and which of them could not speak with the proxy. */
  async check() {
    try {
      const { lanes, marks } = await get(ofTrace("timeline", { by: "client", width: 1 }));
      const failed = marks.filter(({ kind }) => kind in failures);
      this.clients.replaceChildren(
        lanes.length + failed.length === 0
          ? element(
            "p",
            { class: "soft" },
            "None yet. A client that reaches the proxy appears here, and what kept it from being recorded.",
          )
          : element("div", {}, lanes.length > 0 && clientTable(lanes), failed.length > 0 && failureTable(failed)),
      );
    } catch (error) {
      this.clients.replaceChildren(problem(error, () => this.check()));
    }
  }
}

/** Where the first client of the trace reached the proxy. */
async function listener() {
  const { values } = await get(ofTrace("values", { field: "connection", limit: 1 }));
  if (values.length === 0) return null;
  const { detail } = await get(ofTrace(`rows/k${values[0].value}`));
  return detail.listener ?? null;
}

function clientTable(lanes) {
  const counts = lanes.map(({ label, spans }) => ({
    label,
    count: spans.reduce((sum, span) => sum + (Array.isArray(span) ? 1 : span.count), 0),
    last: spans.reduce((last, span) => Math.max(last, Array.isArray(span) ? span[0] : span.to_ns), 0),
  }));
  return table(
    ["Client", "Recorded", "Last at"],
    counts.map(({ label, count, last }) => [
      element("code", {}, label),
      element("span", { class: "good" }, `✓ ${counted(count, "row")}`),
      `${seconds(last)} s`,
    ]),
    { "aria-label": "Clients" },
  );
}

function failureTable(marks) {
  return element(
    "div",
    {},
    element("h3", {}, "Connections that failed"),
    table(
      ["Connection", "What", "Why", "At"],
      marks.map(({ connection_id: connection, kind, text, at_ns: at }) => [
        connection == null
          ? ""
          : element("a", { href: link({ view: "list", row: `k${connection}` }) }, `k${connection}`),
        element("span", { class: "error" }, `✗ ${failures[kind]}`),
        text ?? "",
        `${seconds(at)} s`,
      ]),
      { "aria-label": "Connections that failed" },
    ),
  );
}
