/** What a command does, in a few words, from the beginning of its payload that a listing has. */

const LONGEST = 60;

/** The words, or the payload as it is where nothing shorter says the same. */
export function payloadWords({ command, payload, sender }) {
  if (payload == null) return "";
  try {
    switch (command) {
      case "c":
        return changes(payload) ?? payload;
      case "init":
        return init(JSON.parse(payload));
      case "i":
        return sender === "server" ? index(payload) : indexRequest(payload);
      case "h":
        return `heartbeat ${payload}`;
      case "cv":
        return payload === "?" ? "change version unknown: load the index" : `change version ${payload}`;
      default:
        return payload;
    }
  } catch {
    return payload;
  }
}

function init({ clientid: client, app_id: app, api, name }) {
  const said = [client && `client ${client}`, app && `application ${app}`, name && `bucket ${name}`, api && `API ${api}`];
  return said.filter(Boolean).join(", ");
}

/** A request of an index is DATA:MARK::LIMIT. */
function indexRequest(payload) {
  const [data, mark, , limit] = payload.split(":");
  const said = [
    mark ? `next page of the index from ${mark}` : "first page of the index",
    data === "1" && "with data",
    limit && `at most ${limit}`,
  ];
  return said.filter(Boolean).join(", ");
}

/** A page of an index may be long: its head or its end says how it goes on. */
function index(payload) {
  if (payload.endsWith("…")) {
    const current = /^\{"current":"([^"]+)"/.exec(payload);
    return `page of the index${current ? `, current ${current[1]}` : ""}: ${payload}`;
  }
  const { index: entries = [], current, mark } = JSON.parse(payload);
  const said = [
    `${entries.length} ${entries.length === 1 ? "object" : "objects"}`,
    current && `current ${current}`,
    mark && "more follow",
  ];
  return said.filter(Boolean).join(", ");
}

/** One change, or a list of them; nothing where the text is cut before it says anything. */
function changes(payload) {
  if (payload.endsWith("…")) return cut(payload);
  const parsed = JSON.parse(payload);
  if (!Array.isArray(parsed)) return change(parsed);
  if (parsed.length === 0) return "no change";
  const [first] = parsed;
  const others = parsed.slice(1).map((each) => each.id);
  return others.length === 0 ? change(first) : `${change(first)}; and ${others.length} more: ${others.join(" ")}`;
}

function change({ o: operation, v: members, d: data, sv, ev, error }) {
  if (error != null) return `refused with ${error}`;
  const version = [sv, ev].filter((each) => each != null).join(" → ");
  const before = version === "" ? "" : `v${version}  `;
  const said = operation === "-"
    ? "removes it"
    : data != null
    ? `all of it: ${Object.entries(data).map(([name, value]) => `${name} ${brief(value)}`).join(", ")}`
    : Object.entries(members ?? {}).map(([name, each]) => member(name, each)).join(", ") || "changes nothing";
  return before + said;
}

const operations = { "+": "=", r: "=", I: "+=", O: "members", L: "items", dL: "items" };

function member(name, { o: operation, v: value }) {
  if (operation === "-") return `${name} removed`;
  if (operation === "d") return `${name} ${delta(value)}`;
  return `${name} ${operations[operation] ?? operation} ${brief(value)}`;
}

/** A delta without what stays: +inserted and −count of what goes. */
function delta(value) {
  if (typeof value !== "string") return brief(value);
  const parts = value.split("\t").filter((part) => !part.startsWith("=")).map((part) =>
    part.startsWith("-") ? `−${part.slice(1)}` : part.startsWith("+") ? `+${brief(decodeURIComponent(part.slice(1)))}` : part
  );
  return parts.join(" ");
}

function brief(value) {
  const text = JSON.stringify(value) ?? "";
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

/** What can be read of a change whose end is missing. */
function cut(payload) {
  const version = [/"sv":(\d+)/.exec(payload)?.[1], /"ev":(\d+)/.exec(payload)?.[1]].filter(Boolean).join(" → ");
  const members = /"v":\{("[^"]+":\{.*)/s.exec(payload)?.[1];
  if (members === undefined) return null;
  return `${version === "" ? "" : `v${version}  `}${members.replace(/"([^"]+)":\{"o":"[^"]+","v":/g, "$1 ")}`;
}
