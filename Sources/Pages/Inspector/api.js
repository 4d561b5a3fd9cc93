/** The HTTP interface of the inspector; it is described by /v1/openapi.json. */

import { state } from "./store.js";

/** What went wrong, where, and what to do. */
export class ApiError extends Error {
  constructor(status, { code, message, place, hint }) {
    super(message);
    Object.assign(this, { status, code, place, hint });
  }
}

const unreachable = {
  code: "unreachable",
  message: "The inspector does not answer.",
  hint: "It may have ended: start it again with tapedeck inspect, and open the address that it prints.",
};
const noToken = {
  code: "no-token",
  message: "This browser is not signed in to the inspector.",
  hint: "Open the address with the token that tapedeck inspect printed when it started.",
};

/** The answer to a request, once its head is there; an error if it is none of success. */
async function ask(method, path, { body, signal } = {}) {
  let answer;
  try {
    answer = await fetch(path, {
      method,
      signal,
      headers: body === undefined ? {} : { "Content-Type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError(0, unreachable);
  }
  if (answer.ok) return answer;
  const said = await answer.json().catch(() => null);
  if (answer.status === 401) throw new ApiError(401, noToken);
  throw new ApiError(
    answer.status,
    said?.error ?? { message: `The inspector answered ${answer.status} to ${path}.`, hint: "" },
  );
}

/** JSON from a path. */
export async function get(path, signal) {
  return (await ask("GET", path, { signal })).json();
}

/** JSON for what is sent; nothing where there is no content. */
export async function post(path, body, signal) {
  const answer = await ask("POST", path, { body: body ?? {}, signal });
  return answer.status === 204 ? null : answer.json();
}

/** JSON for what is put in place of what was there. */
export async function put(path, body) {
  return (await ask("PUT", path, { body })).json();
}

/** Removes what a path names. */
export async function remove(path) {
  const answer = await ask("DELETE", path);
  return answer.status === 204 ? null : answer.json().catch(() => null);
}

/** Text from a path. */
export async function text(path, signal) {
  return (await ask("GET", path, { signal })).text();
}

/** Bytes from a path, and how many there are in all. */
export async function content(path, signal) {
  const answer = await ask("GET", path, { signal });
  const bytes = new Uint8Array(await answer.arrayBuffer());
  return { bytes, total: Number(answer.headers.get("X-Content-Size") ?? bytes.length) };
}

/** A path of the trace that is shown, with a query of what has a value. */
export function ofTrace(path, query = {}) {
  const words = new URLSearchParams(Object.entries(query).filter(([, value]) => value != null && value !== ""));
  return `/v1/traces/${state.trace}/${path}${words.size > 0 ? `?${words}` : ""}`;
}
