/** What the list says of a row, in the words of the trace. */

import { element } from "./dom.js";
import { payloadWords } from "./payload-words.js";
import { sessionOf, state } from "./store.js";

const opcodes = { 0: "continuation", 1: "text", 2: "binary", 8: "close", 9: "ping", 10: "pong" };

/** The way of a row: of an exchange there and back. */
export function arrow(row) {
  return row.kind === "exchange" ? "⇄" : row.sender === "client" ? "→" : "←";
}

/** The way, as one says it. */
export function way(row) {
  return row.kind === "exchange" ? "request and response" : `from the ${row.sender}`;
}

/** Method, command or opcode. */
export function verb(row) {
  if (row.kind === "exchange") return row.method ?? "?";
  if (row.kind === "command") return row.command ?? "?";
  return opcodes[row.opcode] ?? String(row.opcode ?? "message");
}

/** What a row is about: what matters, and what may be cut off. */
export function subject(row) {
  if (row.kind === "exchange") return [row.path ?? row.url ?? "", query(row)];
  if (row.kind === "command") return [[row.bucket, row.key].filter((part) => part).join(" "), payloadWords(row)];
  return ["", row.payload ?? ""];
}

/** The query of a URL, its parameters apart. */
function query(row) {
  const start = row.url?.indexOf("?") ?? -1;
  return start < 0 ? "" : row.url.slice(start).replaceAll("&", " &");
}

/** How a row ended: text and level. */
export function status(row) {
  if (row.kind === "exchange") {
    if (row.status == null) return row.is_open ? { text: "…", level: "" } : { text: "none", level: "warning" };
    return { text: String(row.status), level: row.status >= 500 ? "error" : row.status >= 400 ? "warning" : "good" };
  }
  return row.error == null ? { text: "", level: "" } : { text: String(row.error), level: "error" };
}

/** Bytes that a row moved. */
export function size(row) {
  if (row.kind === "exchange") return (row.request_size ?? 0) + (row.response_size ?? 0);
  return row.size ?? null;
}

/** The words that stand before the names of a row's marks, and what each means. */
const kinds = {
  fault: "A fault was applied",
  edit: "Tapedeck changed it",
  error: "A rule was broken",
  warning: "A rule was broken",
  info: "A finding",
  gap: "Bytes are missing",
  held: "It waits for a decision",
  local: "Tapedeck answered",
  altered: "The receiver had something else",
  lost: "It did not arrive",
  late: "It arrived late",
  repeated: "It arrived more than once",
  synthesized: "The sender did not send it",
  problem: "It is incomplete or could not be read",
};

// A held message and its row were read at nearly the same time.
const TOGETHER_MS = 2000;

/** Whether one of the messages that wait for a decision is this row. */
function isHeld(row) {
  return state.held.some((message) => {
    if (message.connection !== row.connection_id) return false;
    if (row.kind === "exchange") {
      const isRequest = message.kind === "request" && message.method === row.method && row.status == null;
      return row.is_open && (isRequest || message.kind === "response");
    }
    const session = sessionOf(row);
    return message.kind === row.kind && message.sender === row.sender && (message.key ?? null) === (row.key ?? null) &&
      session != null &&
      Math.abs(session.started_ms + (row.at_ns - session.start_ns) / 1e6 - message.since_ms) < TOGETHER_MS;
  });
}

/** The marks of a row, each a word with its class, worst first, each word once. */
export function marks(row) {
  const found = (row.marks ?? []).map((mark) => {
    const [kind, ...name] = mark.split(" ");
    return { kind, name: name.join(" ") };
  });
  if (isHeld(row)) found.push({ kind: "held", name: "" });
  if (row.is_local) found.push({ kind: "local", name: "" });
  if (row.problem) found.push({ kind: "problem", name: row.problem });
  if (row.fate && kinds[row.fate]) found.push({ kind: row.fate, name: "" });
  const byKind = new Map();
  for (const { kind, name } of found) byKind.set(kind, [...(byKind.get(kind) ?? []), name].filter((each) => each));
  const order = Object.keys(kinds);
  return [...byKind].map(([kind, names]) => ({ kind, names }))
    .sort((a, b) => severity(a.kind) - severity(b.kind) || order.indexOf(a.kind) - order.indexOf(b.kind));
}

function severity(kind) {
  return { error: 0, held: 1, fault: 2, lost: 2, problem: 3, gap: 3, warning: 4 }[kind] ?? 5;
}

/** Marks as elements. */
export function badges(row) {
  return marks(row).map(({ kind, names }) =>
    element("span", {
      class: `badge badge-${kind in kinds ? kind : "other"}`,
      title: `${kinds[kind] ?? "Mark"}${names.length > 0 ? `: ${names.join(", ")}` : ""}`,
    }, names.length > 1 ? `${kind} ${names.length}` : kind)
  );
}

/** A row in a line of text, for screen readers and titles. */
export function sentence(row) {
  return [row.kind, row.name, verb(row), ...subject(row), status(row).text].filter((part) => part !== "").join(" ")
    .slice(0, 200);
}
