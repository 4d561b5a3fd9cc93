/** How a client is pointed at the proxy and comes to trust it, and which have reached it. */

import { link } from "./address.js";
import { get, ofTrace } from "./api.js";
import { narrow } from "./filter-bar.js";
import { button, copy, element, empty, loading, problem, table } from "./dom.js";
import { counted, grouped, seconds } from "./format.js";
import { qrCode } from "./qr-code.js";
import { currentTrace, kept, state, watch } from "./store.js";

const titles = {
  android: "Android",
  ios: "iPhone and iPad",
  java: "Java",
  curl: "curl",
  python: "Python",
  node: "Node.js",
  go: "Go",
  firefox: "Firefox",
  chrome: "Chrome",
};
const modes = {
  forward: "as a proxy",
  reverse: "in place of the server",
  transparent: "behind a redirection of the system",
};

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
        this.build(await get("/v1/setup"));
      } catch (error) {
        this.place.replaceChildren(problem(error, () => this.show()));
        return;
      }
    }
    this.check();
  }

  build({ guides, recording }) {
    this.isBuilt = true;
    this.recording = recording;
    this.shownAddresses = null;
    this.addresses = element("div");
    this.clients = element("div", { "aria-live": "polite" });
    this.place.replaceChildren(
      element("h2", {}, "Set up a client"),
      this.addresses,
      element("h3", {}, "Clients that have reached it"),
      this.clients,
      ...(recording ? [authority(recording)] : []),
      element("h3", {}, "Pointing a client at it, and trusting its certificates"),
      ...guides.map((guide) => this.guide(guide)),
    );
  }

  /** Where the proxy listens: what the recording says, and where clients have reached it. */
  showAddresses(reached) {
    const own = this.recording?.listeners ?? [];
    const known = [...own, ...reached.filter(({ address }) => own.every((each) => each.address !== address))];
    const key = JSON.stringify(known);
    if (key === this.shownAddresses) return;
    this.shownAddresses = key;
    this.addresses.replaceChildren(
      ...(known.length === 0
        ? [empty(
          "No client has reached a proxy in this trace",
          "A recording prints the address that clients are pointed at, as “listening on”:",
          element("pre", {}, `tapedeck record ${currentTrace()?.name ?? "app.tape"}`),
        )]
        : known.map(address)),
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

  /** Looks which clients have come, and how that went. */
  async check() {
    try {
      const { clients, clients_left_out: leftOut, listeners } = await get(ofTrace("clients"));
      this.showAddresses(listeners);
      this.clients.replaceChildren(
        clients.length === 0
          ? element(
            "p",
            { class: "soft" },
            "None yet. A client that reaches the proxy appears here, and what keeps it from being recorded.",
          )
          : clientTable(clients),
        leftOut > 0 ? element("p", { class: "soft" }, `and ${counted(leftOut, "earlier client")}`) : "",
      );
    } catch (error) {
      this.clients.replaceChildren(problem(error, () => this.check()));
    }
  }
}

/** A place where the recording of this page listens, for a purpose, or where clients have reached one, in a mode. */
function address({ address: place, mode, purpose }) {
  // Which no phone reaches.
  const isLoopback = /^(127\.|localhost|\[::1\])/.test(place);
  return element(
    "div",
    { class: "card tools" },
    !isLoopback && qrCode(`http://${place}`, `QR code of http://${place}`),
    element(
      "div",
      {},
      element(
        "p",
        {},
        `${purpose || currentTrace().is_live ? "Listens" : "Listened"} ${purpose ?? modes[mode] ?? ""} on`,
      ),
      element(
        "div",
        { class: "tools" },
        element("code", { class: "large" }, place),
        button("Copy", () => copy(place, "the address")),
      ),
      isLoopback && element(
        "p",
        { class: "soft" },
        "Devices in the network need an address of this machine: tapedeck record --listen 0.0.0.0:8080 prints them.",
      ),
    ),
  );
}

function authority({ authority: { name, sha256 } }) {
  return element(
    "p",
    {},
    `Clients have to trust “${name}”, whose certificate has this SHA-256: `,
    element("code", {}, sha256),
  );
}

function clientTable(clients) {
  return table(
    ["Client", "Program", "Connections", "TLS", "Last at", ""],
    clients.map((client) => [
      element("code", {}, client.client),
      client.agent ?? "–",
      element("span", { class: "number" }, grouped(client.connections)),
      verdict(client),
      `${seconds(client.last_ns)} s`,
      button("Rows", () => narrow(`connection:${client.last_connection_id}`), {
        title: "The rows of its last connection",
        "aria-label": `Rows of the last connection of ${client.client}`,
      }),
    ]),
    { "aria-label": "Clients", class: "clients" },
  );
}

/** What was agreed on: server name, version, cipher and protocol; text of captures as it is. */
function particulars(detail) {
  try {
    const { server_name: server, version, cipher, alpn } = JSON.parse(detail);
    return [server, version, cipher, alpn].filter(Boolean).join(", ");
  } catch {
    return detail;
  }
}

/** Whether a client trusts the authority, as its last connection with TLS shows; and whether its server was reached. */
function verdict({ last_tls: last, tls_failed: failed, passthrough, last_refused: refused, refused: times }) {
  const where = ({ connection_id: connection, at_ns: at }) => [
    " ",
    element("a", { href: link({ view: "list", row: `k${connection}` }) }, `k${connection}`),
    element("span", { class: "soft" }, ` at ${seconds(at)} s`),
  ];
  const said = [];
  if (last?.kind === "tls") {
    said.push(
      element("strong", { class: "good" }, "✓ trusts us"),
      element("div", { class: "soft" }, particulars(last.detail), where(last)),
      failed > 0 && element("div", { class: "soft" }, `TLS with it also failed ${counted(failed, "time")}.`),
    );
  } else if (last) {
    said.push(
      element("strong", { class: "error" }, `✗ TLS failed ${counted(failed, "time")}`),
      element("div", {}, last.detail, where(last)),
    );
  } else if (passthrough > 0) said.push(element("strong", {}, "passed through, not read"));
  else said.push(element("span", { class: "soft" }, "none yet: plain HTTP only"));
  if (refused) {
    said.push(
      element(
        "div",
        { class: "warning" },
        `▲ Its server was not reached ${counted(times, "time")}: ${refused.detail}`,
        where(refused),
      ),
    );
  }
  return element("div", {}, said);
}
