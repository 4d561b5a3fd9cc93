/** Tables of what each side holds: objects of buckets, and cases of users. */

import { link } from "./address.js";
import { historyButton } from "./change-view.js";
import { element, portions } from "./dom.js";
import { counted } from "./format.js";

const DIFFERS = element("span", { class: "badge badge-warning" }, "differs");

/** A table for each bucket: a row for each object, a column for each side. Histories are shown in `place`. */
export function bucketTables({ lines, differences }, place) {
  return lines.filter(({ kind }) => kind === "bucket").map((bucket) => {
    const isHere = (line) => line.app === bucket.app && line.user === bucket.user && line.bucket === bucket.bucket;
    const own = lines.filter(isHere);
    const clients = own.filter(({ kind }) => kind === "client").map(({ client }) => client);
    const objects = keyed(own.filter(({ kind }) => kind === "object"));
    const changes = keyed(own.filter(({ kind }) => kind === "unacknowledged"));
    const disagreeing = keyed(differences.filter((line) => line.kind === "object-disagreement" && isHere(line)));
    const keys = [...new Set(own.filter(({ kind }) => kind === "object").map(({ key }) => key))].sort();
    const row = (key) => {
      const server = objects.get(name(null, key))?.[0];
      const cells = clients.map((client) => {
        const differs = disagreeing.has(name(client, key));
        const theirs = objects.get(name(client, key))?.[0];
        return element(
          "td",
          { class: differs ? "differs" : "" },
          version(theirs),
          differs && DIFFERS.cloneNode(true),
          (changes.get(name(client, key)) ?? []).map(unacknowledged),
          differs && theirs?.data != null && element("div", { class: "value" }, JSON.stringify(theirs.data)),
        );
      });
      const query = { bucket: bucket.bucket, key };
      return element(
        "tr",
        {},
        element("th", { scope: "row" }, historyButton(key, query, place)),
        element("td", {}, version(server)),
        cells,
        element("td", { class: "value" }, server?.data == null ? "–" : JSON.stringify(server.data)),
      );
    };
    const sides = [bucket, ...own.filter(({ kind }) => kind === "client")];
    const facts = element("tr", { class: "facts" }, element("th"), sides.map(sideFacts), element("td"));
    const whose = [bucket.app && `application ${bucket.app}`, bucket.user && `user ${bucket.user}`];
    return element(
      "section",
      {},
      element("h2", {}, `Bucket ${bucket.bucket}`),
      element("p", { class: "soft" }, whose.filter(Boolean).join(", ")),
      grid(
        ["Key", "Server", ...clients, "Data on the server"],
        [facts, ...portions(keys, row, inRow)],
        `Bucket ${bucket.bucket}`,
      ),
    );
  });
}

/** Lines by client and key. */
function keyed(lines) {
  const found = new Map();
  for (const line of lines) {
    const of = name(line.client ?? null, line.key);
    found.set(of, [...(found.get(of) ?? []), line]);
  }
  return found;
}

const name = (client, key) => JSON.stringify([client, key]);

/** A button for further rows, as a row. */
const inRow = (more) => element("tr", {}, element("td", { colspan: 9 }, more));

function sideFacts(side) {
  return element(
    "td",
    {},
    element("div", { class: "soft" }, `cv ${side.cv ?? "unknown"}`),
    element("div", { class: "soft" }, counted(side.objects, "object"), side.is_complete ? "" : " known"),
    side.unacknowledged > 0 && element("div", { class: "warning" }, `${side.unacknowledged} not acknowledged`),
    side.kind === "client" &&
      (side.is_connected
        ? element("div", { class: "good" }, "connected")
        : element("div", { class: "soft" }, "not connected")),
  );
}

function version(object) {
  if (!object) return "–";
  const { command_id: command } = object;
  return [
    `v${object.version ?? "?"} `,
    command != null && element("a", { href: link({ row: `c${command}` }), class: "soft" }, `c${command}`),
  ];
}

function unacknowledged({ o: operation, outcome, command_id: command }) {
  return element(
    "div",
    { class: "warning" },
    `${operation === "-" ? "removal" : "change"} ${outcome} `,
    command != null && element("a", { href: link({ row: `c${command}` }) }, `c${command}`),
  );
}

/** A table for each user and device: a row for each case. Histories are shown in `place`. */
export function userTables({ lines, differences }, place) {
  return lines.filter(({ kind }) => kind === "user").map((user) => {
    const isHere = (line) => line.domain === user.domain && line.user === user.user && line.device === user.device;
    const cases = { server: new Map(), client: new Map() };
    for (const line of lines) {
      if (line.kind === "case" && isHere(line)) cases[line.side].set(line.case.case_id, line.case);
    }
    const disagreeing = new Set(differences.filter(isHere).map((line) => line.case_id).filter(Boolean));
    const ids = [...new Set([...cases.server.keys(), ...cases.client.keys()])].sort();
    const row = (id) => {
      const [server, device] = [cases.server.get(id), cases.client.get(id)];
      const differs = disagreeing.has(id);
      const known = server ?? device;
      const properties = Object.entries(known.properties ?? {}).map(([key, value]) => `${key}=${value}`);
      return element(
        "tr",
        {},
        element("th", { scope: "row" }, historyButton(id, { case: id }, place)),
        element("td", {}, [known.case_type, known.case_name].filter(Boolean).join(" ")),
        element("td", {}, caseState(server)),
        element("td", { class: differs ? "differs" : "" }, caseState(device), differs && DIFFERS.cloneNode(true)),
        element("td", { class: "value" }, properties.join(" ")),
      );
    };
    return element(
      "section",
      {},
      element("h2", {}, `${user.user} on ${user.device ?? "an unknown device"}`),
      element("p", { class: "soft" }, `CommCare ${user.domain}`),
      syncTable(user),
      lines.filter((line) => line.kind === "form" && isHere(line)).map(unansweredForm),
      grid(["Case", "Type and name", "Server", "Device", "Properties"], portions(ids, row, inRow), "Cases"),
    );
  });
}

function syncTable(user) {
  const facts = [
    ["sync token", user.server_sync_token, user.client_sync_token],
    ["cases", user.server_cases, user.client_cases],
    ["state", user.server_state, user.client_state],
    ["state sent", null, user.sent_state],
  ];
  const rows = facts.map(([title, server, device]) => {
    const differs = server != null && device != null && server !== device;
    return element(
      "tr",
      {},
      element("th", { scope: "row" }, title),
      element("td", { class: "value" }, String(server ?? "–")),
      element("td", { class: `value ${differs ? "differs" : ""}` }, String(device ?? "–")),
    );
  });
  return grid(["", "Server", "Device"], rows, "Sync");
}

function unansweredForm({ instance_id: instance, outcome, tries, exchange_id: exchange }) {
  return element(
    "p",
    { class: "warning" },
    `Form ${instance}: ${outcome}, sent ${counted(tries, "time")}, first in `,
    element("a", { href: link({ row: String(exchange) }) }, `#${exchange}`),
  );
}

const caseState = (found) => (found ? (found.closed ? "closed" : "open") : "–");

function grid(columns, rows, label) {
  return element(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": label },
    element(
      "table",
      { class: "state-table" },
      element("thead", {}, element("tr", {}, columns.map((title) => element("th", { scope: "col" }, title)))),
      element("tbody", {}, rows),
    ),
  );
}
