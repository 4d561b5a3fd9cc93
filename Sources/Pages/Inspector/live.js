/** Live updates over one WebSocket, which connects again by itself; each subscription says what it knows. */

import { set, state } from "./store.js";

const longest = 8000;
const subscriptions = new Map();
let socket = null;
let wait = 500;

/** Connects, and again whenever the connection is lost. */
export function connect() {
  set({ connection: state.connection === "lost" ? "lost" : "connecting" });
  socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/v1/live`);
  socket.addEventListener("open", () => {
    wait = 500;
    set({ connection: "open" });
    for (const { listing } of subscriptions.values()) send("subscribe", listing);
  });
  socket.addEventListener("message", (event) => take(JSON.parse(event.data)));
  socket.addEventListener("close", () => {
    set({ connection: "lost" });
    setTimeout(connect, wait);
    wait = Math.min(longest, wait * 2);
  });
}

// A browser that slept need not wait for its timer.
addEventListener("online", () => {
  if (socket?.readyState === WebSocket.CLOSED) connect();
});

function send(verb, { trace, id, changes }) {
  if (socket?.readyState !== WebSocket.OPEN) return;
  socket.send(JSON.stringify({ [verb]: { trace, listing: id, ...(verb === "subscribe" ? { cursor: changes } : {}) } }));
}

/** Has a listing learn of its changes. */
export function subscribe(listing, action) {
  subscriptions.set(keyOf(listing), { listing, action });
  send("subscribe", listing);
}

/** Ends that. */
export function unsubscribe(listing) {
  subscriptions.delete(keyOf(listing));
  send("unsubscribe", listing);
}

function take(message) {
  subscriptions.get(`${message.trace}/${message.listing}`)?.action(message);
}

/** Numbers of listings are those of their trace. */
function keyOf({ trace, id }) {
  return `${trace}/${id}`;
}
