/** Where client and server disagree: since when, because of what, and in which members. */

import { link } from "./address.js";
import { element } from "./dom.js";
import { counted, seconds } from "./format.js";
import { markedLines } from "./text-difference.js";

const reasons = {
  "missing-on-client": "the client lacks it",
  "missing-on-server": "the server lacks it",
  version: "they hold different versions",
  data: "they hold different data of one version",
  unacknowledged: "the client changed it, which was not acknowledged",
};

/** All disagreements, as `tapedeck state --diff --json` has them; that there is none where that is so. */
export function disagreements(lines) {
  const found = lines.filter(({ kind }) => kind !== "moment");
  if (found.length === 0) return element("p", { class: "good agree" }, "✓ Client and server agree.");
  return element(
    "section",
    { class: "disagreements" },
    element("h2", {}, counted(found.length, "disagreement")),
    found.map((line) =>
      element("article", { class: "finding warning" }, element("h3", {}, title(line)), details(line))
    ),
  );
}

function title(line) {
  const who = line.client ? `, client ${line.client}` : line.device ? `, device ${line.device}` : "";
  if (line.kind === "object-disagreement") {
    return `${line.bucket} ${line.key}${who}: ${reasons[line.what] ?? line.what}`;
  }
  if (line.kind === "case-disagreement") return `case ${line.case_id}${who}: ${reasons[line.what] ?? line.what}`;
  return `state hash${who}`;
}

function details(line) {
  const parts = [];
  if (line.server_version != null || line.client_version != null) {
    parts.push(
      element(
        "p",
        { class: "soft" },
        `version ${line.server_version ?? "none"} on the server, ${line.client_version ?? "none"} on the client`,
      ),
    );
  }
  if (line.missed) {
    parts.push(
      element(
        "p",
        {},
        `The client did not take version ${line.missed.version ?? "?"}: ${line.missed.why}`,
        because(line.missed),
      ),
    );
  }
  for (const change of line.unacknowledged ?? []) {
    parts.push(element("p", {}, `Its change of version ${change.sv ?? "?"}: ${change.outcome}`, because(change)));
  }
  for (const form of line.forms ?? []) {
    parts.push(element("p", {}, `Form ${form.instance_id}: ${form.outcome}`, because(form)));
  }
  const members = (line.differences ?? []).map(({ path, server, client }) => [path, server, client])
    .concat((line.properties ?? []).map(({ name, server, client }) => [name, server, client]));
  if (members.length > 0) parts.push(memberTable(members));
  if (line.kind === "state-disagreement") {
    parts.push(memberTable([["state hash", line.server_state, line.client_state]]));
  }
  if (line.kind === "sent-state-disagreement") {
    parts.push(
      element(
        "p",
        {},
        `The device sent ${line.sent_state}`,
        because(line),
        `; the cases that it holds by the trace make ${line.client_state}.`,
      ),
      line.missing?.length > 0 && element("p", {}, `It lacks ${line.missing.join(", ")}.`),
      line.additional?.length > 0 && element("p", {}, `It has ${line.additional.join(", ")} besides.`),
    );
  }
  return parts.filter(Boolean);
}

/** The row that is the cause, and when it was. */
function because({ command_id: command, exchange_id: exchange, at_ns: at }) {
  const row = command != null ? `c${command}` : exchange != null ? String(exchange) : null;
  if (row == null) return null;
  return element(
    "span",
    {},
    " in ",
    element("a", { href: link({ row }) }, command != null ? row : `#${row}`),
    at != null && ` at ${seconds(at)} s`,
  );
}

function memberTable(members) {
  return element(
    "table",
    { class: "members" },
    element(
      "thead",
      {},
      element("tr", {}, ["Member", "Server", "Client"].map((name) => element("th", { scope: "col" }, name))),
    ),
    element(
      "tbody",
      {},
      members.map(([name, server, client]) => {
        const both = server != null && client != null
          ? markedLines(server, client)
          : { before: [server ?? "nothing"], after: [client ?? "nothing"] };
        return element(
          "tr",
          {},
          element("th", { scope: "row" }, name),
          element("td", {}, both.before.filter(Boolean)),
          element("td", {}, both.after.filter(Boolean)),
        );
      }),
    ),
  );
}
