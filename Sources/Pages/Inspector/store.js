/** The state of the page, in one place: what is shown, and what is known of the traces. */

/**
 * `traces` as /v1/traces has them; `trace` the number of the one that is shown; `view`, `filter`, `row`, `at` and `side`
 * as in the address; `connection` of live updates: connecting, open or lost; `held` the messages that wait for a decision;
 * `wallClock` and `columns` as the list shows them; `touched` grows when the row that is shown has other values.
 */
export const state = {
  traces: [],
  version: "",
  trace: null,
  view: "list",
  filter: "",
  row: null,
  at: null,
  side: null,
  connection: "connecting",
  held: [],
  touched: 0,
  wallClock: false,
  columns: null,
  findings: null,
};

const watchers = [];

/** Changes what is named; who watches any of it is called once, after all of it has changed. */
export function set(changes) {
  const names = Object.keys(changes).filter((name) => state[name] !== changes[name]);
  Object.assign(state, changes);
  if (names.length === 0) return;
  for (const { watched, action } of [...watchers]) if (watched.some((name) => names.includes(name))) action(names);
}

/** Calls an action whenever any of these has changed. */
export function watch(watched, action) {
  watchers.push({ watched, action });
}

/** The trace that is shown. */
export function currentTrace() {
  return state.traces.find((trace) => trace.id === state.trace) ?? null;
}

/** The session of a row, for its clock. */
export function sessionOf(row) {
  const { sessions } = currentTrace() ?? { sessions: [] };
  return sessions.find((session) => session.id === row.session_id) ?? sessions[0] ?? null;
}

/** Takes in which messages wait for a decision; who watches gets other messages, not the time that passes. */
export function setHeld(held) {
  const ids = (messages) => messages.map(({ id }) => id).join(" ");
  if (ids(held) === ids(state.held)) return;
  set({ held: held.map((message) => ({ ...message, since_ms: Date.now() - message.held_ms })) });
}

/** What is kept in the browser from one visit to the next; nothing where it does not allow that. */
export const kept = {
  get(name, otherwise) {
    try {
      return JSON.parse(localStorage.getItem(`tapedeck.${name}`)) ?? otherwise;
    } catch {
      return otherwise;
    }
  },
  set(name, value) {
    try {
      localStorage.setItem(`tapedeck.${name}`, JSON.stringify(value));
    } catch { /* A browser without storage shows everything all the same. */ }
  },
};
